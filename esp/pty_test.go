//go:build linux || darwin

package esp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"dev.local/linktop/esp"
	"dev.local/linktop/esp/port"
	"dev.local/linktop/model"
)

// patience is how long a test waits for what must come: the machine may be busy.
const patience = 30 * time.Second

// cable is a device on a pseudo-terminal, behind a link that keeps its name.
type cable struct {
	t    *testing.T
	path string
	ptmx *os.File
	tty  *os.File
}

func newCable(t *testing.T) *cable {
	c := &cable{t: t, path: filepath.Join(t.TempDir(), "ttyDEV")}
	c.plug()
	t.Cleanup(func() { c.ptmx.Close(); c.tty.Close() })
	return c
}

func (c *cable) plug() {
	c.t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.Symlink(tty.Name(), c.path); err != nil {
		c.t.Fatal(err)
	}
	// A read that waits keeps a file in blocking mode open beyond its Close: the
	// device would never be gone.
	fd, err := syscall.Dup(int(ptmx.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	ptmx.Close()
	c.ptmx, c.tty = os.NewFile(uintptr(fd), "ptmx"), tty
}

func (c *cable) unplug() {
	os.Remove(c.path)
	c.tty.Close()
	c.ptmx.Close()
}

// answers makes the device answer every command.
func (c *cable) answers() {
	in := bufio.NewReader(c.ptmx)
	out := c.ptmx
	go func() {
		for {
			line, err := in.ReadString('\r')
			if err != nil {
				return
			}
			w := strings.Fields(line)
			if len(w) > 2 && w[0] == "lt" {
				fmt.Fprintf(out, "LT %s ok proto=1 fw=probe/1 frame=4096\r\n", w[1])
			}
		}
	}()
}

// bench is a Console at work on a cable.
type bench struct {
	*esp.Console
	t    *testing.T
	stop context.CancelFunc
	done chan error

	mu     sync.Mutex
	ports  []string
	count  map[string]int
	serial model.Serial
}

func newBench(t *testing.T, c *cable) *bench {
	b := &bench{t: t, done: make(chan error, 1), count: map[string]int{}}
	b.Console = esp.NewConsole(esp.Config{Source: port.NewSource(c.path, 115200), Sink: b.sink})
	ctx, cancel := context.WithCancel(t.Context())
	b.stop = cancel
	go func() { b.done <- b.Run(ctx) }()
	t.Cleanup(cancel)
	return b
}

func (b *bench) sink(batch []model.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range batch {
		switch body := e.Body.(type) {
		case *model.Port:
			b.ports = append(b.ports, body.State)
		case *model.Serial:
			b.serial = *body
		case *model.Answer:
			if body.OK && body.Fields["proto"] != "" {
				b.count["hello"]++
			}
		}
		b.count[e.Body.Kind()]++
	}
}

func (b *bench) told(kind string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count[kind]
}

func (b *bench) states() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.ports, " ")
}

func (b *bench) until(what string, done func() bool) {
	b.t.Helper()
	defer func() {
		if b.t.Failed() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.t.Logf("told: ports %v, events %v, %+v", b.ports, b.count, b.serial)
		}
	}()
	until(b.t, what, done)
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}

// ends cancels Run and gives the time that its end took.
func (b *bench) ends() time.Duration {
	b.t.Helper()
	began := time.Now()
	b.stop()
	select {
	case err := <-b.done:
		if err != nil {
			b.t.Errorf("Run: %v", err)
		}
	case <-time.After(patience):
		b.t.Fatal("Run does not end")
	}
	return time.Since(began)
}

func TestUnplugAndComeBack(t *testing.T) {
	before := runtime.NumGoroutine()
	c := newCable(t)
	c.answers()
	b := newBench(t, c)
	b.until("hello is answered", func() bool { return b.told("hello") == 1 })
	if a, err := b.Do(t.Context(), "set frame=4096"); err != nil || a.Fields["frame"] != "4096" {
		t.Errorf("answer %+v, %v", a, err)
	}
	if err := b.Reset(); !errors.Is(err, port.ErrNoLines) {
		t.Errorf("resetting a pseudo-terminal: %v", err)
	}
	c.unplug()
	b.until("the loss is told", func() bool { return b.states() == "open lost" })
	if _, err := b.Do(t.Context(), "stat"); !errors.Is(err, esp.ErrClosed) {
		t.Errorf("a command without a device: %v", err)
	}
	c.plug()
	c.answers()
	b.until("it is back and greeted", func() bool { return b.states() == "open lost back" && b.told("hello") >= 2 })
	b.ends()
	c.unplug()
	until(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

// A device that reads nothing: the command fails in time, the program goes on,
// and what the device prints is still read.
func TestDeviceThatReadsNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	c := newCable(t)
	b := newBench(t, c)
	b.until("it is open", func() bool { return b.states() == "open" })
	line := "url ws://" + strings.Repeat("a", 170)
	began := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// Fill what the kernel takes on behalf of the device.
	stalled := make(chan error, 1)
	for range 40 {
		go func() {
			for ctx.Err() == nil {
				if _, err := b.Do(ctx, line); errors.Is(err, esp.ErrStalled) {
					select {
					case stalled <- err:
					default:
					}
					return
				}
			}
		}()
	}
	select {
	case <-stalled:
	case <-time.After(patience):
		t.Fatal("no command failed")
	}
	cancel()
	t.Logf("the write was given up %v after the first command", time.Since(began).Round(time.Millisecond))
	b.until("the port is given up and opened again", func() bool { return strings.HasPrefix(b.states(), "open lost back") })
	b.until("it is called read-only", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.serial.ReadOnly
	})
	logs := b.told("log")
	if _, err := c.ptmx.WriteString("still here\r\n"); err != nil {
		t.Fatal(err)
	}
	b.until("it is still read", func() bool { return b.told("log") > logs })
	if took := b.ends(); took > 5*time.Second {
		t.Errorf("the end took %v", took)
	}
	c.unplug()
	until(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

// Ending while a write is stuck does not wait for the device.
func TestEndsWhileAWriteIsStuck(t *testing.T) {
	c := newCable(t)
	b := newBench(t, c)
	b.until("it is open", func() bool { return b.states() == "open" })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 40 {
		go func() {
			for ctx.Err() == nil {
				if _, err := b.Do(ctx, "url ws://"+strings.Repeat("a", 170)); errors.Is(err, esp.ErrStalled) || errors.Is(err, esp.ErrClosed) {
					return
				}
			}
		}()
	}
	time.Sleep(300 * time.Millisecond) // the buffer is full long before
	if took := b.ends(); took > 5*time.Second {
		t.Errorf("the end took %v", took)
	}
}

// Every line of a fast device is decoded, in order and once.
func TestFastDevice(t *testing.T) {
	const frames = 5000
	c := newCable(t)
	b := newBench(t, c)
	b.until("it is open", func() bool { return b.states() == "open" })
	w := bufio.NewWriterSize(c.ptmx, 1024)
	total := int64(0)
	for i := range frames {
		n, err := fmt.Fprintf(w, "LT w s=%d o=2 n=1024 p=12 m=1 h=2 w=30 t=45 r=1024\r\n", i+1)
		if err != nil {
			t.Fatal(err)
		}
		total += int64(n)
	}
	w.Flush()
	b.until("all frames are told", func() bool { return b.told("frame") >= frames })
	b.ends()
	if b.told("frame") != frames || b.told("damage") != 0 || b.serial.Bytes < total {
		t.Errorf("%d frames of %d, %d damages, %d bytes of %d", b.told("frame"), frames, b.told("damage"), b.serial.Bytes, total)
	}
}
