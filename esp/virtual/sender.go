package virtual

import (
	"math/rand/v2"
	"time"

	"dev.local/linktop/model"
)

// sender is lwIP's sending side and the path to the receiver and back, as a
// pure model: it knows no clock and does no I/O. Times are nominal, counted
// from the connection's start, so that a late timer does not stretch a round
// trip.
//
// The rules are those of lwIP 2.1 with ESP-IDF's settings: a write is packed
// into segments of at most one MSS; the last, partly filled one waits while
// anything is in flight (Nagle); the congestion window starts at 4380 bytes;
// an acknowledgement first refills a blocked write, then lets segments go.
type sender struct {
	rtt   time.Duration
	drain int64 // bytes per second, 0 = not limited
	rng   *rand.Rand

	sndBuf, lowWater int
	cwnd, ssthresh   int
	grown            int // bytes acknowledged towards the next step above ssthresh

	unsent []*segment
	flight []*segment // sent, not acknowledged, oldest first
	landed int        // how many of flight have arrived
	spare  []*segment

	queued, flying int // bytes unsent, bytes not acknowledged
	blocked        []byte

	lineFree  time.Duration // when the bottleneck is free
	lastLand  time.Duration
	lastAckAt time.Duration
	acks      []ack
	recv      receiver

	rttSample time.Duration
}

// segment is what leaves as one TCP segment.
type segment struct {
	buf    [model.MSS]byte
	n      int
	push   bool // holds the end of a write
	sentAt time.Duration
	landAt time.Duration
}

// ack is an acknowledgement of that many bytes on its way back.
type ack struct {
	at    time.Duration
	bytes int
}

const (
	// initialCwnd is lwIP's LWIP_TCP_CALCULATE_INITIAL_CWND for an MSS of 1440.
	initialCwnd = 4380
	// peerWindow is what Linux offers at first to such a sender.
	peerWindow = 65160
	// jitter is the share by which a packet's delay varies, up or down.
	jitter = 0.02
)

func newSender(rtt time.Duration, drain int64, seed uint64) *sender {
	s := &sender{
		rtt: rtt, drain: drain, rng: rand.New(rand.NewPCG(seed, 0x6c696e6b)),
		cwnd: initialCwnd, ssthresh: model.SndBuf,
	}
	s.setSndBuf(model.SndBuf)
	s.recv = newReceiver(rtt, s.rng)
	return s
}

func (s *sender) setSndBuf(size int) {
	s.sndBuf = size
	s.lowWater = int(model.LowWater(int64(size)))
}

// free is SND_BUF − unsent − not acknowledged.
func (s *sender) free() int { return max(0, s.sndBuf-s.queued-s.flying) }

func (s *sender) writable() bool { return s.free() > s.lowWater && len(s.blocked) == 0 }

// write starts a write of p, which may block: done tells when all of it is in
// the buffer. p must stay as it is until then.
func (s *sender) write(now time.Duration, p []byte) {
	s.blocked = p
	s.fill()
	s.output(now)
}

func (s *sender) done() bool { return len(s.blocked) == 0 }

// abandon gives a blocked write up and tells how much of it was left.
func (s *sender) abandon() int {
	left := len(s.blocked)
	s.blocked = nil
	return left
}

// fill moves as much of the blocked write as there is room for.
func (s *sender) fill() {
	for room := min(s.free(), len(s.blocked)); room > 0; room = min(s.free(), len(s.blocked)) {
		var tail *segment
		if k := len(s.unsent); k > 0 && s.unsent[k-1].n < model.MSS {
			tail = s.unsent[k-1]
		} else {
			tail = s.segment()
			s.unsent = append(s.unsent, tail)
		}
		n := copy(tail.buf[tail.n:], s.blocked[:room])
		tail.n += n
		s.queued += n
		s.blocked = s.blocked[n:]
		tail.push = tail.push || len(s.blocked) == 0
	}
}

func (s *sender) segment() *segment {
	if k := len(s.spare); k > 0 {
		g := s.spare[k-1]
		s.spare = s.spare[:k-1]
		g.n, g.push = 0, false
		return g
	}
	return new(segment)
}

// output is tcp_output: it sends what Nagle and the windows allow.
func (s *sender) output(now time.Duration) {
	for len(s.unsent) > 0 {
		g := s.unsent[0]
		waits := s.flying > 0 && len(s.unsent) == 1 && g.n < model.MSS && s.free() > 0
		if waits || s.flying+g.n > min(s.cwnd, peerWindow) {
			return
		}
		s.unsent = s.unsent[:copy(s.unsent, s.unsent[1:])]
		s.queued -= g.n
		s.flying += g.n
		leaves := max(now, s.lineFree)
		if s.drain > 0 {
			leaves += time.Duration(int64(g.n) * int64(time.Second) / s.drain)
		}
		s.lineFree = leaves
		g.sentAt = now
		g.landAt = max(leaves+s.oneWay(), s.lastLand)
		s.lastLand = g.landAt
		s.flight = append(s.flight, g)
	}
}

// oneWay is the delay of one packet in one direction.
func (s *sender) oneWay() time.Duration {
	return time.Duration(float64(s.rtt) / 2 * (1 + jitter*(2*s.rng.Float64()-1)))
}

// next is when something happens by itself.
func (s *sender) next() (at time.Duration, ok bool) {
	earlier := func(t time.Duration) {
		if !ok || t < at {
			at, ok = t, true
		}
	}
	if s.landed < len(s.flight) {
		earlier(s.flight[s.landed].landAt)
	}
	if s.recv.pending > 0 && s.recv.timed {
		earlier(s.recv.ackAt)
	}
	if len(s.acks) > 0 {
		earlier(s.acks[0].at)
	}
	return at, ok
}

// advance lets everything happen that is due by now, in order, up to the next
// segment that lands: the caller hands its bytes on and then calls land. nil:
// all is done.
func (s *sender) advance(now time.Duration) *segment {
	for {
		at, ok := s.next()
		if !ok || at > now {
			return nil
		}
		switch {
		case len(s.acks) > 0 && s.acks[0].at == at:
			s.acknowledged(s.acks[0])
			s.acks = s.acks[:copy(s.acks, s.acks[1:])]
		case s.recv.pending > 0 && s.recv.timed && s.recv.ackAt == at:
			s.answer(at)
		default:
			return s.flight[s.landed]
		}
	}
}

// land is the arrival of the segment that advance returned.
func (s *sender) land(at time.Duration) {
	g := s.flight[s.landed]
	s.landed++
	if s.recv.data(at, g.n, g.push) {
		s.answer(at)
	}
}

// answer sends the receiver's acknowledgement on its way.
func (s *sender) answer(at time.Duration) {
	s.lastAckAt = max(at+s.oneWay(), s.lastAckAt)
	s.acks = append(s.acks, ack{s.lastAckAt, s.recv.take()})
}

// acknowledged is tcp_receive for an acknowledgement.
func (s *sender) acknowledged(a ack) {
	s.flying -= a.bytes
	for left := a.bytes; left > 0; {
		g := s.flight[0]
		left -= g.n
		s.rttSample = a.at - g.sentAt
		s.spare = append(s.spare, g)
		s.flight = s.flight[:copy(s.flight, s.flight[1:])]
		s.landed--
	}
	if s.cwnd < s.ssthresh {
		s.cwnd += min(a.bytes, 2*model.MSS)
	} else if s.grown += a.bytes; s.grown >= s.cwnd {
		s.grown -= s.cwnd
		s.cwnd += model.MSS
	}
	s.cwnd = min(s.cwnd, peerWindow)
	s.fill()
	s.output(a.at)
}
