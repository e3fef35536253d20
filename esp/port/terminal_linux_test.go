package port

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// A pseudo-terminal that is somebody's window is no device: bytes written there
// would be typed into a shell.
func TestATerminalWindowIsNoPort(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ptmx.Close()
	defer tty.Close()
	p, err := Open(tty.Name(), 115200)
	if err != nil {
		t.Fatalf("a pseudo-terminal that is nobody's window: %v", err)
	}
	p.Close()

	cmd := exec.Command("sleep", "60")
	cmd.Stdin = tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	_, err = Open(tty.Name(), 115200)
	var open *OpenError
	if !errors.As(err, &open) || open.Why != Busy || !strings.Contains(err.Error(), "terminal window") {
		t.Errorf("opening the terminal of a program: %v", err)
	}
}
