package virtual

import (
	"io"
	"net"
	"sync"
	"time"
)

// inbox holds what the server sent until its way to the device is over.
type inbox struct {
	delay time.Duration
	ready chan struct{} // capacity 1: something was put or finished
	room  chan struct{} // capacity 1: something was taken

	mu     sync.Mutex
	parts  []arrival
	bytes  int
	failed error
}

type arrival struct {
	data []byte
	due  time.Time
}

// inboxBytes bounds what is on the way, as the device's receive window does.
const inboxBytes = 64 << 10

// put queues p; false when over was closed first.
func (b *inbox) put(p []byte, over <-chan struct{}) bool {
	for {
		b.mu.Lock()
		fits := b.bytes+len(p) <= inboxBytes
		if fits {
			b.parts = append(b.parts, arrival{p, time.Now().Add(b.delay)})
			b.bytes += len(p)
		}
		b.mu.Unlock()
		if fits {
			signal(b.ready)
			return true
		}
		select {
		case <-b.room:
		case <-over:
			return false
		}
	}
}

func (b *inbox) finish(err error) {
	b.mu.Lock()
	b.failed = err
	b.mu.Unlock()
	signal(b.ready)
}

// read waits for the next bytes to be due.
func (b *inbox) read(p []byte, over <-chan struct{}) (int, error) {
	for {
		n, wait, err := b.take(p)
		if n > 0 || err != nil {
			return n, err
		}
		var due <-chan time.Time
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-b.ready:
		case <-due:
		case <-over:
			return 0, net.ErrClosed
		}
	}
}

// take moves due bytes to p, or tells how long the next ones take.
func (b *inbox) take(p []byte) (n int, wait time.Duration, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.parts) == 0 {
		if b.failed != nil {
			return 0, 0, b.failed
		}
		if len(p) == 0 {
			return 0, 0, io.ErrShortBuffer
		}
		return 0, 0, nil
	}
	first := &b.parts[0]
	if wait := time.Until(first.due); wait > 0 {
		return 0, wait, nil
	}
	n = copy(p, first.data)
	first.data = first.data[n:]
	b.bytes -= n
	if len(first.data) == 0 {
		b.parts = b.parts[:copy(b.parts, b.parts[1:])]
	}
	signal(b.room)
	return n, 0, nil
}
