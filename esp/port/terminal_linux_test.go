package port

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
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

// holdEnv makes this test binary a second linktop that has a port open.
const holdEnv = "LINKTOP_TEST_HOLD"

func TestMain(m *testing.M) {
	if name := os.Getenv(holdEnv); name != "" {
		p, err := Open(name, 115200)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("open")
		io.Copy(io.Discard, os.Stdin) // until the test closes it
		p.Close()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Two that read one port get half of the bytes each, also for root, whom the
// system lets in.
func TestASecondProgramOnAPseudoTerminalIsTurnedAway(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ptmx.Close()
	defer tty.Close() // this program is the device: it has both ends open
	first := exec.Command(os.Args[0])
	first.Env = append(os.Environ(), holdEnv+"="+tty.Name())
	in, err := first.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer first.Process.Kill()
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatalf("the first program says %q", line)
	}
	_, err = Open(tty.Name(), 115200)
	var open *OpenError
	if !errors.As(err, &open) || open.Why != Busy {
		t.Errorf("a second program: %v", err)
	}
	in.Close()
	first.Wait()
	p, err := Open(tty.Name(), 115200)
	if err != nil {
		t.Fatalf("after the first has let go: %v", err)
	}
	p.Close()
}
