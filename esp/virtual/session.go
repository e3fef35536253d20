package virtual

import (
	"context"
	"time"

	"dev.local/linktop/model"
)

// session is the state of the WebSocket task while connected.
type session struct {
	*connection
	moves   int  // as the URL in use was told
	open    bool // session_start was sent
	until   time.Time
	sets    settings
	gate    time.Time // no frame before it
	inBurst int64
	idled   bool // the next frame is the first after an idle

	held      []byte // a text frame that was put off
	reportSeq int64
	reportAt  time.Time
	askedAt   time.Time // when the last report was sent, zero once answered
	rtt       time.Duration
}

// serve is the WebSocket task while connected: the JSON queue first, then at
// most four frames, then one look at what came. It returns when the connection
// is over; moved: because another URL was told.
func (c *connection) serve(ctx context.Context, moves int) (moved bool) {
	f := c.fw
	s := &session{connection: c, moves: moves}
	f.mu.Lock()
	f.wsState = "up"
	f.queue = nil
	f.answers[overWS] = &answers{}
	f.stream.fresh = f.stream.on
	s.sets = f.settings
	f.mu.Unlock()
	c.parent.SetSndBuf(s.sets.sndbuf)
	defer func() {
		f.mu.Lock()
		f.wsState = "connecting"
		f.mu.Unlock()
		c.lose()
		if c.left {
			// The rest of the send buffer still goes out, while there is power.
			context.AfterFunc(f.life, c.parent.Abort)
		} else {
			c.parent.Abort()
		}
	}()

	for ctx.Err() == nil {
		s.adopt()
		f.mu.Lock()
		moved = s.moved()
		f.mu.Unlock()
		if moved {
			s.leave("url")
			return true
		}
		switch worked, result := s.round(); {
		case result == broken:
			return false
		case c.life.Err() != nil:
			return false
		case !worked:
			s.wait()
		}
	}
	return false
}

// adopt puts changed settings in force: a wait for the old ones is over.
func (s *session) adopt() {
	sets, changed := s.fw.markSettings()
	if !changed || sets == s.sets {
		return
	}
	s.sets = sets
	s.gate, s.inBurst, s.idled = time.Time{}, 0, false
	s.parent.SetSndBuf(sets.sndbuf)
}

// moved tells whether another URL was told; the firmware is locked.
func (s *session) moved() bool { return s.fw.moves != s.moves }

// round is one turn of the loop; worked: there was something to do.
func (s *session) round() (worked bool, result outcome) {
	if did, result := s.control(); did || result == broken {
		return true, result
	}
	for {
		text, ok := s.nextText()
		if !ok {
			break
		}
		worked = true
		wait, done := s.cuttable()
		result := s.send(wait, model.OpText, text, false)
		done()
		switch result {
		case broken:
			return true, broken
		case putOff:
			s.held = text // nothing stands before it: what it counts stays true
			return true, sent
		}
	}
	for range framesPerLoop {
		result, did := s.frame()
		if result != sent || !did {
			if result == broken {
				return true, broken
			}
			worked = worked || result == putOff
			break
		}
		worked = true
		if s.urgent() {
			break
		}
	}
	select {
	case r := <-s.reports:
		worked = true
		if r.Seq == s.reportSeq && !s.askedAt.IsZero() {
			s.rtt, s.askedAt = time.Since(s.askedAt), time.Time{}
		}
	default:
	}
	return worked, sent
}

// urgent tells whether something stands before the next frame.
func (s *session) urgent() bool {
	s.fw.mu.Lock()
	defer s.fw.mu.Unlock()
	f := s.fw
	return f.mark || s.moved() || len(f.queue) > 0 || len(s.pongs) > 0 || len(s.closing) > 0 || len(s.reports) > 0 || s.life.Err() != nil || f.stream.fresh ||
		f.stream.stop != "" || s.open && !time.Now().Before(s.reportAt)
}

// control answers pings and the server's close.
func (s *session) control() (bool, outcome) {
	select {
	case data := <-s.pongs:
		wait, done := s.cuttable()
		defer done()
		result := s.connection.control(wait, model.OpPong, data)
		if result == putOff {
			select {
			case s.pongs <- data:
			default: // newer pings wait, and stand for it
			}
		}
		return true, result
	case code := <-s.closing:
		s.fw.log('W', "websocket_client", "server closed the connection, code %d", code)
		s.hangUp(code)
		return true, broken
	default:
		return false, sent
	}
}

// cuttable is a context for a poll that hurry may end, and what ends its use.
// A change that came just before ends it at once.
func (s *session) cuttable() (wait context.Context, done func()) {
	f := s.fw
	wait, cut := context.WithCancel(s.life)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cutPoll = cut
	if f.mark || s.moved() {
		cut()
	}
	return wait, func() {
		f.mu.Lock()
		f.cutPoll = nil
		f.mu.Unlock()
		cut()
	}
}

// frame sends the next frame of audio, if its time has come.
func (s *session) frame() (result outcome, did bool) {
	f := s.fw
	if !s.open || time.Now().Before(s.gate) {
		return sent, false
	}
	s.adopt()
	f.mu.Lock()
	n, _ := f.audio.ready(&s.sets)
	if n == 0 {
		f.mu.Unlock()
		return sent, false
	}
	if cap(s.buf) < n {
		s.buf = make([]byte, model.MaxFrameBytes)
	}
	payload := s.buf[:f.audio.ring.peek(s.buf[:n])]
	f.mu.Unlock()

	wait, done := s.cuttable()
	result = s.send(wait, model.OpBinary, payload, s.idled)
	done()
	if result != sent {
		return result, false
	}
	f.mu.Lock()
	f.audio.took(n)
	f.mu.Unlock()
	s.idled = false
	now := time.Now()
	if s.sets.pace > 0 {
		s.gate = now.Add(time.Duration(s.sets.pace) * time.Millisecond)
	}
	if s.inBurst++; s.sets.burst > 0 && s.inBurst >= s.sets.burst {
		s.inBurst, s.idled = 0, s.sets.idle > 0
		s.gate = now.Add(time.Duration(max(s.sets.idle, s.sets.pace)) * time.Millisecond)
	}
	return sent, true
}

// wait sleeps until something is to be done.
func (s *session) wait() {
	next := time.Now().Add(time.Hour)
	earlier := func(t time.Time) {
		if !t.IsZero() && t.Before(next) {
			next = t
		}
	}
	if s.open {
		earlier(s.reportAt)
		earlier(s.until)
		s.fw.mu.Lock()
		n, later := s.fw.audio.ready(&s.sets)
		s.fw.mu.Unlock()
		if n > 0 || later > 0 {
			now := time.Now().Add(later)
			if s.gate.After(now) {
				now = s.gate
			}
			earlier(now)
		}
	}
	timer := time.NewTimer(time.Until(next))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.fw.wake:
	case <-s.life.Done():
	}
}

// leave ends session and connection in order.
func (s *session) leave(reason string) {
	for _, text := range [][]byte{s.held, sessionEnd(reason)} {
		if text != nil && s.open && s.send(s.life, model.OpText, text, false) != sent {
			return
		}
	}
	s.hangUp(1000)
}

// hangUp sends a close frame and lets what is queued go out.
func (s *session) hangUp(code int) {
	if s.connection.control(s.life, model.OpClose, []byte{byte(code >> 8), byte(code)}) == sent {
		s.left = s.parent.Close() == nil
	}
}
