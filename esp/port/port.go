// Package port is the serial ports of this computer: which there are, what is
// on them, who holds them, and opening one without resetting the device.
package port

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.bug.st/serial"

	"dev.local/linktop/esp"
)

const (
	// writeTime is how long a device may refuse to take bytes. At 115200 baud
	// the longest command takes 18 ms; a chip that restarts takes none for a
	// good second.
	writeTime = 2 * time.Second
	// closeTime bounds closing: some drivers wait up to 30 s for a device to
	// take what was written.
	closeTime = time.Second
	// settleTime is how long written bytes get to leave before a close throws
	// away what the device did not take.
	settleTime = 50 * time.Millisecond
	// resetTime is how long the reset line is held, as esptool holds it on USB.
	resetTime = 200 * time.Millisecond
)

// ErrNoLines is the error of a Reset on a port that has no control lines, as a
// pseudo-terminal.
var ErrNoLines = errors.New("this port has no control lines; press the board's reset button (EN)")

// line is what a Port needs of the serial library.
type line interface {
	io.ReadWriteCloser
	SetDTR(bool) error
	SetRTS(bool) error
	ResetOutputBuffer() error
	GetModemStatusBits() (*serial.ModemStatusBits, error)
}

// Port is an open serial port. Reading, writing, Reset and Close may be called
// from different goroutines.
type Port struct {
	name string
	line line
	// check asks the system whether the port still exists, where reads do not
	// tell. Nil where they do.
	check func() error

	closed  chan struct{}
	closing sync.Once
	fault   error        // of closing
	stalled atomic.Bool  // a write is stuck
	wrote   atomic.Int64 // when the newest write ended, in ns
	writing sync.Mutex
	lines   sync.Mutex // the control lines
}

func newPort(name string, l line) *Port {
	return &Port{name: name, line: l, closed: make(chan struct{})}
}

// Name is the name it was opened by.
func (p *Port) Name() string { return p.name }

// Read waits for bytes from the device. It fails with os.ErrClosed after Close,
// and with another error once the device is unplugged.
func (p *Port) Read(b []byte) (int, error) {
	for len(b) > 0 {
		began := time.Now()
		n, err := p.line.Read(b)
		switch {
		case p.isClosed():
			return 0, fmt.Errorf("%s: %w", p.name, os.ErrClosed)
		case err != nil:
			return n, fmt.Errorf("it is gone, unplugged or reset: %w", err)
		case n > 0:
			return n, nil
		}
		// A time-out gives 0 bytes and no error.
		if p.check != nil {
			if err := p.check(); err != nil {
				return 0, fmt.Errorf("it is gone, unplugged or reset: %w", err)
			}
		}
		if time.Since(began) < time.Millisecond {
			time.Sleep(10 * time.Millisecond) // a driver whose time-outs do not wait
		}
	}
	return 0, nil
}

func (p *Port) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// Write gives the device bytes. One that takes none for two seconds costs the
// port: it is closed, and the error is esp.ErrStalled.
func (p *Port) Write(b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.isClosed() {
		return 0, fmt.Errorf("writing to %s: %w", p.name, os.ErrClosed)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	own := bytes.Clone(b) // a stuck write outlives this call
	go func() {
		n, err := p.writeAll(own)
		done <- result{n, err}
	}()
	t := time.NewTimer(writeTime)
	defer t.Stop()
	select {
	case r := <-done:
		p.wrote.Store(time.Now().UnixNano())
		if r.err != nil {
			return r.n, fmt.Errorf("writing to %s: %w", p.name, r.err)
		}
		return r.n, nil
	case <-p.closed:
		return 0, fmt.Errorf("writing to %s: %w", p.name, os.ErrClosed)
	case <-t.C:
		p.stalled.Store(true)
		p.Close()
		return 0, fmt.Errorf("writing to %s: %w for %v, so the port was closed", p.name, esp.ErrStalled, writeTime)
	}
}

// writeAll writes b in as many pieces as the system takes it in.
func (p *Port) writeAll(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		if p.isClosed() { // the handle may be another file's by now
			return done, os.ErrClosed
		}
		n, err := p.line.Write(b[done:])
		done += max(0, n)
		if err != nil && !interrupted(err) {
			return done, err
		}
		if n <= 0 && err == nil {
			return done, io.ErrShortWrite
		}
	}
	return done, nil
}

// Reset restarts the device by its reset line.
//
// USB-Serial-JTAG resets the chip at RTS,DTR = 1,0 and prepares a download at
// 0,1; the two transistors of a board with a bridge pull EN low at 1,0 and IO0
// at 0,1. Both are at rest at 1,1, as the port is after opening, and at 0,0. The
// order keeps clear of 0,1: DTR falls first, RTS last.
func (p *Port) Reset() error {
	p.lines.Lock()
	defer p.lines.Unlock()
	if p.isClosed() {
		return fmt.Errorf("resetting by %s: %w", p.name, os.ErrClosed)
	}
	for _, step := range []func() error{
		func() error { return p.line.SetDTR(false) },
		func() error { return p.line.SetRTS(true) }, // Windows hands DTR on with RTS
		func() error { time.Sleep(resetTime); return nil },
		func() error { return p.line.SetRTS(false) },
		func() error { return p.line.SetDTR(false) },
	} {
		if p.isClosed() { // never touch a handle that was given back
			return fmt.Errorf("resetting by %s: %w", p.name, os.ErrClosed)
		}
		err := step()
		if noLines(err) {
			return fmt.Errorf("resetting by %s: %w", p.name, ErrNoLines)
		}
		if err != nil {
			return fmt.Errorf("resetting by %s: %w", p.name, err)
		}
	}
	return nil
}

// Close closes the port, within a second, and ends a Read that waits.
func (p *Port) Close() error {
	p.closing.Do(func() {
		if left := settleTime - time.Since(time.Unix(0, p.wrote.Load())); left > 0 && !p.stalled.Load() {
			time.Sleep(left)
		}
		close(p.closed)
		p.lines.Lock() // not in the middle of a reset
		defer p.lines.Unlock()
		_ = p.line.ResetOutputBuffer() // else the driver may wait for the device
		done := make(chan error, 1)
		go func() { done <- p.line.Close() }()
		select {
		case p.fault = <-done:
		case <-time.After(closeTime):
			p.fault = fmt.Errorf("closing %s: the driver did not let go of it in %v; unplug the device if the port stays busy", p.name, closeTime)
		}
	})
	return p.fault
}
