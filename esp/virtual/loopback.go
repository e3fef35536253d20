package virtual

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"dev.local/linktop/model"
)

// Path dials plain TCP and puts a model of lwIP's send buffer and of the way to
// the server before the socket: a segment's bytes reach the socket when they
// would have reached the server, and free the send buffer when their
// acknowledgement would have come back. What the server sends is held back for
// half a round trip.
type Path struct {
	Drain int64         // payload bytes per second, 0 = not limited
	RTT   time.Duration // both directions together
	Seed  uint64
	// Net opens the socket; nil = a net.Dialer.
	Net func(ctx context.Context, network, address string) (net.Conn, error)
}

// Dial is a Dialer. It takes one round trip, as a TCP handshake does.
func (p Path) Dial(ctx context.Context, address string) (Parent, error) {
	dial := p.Net
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, p.RTT); err != nil {
		conn.Close()
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		// A server that does not read is felt after this much, not after the
		// megabytes that loopback would take.
		tcp.SetWriteBuffer(16 << 10)
	}
	l := &loopback{
		conn: conn, base: time.Now(), model: newSender(p.RTT, p.Drain, p.Seed),
		wake: make(chan struct{}, 1), changed: make(chan struct{}, 1), over: make(chan struct{}),
		inbox: inbox{delay: p.RTT / 2, ready: make(chan struct{}, 1), room: make(chan struct{}, 1)},
	}
	go l.pump()
	go l.pull()
	return l, nil
}

// sendTimeout is the socket's SO_SNDTIMEO, which esp-tls sets to the connect
// time-out: a write that is blocked this long returns short.
const sendTimeout = 10 * time.Second

// lingerTime bounds how long an orderly close waits for the path to take the rest.
const lingerTime = 5 * time.Second

var errSendTimeout = errors.New("send time-out")

// loopback is a connection made by Path.
type loopback struct {
	conn net.Conn
	base time.Time

	mu     sync.Mutex
	model  *sender
	err    error // why it ended
	ending bool  // Close was called: end once the send buffer is empty

	turn    sync.Mutex    // held by the one that polls or writes
	wake    chan struct{} // capacity 1: the pump has something new to wait for
	changed chan struct{} // capacity 1: an event freed something
	over    chan struct{} // closed when it ended
	inbox   inbox
}

func (l *loopback) now() time.Duration { return time.Since(l.base) }

// pump carries segments to the socket at their time.
func (l *loopback) pump() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		l.mu.Lock()
		now := l.now()
		seg := l.model.advance(now)
		due, more := l.model.next()
		empty := l.ending && l.model.flying+l.model.queued == 0
		l.mu.Unlock()
		signal(l.changed)
		if empty {
			l.end(net.ErrClosed)
			return
		}
		if seg != nil {
			if _, err := l.conn.Write(seg.buf[:seg.n]); err != nil {
				l.end(err)
				return
			}
			l.mu.Lock()
			at := seg.landAt
			// A socket that took its time is a server that does not read: the
			// acknowledgement is late by that.
			if late := l.now(); late-now > 20*time.Millisecond {
				at = late
			}
			l.model.land(at)
			l.mu.Unlock()
			continue
		}
		wait := time.Hour
		if more {
			wait = due - l.now()
		}
		timer.Reset(wait)
		select {
		case <-l.over:
			return
		case <-l.wake:
		case <-timer.C:
		}
	}
}

// pull reads the socket and stamps what comes with its arrival at the device.
func (l *loopback) pull() {
	for {
		p := make([]byte, 4096)
		n, err := l.conn.Read(p)
		if n > 0 && !l.inbox.put(p[:n], l.over) {
			return
		}
		if err != nil {
			l.inbox.finish(err)
			return
		}
	}
}

func (l *loopback) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = why
		close(l.over)
		l.conn.Close()
	}
}

// Poll waits until more than the low-water mark is free.
func (l *loopback) Poll(ctx context.Context, timeout time.Duration) (bool, error) {
	return l.wait(ctx, timeout, func() bool { return l.model.writable() })
}

// wait waits until the model, which is locked meanwhile, satisfies ready.
func (l *loopback) wait(ctx context.Context, timeout time.Duration, ready func() bool) (bool, error) {
	l.turn.Lock()
	defer l.turn.Unlock()
	var expired <-chan time.Time
	for {
		l.mu.Lock()
		ok, err := ready(), l.err
		l.mu.Unlock()
		if err != nil {
			return false, err
		}
		if ok {
			return true, nil
		}
		if expired == nil {
			timer := time.NewTimer(timeout)
			defer timer.Stop()
			expired = timer.C
		}
		select {
		case <-l.changed:
		case <-l.over:
		case <-ctx.Done():
			return false, ctx.Err()
		case <-expired:
			return false, nil
		}
	}
}

// Write waits until all of p is in the send buffer.
func (l *loopback) Write(ctx context.Context, p []byte) (int, error) {
	started := false
	ok, err := l.wait(ctx, sendTimeout, func() bool {
		if !started && l.err == nil {
			started = true
			l.model.write(l.now(), p)
			signal(l.wake)
		}
		return l.model.done()
	})
	if ok {
		return len(p), nil
	}
	if err == nil {
		err = errSendTimeout
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !started {
		return 0, fmt.Errorf("writing %d bytes: %w", len(p), err)
	}
	sent := len(p) - l.model.abandon()
	return sent, fmt.Errorf("writing %d bytes, of which %d were taken: %w", len(p), sent, err)
}

func (l *loopback) Read(p []byte) (int, error) { return l.inbox.read(p, l.over) }

// Close lets the send buffer drain, for at most five seconds.
func (l *loopback) Close() error {
	l.mu.Lock()
	l.ending = true
	l.mu.Unlock()
	signal(l.wake)
	go func() {
		select {
		case <-l.over:
		case <-time.After(lingerTime):
			l.end(net.ErrClosed)
		}
	}()
	return nil
}

// Abort closes the socket now.
func (l *loopback) Abort() { l.end(net.ErrClosed) }

// TCP is what lwIP's control block says.
func (l *loopback) TCP() model.TCP {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.model
	t := model.TCP{
		Side:          "device",
		FreeBytes:     model.Some(int64(m.free())),
		QueueSegments: model.Some(int64(len(m.unsent) + len(m.flight))),
		FlyBytes:      model.Some(int64(m.flying)),
		CwndBytes:     model.Some(int64(m.cwnd)),
		SsthreshBytes: model.Some(int64(m.ssthresh)),
		WndBytes:      model.Some(peerWindow),
		RTOCount:      model.Some(0), // the modelled path loses nothing
		FastCount:     model.Some(0),
	}
	if m.rttSample > 0 {
		t.RTTUS = model.Some(m.rttSample.Microseconds())
	}
	return t
}

// SetSndBuf resizes the send buffer while it runs.
func (l *loopback) SetSndBuf(size int64) {
	l.mu.Lock()
	l.model.setSndBuf(int(size))
	l.mu.Unlock()
	signal(l.changed)
	signal(l.wake)
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
