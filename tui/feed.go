package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.local/linktop/model"
)

// feedEvery bounds how often the screen gets a snapshot: 30 times a second.
const feedEvery = time.Second / 30

// changed tells the screen that there is a newer state.
type changed struct{ snap *model.Snapshot }

// feed passes snapshots on, until ctx ends. The first after a pause goes at
// once, so that the effect of a key is seen without delay; more wait, so that a
// busy device costs no more than 30 pictures a second. Only this goroutine waits
// for a slow terminal; nobody waits for it.
func feed(ctx context.Context, s Session, send func(tea.Msg)) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.Changed():
		}
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		send(changed{s.Snapshot()})
		pause.Reset(feedEvery)
	}
}
