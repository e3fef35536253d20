package virtual

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	uartTXBytes = 64 << 10
	uartRXBytes = 4 << 10
)

var (
	errConsoleBusy = errors.New("virtual device: the console is already open; close the other program's first")
	errUnplugged   = errors.New("virtual device: the console's cable is unplugged")
	errConsoleShut = errors.New("virtual device: the console was closed")
)

// uart is the device's serial port: a bounded queue in each direction, and at
// most one host at the other end. The device never waits for the host.
type uart struct {
	mu        sync.Mutex
	perSecond int64 // bytes, 0 = not limited
	tx, rx    *ring
	host      *console // nil: nobody listens, what is printed is lost
	unplugged bool
	lostLines int64
	// first is when the device first printed. Until it was opened for the first
	// time, the start is kept for two seconds, as a USB bridge would: whoever
	// starts a device and then opens it sees it boot.
	first   time.Time
	opened  bool
	txReady chan struct{} // capacity 1
	rxReady chan struct{} // capacity 1
	reset   func()
}

func newUART(baud int, reset func()) *uart {
	u := &uart{
		tx: newRing(uartTXBytes), rx: newRing(uartRXBytes),
		txReady: make(chan struct{}, 1), rxReady: make(chan struct{}, 1), reset: reset,
	}
	if baud > 0 {
		u.perSecond = int64(baud) / 10 // 8N1: ten bits a byte
	}
	return u
}

// print queues whole lines, or counts them as lost when the queue is full.
func (u *uart) print(lines []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.first.IsZero() {
		u.first = time.Now()
	}
	if u.host == nil && !u.keeps() {
		u.tx.reset()
		return
	}
	if !u.tx.push(lines) {
		u.lostLines++
		return
	}
	signal(u.txReady)
}

const keepStart = 2 * time.Second

func (u *uart) keeps() bool {
	return !u.opened && !u.unplugged && time.Since(u.first) < keepStart
}

// lost is how many lines found the queue full.
func (u *uart) lost() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lostLines
}

// read waits for bytes of the host.
func (u *uart) read(ctx context.Context, p []byte) (int, error) {
	for {
		u.mu.Lock()
		n := u.rx.peek(p)
		u.rx.drop(n)
		u.mu.Unlock()
		if n > 0 {
			return n, nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-u.rxReady:
		}
	}
}

func (u *uart) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rx.reset()
}

func (u *uart) open() (*console, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.unplugged:
		return nil, errUnplugged
	case u.host != nil:
		return nil, errConsoleBusy
	}
	if !u.keeps() {
		u.tx.reset()
	}
	u.opened = true
	u.rx.reset()
	u.host = &console{uart: u, gone: make(chan struct{})}
	return u.host, nil
}

// unplug ends the host's stream; plug lets it be opened again.
func (u *uart) plug(in bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.unplugged = !in
	if u.host != nil && !in {
		u.host.end(errUnplugged)
	}
}

// hangUp ends the host's stream with the device's power.
func (u *uart) hangUp(why error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.host != nil {
		u.host.end(why)
	}
	u.first, u.opened = time.Time{}, false
}

// signal leaves a token in a channel of capacity 1.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
