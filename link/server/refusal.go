package server

import (
	"sync"
	"time"

	"dev.local/linktop/model"
)

// refusals tells of clients turned away, at most refusalsPerSecond a second;
// the others are counted, and told as one when the second is over.
type refusals struct {
	now  func() time.Time
	tell func(model.Peer) // must not panic

	mu     sync.Mutex
	since  time.Time // start of the running second
	told   int       // in it
	held   int64     // in it, not told
	last   model.Peer
	timer  *time.Timer
	closed bool
}

func (r *refusals) add(p model.Peer, reason string) {
	p.State, p.Reason = "refused", reason
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	if now := r.now(); now.Sub(r.since) >= time.Second && r.held == 0 {
		r.since, r.told = now, 0
	}
	if r.told < refusalsPerSecond {
		r.told++
		r.mu.Unlock()
		r.tell(p)
		return
	}
	r.held++
	r.last = p
	if r.timer == nil {
		r.timer = time.AfterFunc(time.Second, r.release)
	}
	r.mu.Unlock()
}

// release tells of those held back: the newest, with their count.
func (r *refusals) release() {
	r.mu.Lock()
	p, held := r.last, r.held
	r.held, r.told, r.since, r.timer = 0, 1, r.now(), nil
	r.mu.Unlock()
	if held == 0 {
		return
	}
	if held > 1 {
		p.Count = held
	}
	r.tell(p)
}

// flush tells of what is held back; nothing is told after it.
func (r *refusals) flush() {
	r.mu.Lock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	r.mu.Unlock()
	r.release()
}
