//go:build linux || darwin

package port

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"dev.local/linktop/esp"
)

// pair is a pseudo-terminal: device is the end that a firmware would have.
func pair(t *testing.T) (device *os.File, name string) {
	t.Helper()
	device, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { device.Close(); tty.Close() })
	return device, tty.Name()
}

func within(t *testing.T, what string, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(soon):
		t.Fatalf("%s hangs", what)
		return nil
	}
}

// readAll reads n bytes, through reads that bring nothing.
func readAll(t *testing.T, r io.Reader, n int) string {
	t.Helper()
	var got []byte
	if err := within(t, "reading", func() error {
		b := make([]byte, 64)
		for len(got) < n {
			m, err := r.Read(b)
			got = append(got, b[:m]...)
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatalf("after %q: %v", got, err)
	}
	return string(got)
}

func TestPseudoTerminal(t *testing.T) {
	device, name := pair(t)
	link := filepath.Join(t.TempDir(), "board")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	p, err := Open(link, 115200)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != link {
		t.Errorf("named %q, want %q", p.Name(), link)
	}
	// Raw: nothing is echoed, and no byte is changed on its way.
	const up, down = "I (312) ws: \x00\x03\x11\xff\r\n", "lt #1 hello\r\x04\n"
	if _, err := device.WriteString(up); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, p, len(up)); got != up {
		t.Errorf("read %q, want %q", got, up)
	}
	if n, err := p.Write([]byte(down)); n != len(down) || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	if got := readAll(t, device, len(down)); got != down {
		t.Errorf("the device got %q, want %q", got, down)
	}
	if err := p.Reset(); !errors.Is(err, ErrNoLines) || !strings.Contains(err.Error(), "resetting by "+link) {
		t.Errorf("reset: %v", err)
	}
	if err := within(t, "closing", p.Close); err != nil {
		t.Error(err)
	}
	if err := within(t, "closing again", p.Close); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsRead(t *testing.T) {
	_, name := pair(t)
	p, err := Open(name, 115200)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	began := make(chan struct{})
	go func() {
		close(began)
		for {
			if _, err := p.Read(make([]byte, 8)); err != nil {
				ended <- err
				return
			}
		}
	}()
	<-began
	time.Sleep(20 * time.Millisecond) // most likely inside the call by now; either way must end
	if err := within(t, "closing", p.Close); err != nil {
		t.Error(err)
	}
	if err := within(t, "the read", func() error { return <-ended }); !errors.Is(err, os.ErrClosed) {
		t.Errorf("read ended with %v", err)
	}
}

func TestUnplugged(t *testing.T) {
	device, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	p, err := Open(tty.Name(), 115200)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ended := make(chan error, 1)
	go func() {
		for {
			if _, err := p.Read(make([]byte, 8)); err != nil {
				ended <- err
				return
			}
		}
	}()
	device.Close()
	err = within(t, "the read", func() error { return <-ended })
	if errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), "is gone, unplugged") {
		t.Errorf("got %v", err)
	}
	if _, err := p.Write([]byte("lt #1 hello\r")); err == nil {
		t.Error("writing to it is no error")
	}
}

// TestStalledPseudoTerminal fills the buffer of a device that reads nothing:
// the system call blocks for real here.
func TestStalledPseudoTerminal(t *testing.T) {
	_, name := pair(t)
	p, err := Open(name, 115200)
	if err != nil {
		t.Fatal(err)
	}
	if err := within(t, "writing", func() error {
		for {
			if _, err := p.Write(make([]byte, 4096)); err != nil {
				return err
			}
		}
	}); !errors.Is(err, esp.ErrStalled) {
		t.Errorf("got %v", err)
	}
	if err := within(t, "closing", p.Close); err != nil {
		t.Error(err)
	}
	if _, err := p.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading after it: %v", err)
	}
}

// TestSourceComesBack unplugs a pseudo-terminal behind a link and puts another
// in its place.
func TestSourceComesBack(t *testing.T) {
	link := filepath.Join(t.TempDir(), "board")
	s := NewSource(link, 115200)
	if s.Name() != link || s.Baud() != 115200 {
		t.Errorf("%s at %d", s.Name(), s.Baud())
	}
	for round := range 2 {
		if _, err := s.Open(context.Background()); err == nil {
			t.Fatalf("round %d: opened what is not there", round)
		} else {
			wantError(t, err, "missing", "opening "+link)
		}
		device, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(tty.Name(), link); err != nil {
			t.Fatal(err)
		}
		stream, err := s.Open(context.Background())
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if _, err := device.WriteString("hello"); err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, stream, 5); got != "hello" {
			t.Errorf("round %d: read %q", round, got)
		}
		device.Close()
		tty.Close()
		if err := within(t, "the read", func() error {
			for {
				if _, err := stream.Read(make([]byte, 8)); err != nil {
					return nil
				}
			}
		}); err != nil {
			t.Error(err)
		}
		stream.Close()
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}
