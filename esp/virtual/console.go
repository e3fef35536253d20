package virtual

import (
	"errors"
	"io"
	"time"
)

// console is the host's end: a stream that satisfies esp.Stream and
// esp.Resetter.
type console struct {
	uart *uart
	gone chan struct{}
	why  error     // set before gone is closed
	idle time.Time // when the line is free for the next byte
}

// end detaches the host; the uart is locked.
func (c *console) end(why error) {
	if c.uart.host == c {
		c.uart.host = nil
		c.why = why
		close(c.gone)
	}
}

// Read waits for what the device prints, at the console's baud rate. It fails
// with io.EOF once the cable is unplugged or the device is gone.
func (c *console) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	u := c.uart
	for {
		var wait <-chan time.Time
		u.mu.Lock()
		if u.host != c {
			u.mu.Unlock()
			return 0, c.failure()
		}
		pause := time.Duration(0)
		if u.tx.len() > 0 {
			pause = time.Until(c.idle)
		}
		n := 0
		if pause <= 0 {
			n = u.take(p)
			c.occupy(n)
		}
		u.mu.Unlock()
		if n > 0 {
			return n, nil
		}
		ready := u.txReady
		if pause > 0 {
			wait, ready = time.After(pause), nil
		}
		select {
		case <-wait:
		case <-ready:
		case <-c.gone:
			return 0, c.failure()
		}
	}
}

// take moves what 10 ms of the line carry.
func (u *uart) take(p []byte) int {
	if u.perSecond > 0 {
		p = p[:min(int64(len(p)), max(16, u.perSecond/100))]
	}
	n := u.tx.peek(p)
	u.tx.drop(n)
	if u.tx.len() > 0 {
		signal(u.txReady)
	}
	return n
}

// occupy books the time n bytes take on the line.
func (c *console) occupy(n int) {
	if c.uart.perSecond == 0 || n == 0 {
		return
	}
	if now := time.Now(); c.idle.Before(now) {
		c.idle = now
	}
	c.idle = c.idle.Add(time.Duration(n) * time.Second / time.Duration(c.uart.perSecond))
}

func (c *console) failure() error {
	<-c.gone
	if errors.Is(c.why, errConsoleShut) {
		return c.why
	}
	return io.EOF
}

// Write gives the device bytes. It never waits: what its 4 KiB receive queue
// cannot take is lost, as on a UART without flow control.
func (c *console) Write(p []byte) (int, error) {
	u := c.uart
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.host != c {
		return 0, c.why
	}
	if fits := min(len(p), u.rx.cap()-u.rx.len()); u.rx.push(p[:fits]) {
		signal(u.rxReady)
	}
	return len(p), nil
}

// Close unplugs the host's end; the firmware runs on, and the console can be
// opened again.
func (c *console) Close() error {
	c.uart.mu.Lock()
	defer c.uart.mu.Unlock()
	c.end(errConsoleShut)
	return nil
}

// Reset restarts the device, as RTS does on a board with USB-Serial-JTAG.
func (c *console) Reset() error {
	c.uart.mu.Lock()
	open := c.uart.host == c
	c.uart.mu.Unlock()
	if !open {
		return c.failure()
	}
	c.uart.reset()
	return nil
}
