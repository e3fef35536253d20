//go:build linux || darwin

package virtual

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

const (
	// ptyQueue is how much unread output the PTY is given: less than the 4095
	// bytes after which Linux keeps the rest out of sight.
	ptyQueue = 3 << 10
	// ptyPatience is how long a reader may be busy before its unread output is
	// thrown away as nobody's.
	ptyPatience = 2 * time.Second
)

// ServePTY puts the console on a PTY until ctx ends, and returns the path that
// a second program opens as its serial port. The port may be opened and closed
// as often as wished; what the device prints while nobody reads is lost, as on
// a real one.
func (d *Device) ServePTY(ctx context.Context) (path string, err error) {
	master, slave, err := pty.Open()
	if err != nil {
		return "", fmt.Errorf("virtual device: opening a PTY for its console: %w", err)
	}
	// Raw: no echo, no line editing, no CR to LF. The slave stays open here,
	// because its settings are lost when the last user closes it, and reading
	// the master would fail until the next one comes.
	if _, err := term.MakeRaw(int(slave.Fd())); err != nil {
		master.Close()
		slave.Close()
		return "", fmt.Errorf("virtual device: making the PTY %s raw: %w", slave.Name(), err)
	}
	b := &bridge{dev: d, master: master, slave: slave}
	go b.run(ctx)
	return slave.Name(), nil
}

// bridge carries bytes between the console and a PTY.
type bridge struct {
	dev           *Device
	master, slave *os.File
	absent        bool // nobody read for a while
	unread        int  // after the last write
}

func (b *bridge) run(ctx context.Context) {
	defer b.slave.Close()
	defer context.AfterFunc(ctx, func() { b.master.Close() })()
	for ctx.Err() == nil {
		console, err := b.dev.OpenConsole()
		if err != nil {
			// Unplugged, or another program has it.
			_ = pause(ctx, 200*time.Millisecond)
			continue
		}
		stop := context.AfterFunc(ctx, func() { console.Close() })
		down := make(chan struct{})
		go func() {
			defer close(down)
			b.down(ctx, console)
		}()
		b.up(ctx, console)
		console.Close()
		stop()
		// The master's reader is let go by a deadline, and gets a new one.
		b.master.SetReadDeadline(time.Unix(1, 0))
		<-down
		b.master.SetReadDeadline(time.Time{})
		_ = pause(ctx, 50*time.Millisecond)
	}
}

// up carries what the device prints.
func (b *bridge) up(ctx context.Context, console Console) {
	p := make([]byte, 1024)
	for {
		n, err := console.Read(p)
		if err != nil {
			return
		}
		if !b.room(ctx, n) {
			return
		}
		if _, err := b.master.Write(p[:n]); err != nil {
			return
		}
		b.unread, _ = unread(int(b.slave.Fd()))
	}
}

// room waits for the reader. One that stays away loses what is old, so that the
// next one begins with the present.
func (b *bridge) room(ctx context.Context, n int) bool {
	patience := ptyPatience
	for waited := time.Duration(0); ; waited += 5 * time.Millisecond {
		queued, err := unread(int(b.slave.Fd()))
		if err != nil || queued+n <= ptyQueue {
			return true
		}
		if queued < b.unread {
			b.absent = false
		}
		if b.absent {
			patience = 0
		}
		if waited >= patience {
			b.absent = true
			return discard(int(b.slave.Fd())) == nil
		}
		if pause(ctx, 5*time.Millisecond) != nil {
			return false
		}
	}
}

// down carries what the host types.
func (b *bridge) down(ctx context.Context, console Console) {
	p := make([]byte, 1024)
	for {
		n, err := b.master.Read(p)
		if err != nil {
			if ctx.Err() == nil {
				console.Close()
			}
			return
		}
		if _, err := console.Write(p[:n]); err != nil {
			return
		}
	}
}
