// Package tui shows a session on a terminal and steers it by keys.
//
// It measures and decides nothing: everything on the screen comes from a
// model.Snapshot, and everything a key changes goes through Session.
package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/theme"
)

// Session is what a screen is drawn from, and what its keys steer. Its methods
// are called from the screen's goroutine and must not block.
type Session interface {
	// Snapshot is the newest state: cheap, safe from any goroutine, never nil.
	Snapshot() *model.Snapshot
	// Changed has a value after something changed (capacity 1).
	Changed() <-chan struct{}
	// Set asks the device for settings, in the words of `lt set`: "frame=4096",
	// "burst=4 idle=1000". The result arrives in a snapshot.
	Set(words string)
	// Reset resets the device by its serial lines.
	Reset()
	// PointHere tells the device the URL of this program's server.
	PointHere()
}

// Options of Run.
type Options struct {
	Session Session
	Theme   string // "dark", "light", "none"; "auto" or empty: from the environment
	Glyphs  string // "blocks", "ascii"; "auto" or empty: from the environment
	In      *os.File
	Out     *os.File
	// Guard also covers goroutines of the caller; nil means one of Run's own.
	Guard *Guard
	// Now is the clock, time.Now when nil.
	Now func() time.Time
	// Environ is the environment, os.Environ() when nil.
	Environ []string
}

// ErrNoTerminal is wrapped by Run's error when there is no terminal to draw on.
var ErrNoTerminal = errors.New("no terminal")

// Run shows the session until the user quits or ctx ends, both without an
// error, and leaves the terminal as it was. A panic in a guarded goroutine ends
// it with an error that names the crash file.
//
// Main must have set runewidth.DefaultCondition.EastAsianWidth to false and
// imported tui/background: see there.
func Run(ctx context.Context, o Options) error {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Guard == nil {
		o.Guard = &Guard{}
	}
	if err := CheckTerminal(o.In, o.Out); err != nil {
		return err
	}
	look, err := theme.Choose(o.Theme, o.Glyphs, o.Environ)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newScreen(o.Session, look, o.Now)
	if w, h, err := term.GetSize(o.Out.Fd()); err == nil {
		m.resize(w, h)
	}
	out := newOutput(o.Out)
	p := tea.NewProgram(&guarded{m, o.Guard},
		tea.WithAltScreen(), tea.WithoutSignalHandler(), tea.WithFPS(fps),
		tea.WithInput(o.In), tea.WithOutput(out), tea.WithEnvironment(o.Environ))
	// A crash ends the screen as ctx does: in order, by cancelling.
	o.Guard.OnCrash(cancel)
	ran, fed := make(chan struct{}), make(chan struct{})
	o.Guard.Go(func() {
		defer close(fed)
		feed(ctx, o.Session, p.Send)
	})
	o.Guard.Go(func() {
		<-ctx.Done()
		end(p, out, ran)
	})
	_, err = p.Run()
	close(ran)
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // it ended as it was asked to, if not in order
	}
	cancel()
	<-fed
	switch {
	case o.Guard.Err() != nil:
		return o.Guard.Err()
	case err != nil:
		return fmt.Errorf("the screen ended: %w", err)
	}
	return nil
}

// end asks the program to quit, so that it stops reading before it leaves the
// terminal. A terminal that takes no more is given up, which lets the program
// end in order all the same; one that does not even then is stopped.
func end(p *tea.Program, out *output, ran <-chan struct{}) {
	give := time.AfterFunc(endTime, out.giveUp)
	kill := time.AfterFunc(2*endTime, p.Kill)
	p.Quit()
	<-ran
	give.Stop()
	kill.Stop()
}

// endTime is how long a screen may take to end in order.
const endTime = time.Second

// fps is how often the renderer looks for a new picture. It wakes up as often
// when nothing changes, which is most of what a quiet screen costs.
const fps = 30

// guarded turns a panic of the screen into an orderly end.
type guarded struct {
	*screen
	guard *Guard
}

func (g *guarded) Init() tea.Cmd { return nil }

func (g *guarded) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = g // also after a panic
	defer g.guard.Catch()
	cmd = g.update(msg)
	return next, cmd
}

func (g *guarded) View() (view string) {
	defer g.guard.Catch()
	return g.view()
}
