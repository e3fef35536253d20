package virtual

import (
	"math/rand/v2"
	"time"

	"dev.local/linktop/model"
)

// receiver decides when the server's kernel acknowledges, as Linux does: at
// once for the first segments of a connection and after a long idle ("quick"),
// else for more than one full segment, else after the delayed-ACK time.
type receiver struct {
	rtt     time.Duration
	rng     *rand.Rand
	quick   int
	pending int // bytes received, not acknowledged
	timed   bool
	ackAt   time.Duration // of the delayed ACK, while timed
	last    time.Duration
}

const (
	quickAcks    = 16
	delayedAck   = 40 * time.Millisecond
	delayedSlack = 3 * time.Millisecond
)

func newReceiver(rtt time.Duration, rng *rand.Rand) receiver {
	return receiver{rtt: rtt, rng: rng, quick: quickAcks}
}

// data tells whether the arrival of n bytes is acknowledged at once.
func (r *receiver) data(at time.Duration, n int, push bool) bool {
	// Linux takes a silence above its own RTO for a restart of the sender.
	if at-r.last > max(3*r.rtt, 200*time.Millisecond) {
		r.quick = quickAcks
	}
	r.last = at
	r.pending += n
	if r.quick > 0 {
		r.quick--
		return true
	}
	if r.pending > model.MSS || push {
		return true
	}
	if !r.timed {
		r.timed = true
		r.ackAt = at + delayedAck + time.Duration(r.rng.Int64N(int64(delayedSlack)))
	}
	return false
}

// take empties what is to be acknowledged.
func (r *receiver) take() int {
	n := r.pending
	r.pending, r.timed = 0, false
	return n
}
