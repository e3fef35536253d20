//go:build !windows

package tui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/internal/sample"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// terminal is a PTY with a terminal emulator at its other end.
type terminal struct {
	t   *testing.T
	tty *os.File
	pty *os.File

	mu    sync.Mutex
	emu   *vt.Emulator
	bytes bytes.Buffer
}

func openTerminal(t *testing.T, w, h int) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no PTY here: %v", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, tty: tty, pty: master, emu: vt.NewEmulator(w, h)}
	t.Cleanup(func() { master.Close(); tty.Close() })
	go func() { // an emulator that is asked answers; nobody waits for it here
		buf := make([]byte, 1024)
		for {
			if _, err := x.emu.Read(buf); err != nil {
				return
			}
		}
	}()
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			x.mu.Lock()
			x.bytes.Write(buf[:n])
			x.emu.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return x
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := x.pty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, h := x.emu.Width(), x.emu.Height()
	var b strings.Builder
	for y := range h {
		for i := range w {
			if c := x.emu.CellAt(i, y); c != nil && c.Content != "" {
				b.WriteString(c.Content)
			} else if c == nil || c.Width > 0 {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (x *terminal) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes.String()
}

func (x *terminal) waitFor(text string) {
	x.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(x.screen(), text) {
			return
		}
	}
	x.t.Fatalf("%q does not appear:\n%s", text, x.screen())
}

// quiet waits until nothing was written for a while and returns the count of
// bytes by then.
func (x *terminal) quiet() int {
	x.t.Helper()
	last, since := -1, time.Now()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if n := len(x.written()); n != last {
			last, since = n, time.Now()
		} else if time.Since(since) > 300*time.Millisecond {
			return n
		}
	}
	x.t.Fatal("the terminal never becomes quiet")
	return 0
}

// start runs the screen; the returned function waits for its end.
func (x *terminal) start(ctx context.Context, o Options) (wait func() error) {
	o.In, o.Out = x.tty, x.tty
	o.Environ = []string{"TERM=xterm-256color", "LANG=C.UTF-8"}
	done := make(chan error, 1)
	go func() { done <- Run(ctx, o) }()
	return func() error {
		x.t.Helper()
		select {
		case err := <-done:
			return err
		case <-time.After(patience):
			x.t.Fatalf("the program does not end:\n%s", x.screen())
			return nil
		}
	}
}

// restored checks that the terminal is as it was found.
func (x *terminal) restored(before *term.State) {
	x.t.Helper()
	after, err := term.GetState(x.tty.Fd())
	if err != nil {
		x.t.Fatal(err)
	}
	if !reflect.DeepEqual(before, after) {
		x.t.Errorf("terminal modes were %+v, are %+v", before, after)
	}
	x.quiet()
	out := x.written()
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?2004h": "\x1b[?2004l", beginUpdate: endUpdate} {
		if strings.LastIndex(out, on) > strings.LastIndex(out, off) {
			x.t.Errorf("%q was not taken back by %q", on, off)
		}
	}
}

func (x *terminal) modes() *term.State {
	x.t.Helper()
	s, err := term.GetState(x.tty.Fd())
	if err != nil {
		x.t.Fatal(err)
	}
	return s
}

func TestRunShowsTakesKeysAndLeavesTheTerminalAsItWas(t *testing.T) {
	x := openTerminal(t, 120, 36)
	before := x.modes()
	f := newFake(sample.Far(24))
	wait := x.start(context.Background(), Options{Session: f})
	x.waitFor("buffer-limited")
	x.press("2")
	x.waitFor("… asked")
	f.put(func(s *model.Snapshot) {
		s.Toggles = map[string]model.Toggle{model.KeyFrame: {State: model.ToggleConfirmed, Asked: "2048", TookUS: model.Some(14_000)}}
	})
	x.waitFor("✓ 2048 in 14 ms")

	// Nothing changes: nothing is written, even when snapshots keep coming.
	n := x.quiet()
	for range 5 {
		f.put(func(*model.Snapshot) {})
		time.Sleep(50 * time.Millisecond)
	}
	if now := x.quiet(); now != n {
		t.Errorf("%d bytes were written although nothing changed", now-n)
	}
	x.press("q")
	if err := wait(); err != nil {
		t.Error(err)
	}
	x.restored(before)
	out := x.written()
	if strings.Contains(out, "\x1b]11;?") {
		t.Error("the terminal was asked for its background")
	}
	if !strings.Contains(out, beginUpdate+"\x1b[H") {
		t.Error("screen updates are not synchronized")
	}
	if got := strings.Join(f.asked, "|"); got != "frame=2048" {
		t.Errorf("asked for %q", got)
	}
}

func TestHelpAndCtrlC(t *testing.T) {
	x := openTerminal(t, 80, 24)
	f := newFake(sample.Far(24))
	wait := x.start(context.Background(), Options{Session: f})
	x.waitFor("TCP_SND_BUF")
	x.press("?")
	x.waitFor("freeze the screen")
	x.press("\x1b[Z\x03") // an unknown key, then ctrl-c
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	x := openTerminal(t, 80, 24)
	before := x.modes()
	ctx, cancel := context.WithCancel(context.Background())
	wait := x.start(ctx, Options{Session: newFake(sample.Far(24))})
	x.waitFor("DEGRADED")
	cancel()
	if err := wait(); err != nil {
		t.Error(err)
	}
	x.restored(before)
}

func TestPanicsLeaveAnErrorAFileAndTheTerminalAsItWas(t *testing.T) {
	for name, cause := range map[string]func(x *terminal, f *fake, g *Guard){
		"in a key": func(x *terminal, f *fake, g *Guard) {
			f.mu.Lock()
			f.panics = true
			f.mu.Unlock()
			x.press("1")
		},
		"in a goroutine": func(x *terminal, f *fake, g *Guard) { g.Go(func() { panic("set to panic") }) },
		"in the feed": func(x *terminal, f *fake, g *Guard) {
			f.mu.Lock()
			f.panics = true
			f.mu.Unlock()
			f.changed <- struct{}{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := openTerminal(t, 80, 24)
			before := x.modes()
			f, g := newFake(sample.Far(24)), &Guard{Dir: t.TempDir()}
			wait := x.start(context.Background(), Options{Session: f, Guard: g})
			x.waitFor("DEGRADED")
			cause(x, f, g)
			err := wait()
			if err == nil {
				t.Fatal("no error")
			}
			files, _ := filepath.Glob(filepath.Join(g.Dir, "crash-*.txt"))
			if len(files) != 1 || !strings.Contains(err.Error(), files[0]) {
				t.Errorf("error %q, files %q", err, files)
			} else if text, _ := os.ReadFile(files[0]); !bytes.Contains(text, []byte("goroutine")) {
				t.Errorf("the crash file holds no stack: %s", text)
			}
			x.restored(before)
		})
	}
}

func TestRunWithoutATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	err = Run(context.Background(), Options{Session: newFake(sample.Far(24)), In: r, Out: w})
	if !errors.Is(err, ErrNoTerminal) || !strings.Contains(err.Error(), "--headless") {
		t.Errorf("error is %v", err)
	}
}
