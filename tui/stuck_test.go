//go:build !windows

package tui

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/creack/pty"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/internal/sample"
)

// A terminal that nobody reads keeps no program from ending.
func TestRunEndsOnATerminalThatTakesNoMore(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no PTY here: %v", err)
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(master, &pty.Winsize{Cols: 300, Rows: 80}); err != nil {
		t.Fatal(err)
	}
	f := newFake(sample.Far(24))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	x := &terminal{t: t, tty: tty, pty: master}
	before := x.modes()
	go func() {
		done <- Run(ctx, Options{Session: f, In: tty, Out: tty, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}})
	}()
	// Unlike pictures of 300×80 fill any buffer; then changes are not taken.
	stuck := time.Now()
	for i, end := 0, time.Now().Add(patience); time.Since(stuck) < time.Second; i++ {
		if time.Now().After(end) {
			t.Fatal("the terminal takes all there is")
		}
		if len(f.changed) == 0 {
			stuck = time.Now()
		}
		picture := *[]*model.Snapshot{sample.Far(24), sample.Busy()}[i%2]
		f.put(func(s *model.Snapshot) {
			picture.Version = s.Version
			*s = picture
		})
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	if !reflect.DeepEqual(x.modes(), before) {
		t.Error("the terminal's modes are not as they were")
	}
}
