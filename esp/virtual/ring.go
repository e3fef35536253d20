package virtual

// ring is a queue of bytes of fixed capacity. It takes a piece whole or not at
// all, as the firmware's ring buffer and UART queue do.
type ring struct {
	buf  []byte
	from int
	used int
}

func newRing(capacity int) *ring { return &ring{buf: make([]byte, capacity)} }

func (r *ring) len() int { return r.used }
func (r *ring) cap() int { return len(r.buf) }
func (r *ring) reset()   { r.from, r.used = 0, 0 }

// push appends p, or nothing when it does not fit.
func (r *ring) push(p []byte) bool {
	if len(p) > len(r.buf)-r.used {
		return false
	}
	at := (r.from + r.used) % len(r.buf)
	n := copy(r.buf[at:], p)
	copy(r.buf, p[n:])
	r.used += len(p)
	return true
}

// peek copies the oldest bytes to p and leaves them in the queue.
func (r *ring) peek(p []byte) int {
	n := min(len(p), r.used)
	k := copy(p[:n], r.buf[r.from:])
	copy(p[k:n], r.buf)
	return n
}

// drop takes the n oldest bytes away.
func (r *ring) drop(n int) {
	n = min(n, r.used)
	r.from = (r.from + n) % len(r.buf)
	r.used -= n
}
