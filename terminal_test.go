//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// patience is how long a test waits for what must come: long, because the
// machine may be busy; a test that passes does not wait.
const patience = 30 * time.Second

// terminal hosts linktop in a pseudo-terminal, as a user would have it.
type terminal struct {
	t        testing.TB
	cmd      *exec.Cmd
	ptmx     *os.File
	tty      *os.File
	before   *term.State
	ended    chan error
	pumped   chan struct{}
	answered chan struct{}

	mu      sync.Mutex
	emu     *vt.Emulator
	raw     bytes.Buffer
	written time.Time
}

// open starts linktop in a terminal of that size.
func open(t testing.TB, width, height int, args ...string) *terminal {
	t.Helper()
	x := openFor(t, t.TempDir(), width, height, args...)
	t.Cleanup(func() {
		x.close()
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", x.screen())
		}
	})
	return x
}

// openFor is open for whoever closes the terminal himself.
func openFor(t testing.TB, home string, width, height int, args ...string) *terminal {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, ptmx: ptmx, tty: tty, emu: vt.NewEmulator(width, height), ended: make(chan error, 1), pumped: make(chan struct{}), answered: make(chan struct{})}
	x.size(width, height)
	if x.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	x.cmd = exec.Command(os.Args[0], args...)
	x.cmd.Env = append(environ(), asLinktop+"=1", "TERM=xterm-256color", "COLORTERM=truecolor", "HOME="+home)
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = tty, tty, tty
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { x.ended <- x.cmd.Wait() }()
	// The emulator's answers (to a cursor query, say) go back to the program.
	go func() {
		defer close(x.answered)
		io.Copy(ptmx, x.emu)
	}()
	go x.pump()
	return x
}

func (x *terminal) close() {
	x.cmd.Process.Kill()
	x.tty.Close()
	x.ptmx.Close()
	<-x.pumped
	// Not emu.Close: it races with the emulator's Read.
	x.emu.InputPipe().(io.Closer).Close()
	<-x.answered
}

// environ is the environment without what changes a terminal program's mind.
func environ() []string {
	var out []string
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "CI", "NO_COLOR", "COLORFGBG", "TERM", "COLORTERM", "HOME", "TMUX", "XDG_CONFIG_HOME":
		default:
			out = append(out, kv)
		}
	}
	return out
}

func (x *terminal) pump() {
	defer close(x.pumped)
	buf := make([]byte, 64<<10)
	for {
		n, err := x.ptmx.Read(buf)
		if n > 0 {
			x.mu.Lock()
			x.raw.Write(buf[:n])
			x.written = time.Now()
			x.emu.Write(buf[:n])
			x.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (x *terminal) size(width, height int) {
	if err := pty.Setsize(x.ptmx, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) resize(width, height int) {
	x.mu.Lock()
	x.emu.Resize(width, height)
	x.mu.Unlock()
	x.size(width, height)
}

func (x *terminal) press(keys string) {
	if _, err := x.ptmx.WriteString(keys); err != nil {
		x.t.Fatalf("pressing %q: %v", keys, err)
	}
}

// screen is what the user sees, as text.
func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emu.String()
}

func (x *terminal) bytes() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.Len()
}

// sees waits until every text is on the screen at once.
func (x *terminal) sees(texts ...string) {
	x.t.Helper()
	x.until("the screen shows "+strings.Join(texts, ", "), func() bool {
		s := x.screen()
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return false
			}
		}
		return true
	})
}

func (x *terminal) until(what string, done func() bool) {
	x.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
		select {
		case err := <-x.ended:
			x.ended <- err
			x.t.Fatalf("linktop ended (%v) before %s:\n%s", err, what, x.screen())
		default:
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("waited %v in vain until %s:\n%s", patience, what, x.screen())
		}
	}
}

// quits waits for the end and gives the exit code; the terminal must then be as
// it was found.
func (x *terminal) quits() int {
	x.t.Helper()
	var err error
	select {
	case err = <-x.ended:
	case <-time.After(patience):
		x.t.Fatalf("linktop did not end:\n%s", x.screen())
	}
	after, stateErr := term.GetState(int(x.tty.Fd()))
	if stateErr != nil {
		x.t.Fatal(stateErr)
	}
	if *after != *x.before {
		x.t.Error("the terminal's modes are not as they were")
	}
	x.until2("the last bytes arrived", func() bool {
		s := x.rawText()
		return strings.LastIndex(s, "\x1b[?1049l") > strings.LastIndex(s, "\x1b[?1049h") &&
			strings.LastIndex(s, "\x1b[?25h") > strings.LastIndex(s, "\x1b[?25l")
	})
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// until2 waits without minding that the program has ended.
func (x *terminal) until2(what string, done func() bool) {
	x.t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			x.t.Fatalf("waited %v in vain until %s; the end of the output: %q", patience, what, tail(x.rawText(), 300))
		}
	}
}

func (x *terminal) rawText() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
