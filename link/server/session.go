package server

import (
	"encoding/json"
	"time"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// session is the accounts of one connection since its session_start, or since
// it opened where none came.
type session struct {
	started bool
	startAt time.Time
	frames  int64
	bytes   int64
	last    time.Time // arrival of the newest frame
	delay   model.Opt // session_start → first frame, ms

	bin model.Binary // told of again and again
}

// start opens new accounts: the device counts from its session_start too.
func (s *session) start(at time.Time) {
	*s = session{started: true, startAt: at, bin: model.Binary{Peer: s.bin.Peer}}
}

// binary counts a frame. What it returns is valid until the next one.
func (s *session) binary(at time.Time, n int64) *model.Binary {
	s.frames++
	s.bytes += n
	s.bin.N, s.bin.LenBytes, s.bin.GapUS = s.frames, n, 0
	if s.frames > 1 {
		s.bin.GapUS = model.Some(max(0, at.Sub(s.last).Microseconds()))
	} else if s.started {
		s.delay = model.Some(max(0, at.Sub(s.startAt).Milliseconds()))
	}
	s.last = at
	return &s.bin
}

// message handles a text frame. Nothing in one is an error: what is not known
// is kept as it is.
func (c *conn) message(at time.Time, text []byte) {
	f, ok := parseFields(text)
	if !ok {
		c.unknown(at, "", text)
		return
	}
	switch kind := f.word("type"); kind {
	case "session_start":
		c.session.start(at)
		start := f.sessionStart()
		start.Peer = c.id
		c.s.emitAt(at, start)
	case "session_end":
		c.session.started = false
		c.s.emitAt(at, &model.SessionEnd{Peer: c.id, Reason: f.word("reason"), Extra: f.rest()})
	case "audio_sr":
		c.report(at, f)
	case "lt":
		c.answer(at, f, text)
	default:
		c.unknown(at, kind, text)
	}
}

func (c *conn) unknown(at time.Time, kind string, text []byte) {
	c.s.emitAt(at, &model.Message{Peer: c.id, Type: kind, Raw: cleanText(nil, text, rawBytes)})
}

// report answers a sender report at once and tells of both.
func (c *conn) report(at time.Time, f fields) {
	answer := reply{
		Type: "audio_rr", Seq: f.echo("seq"), TMS: f.echo("t_ms"),
		ReceivedBytes: c.session.bytes, ReceivedFrames: c.session.frames, ServerMS: at.UnixMilli(),
	}
	b, err := json.Marshal(answer)
	queued := err == nil && c.queue(b)
	sr := f.senderReport()
	sr.Peer = c.id
	c.s.emitAt(at, sr)
	if !queued {
		return
	}
	c.s.emitAt(at, &model.ReceiverReport{
		Peer: c.id, Seq: sr.Seq, TMS: sr.TMS,
		ReceivedBytes: answer.ReceivedBytes, ReceivedFrames: answer.ReceivedFrames, ServerMS: answer.ServerMS,
		FirstBinaryDelayMS: c.session.delay,
	})
}

// answer tells of the device's answer to a command.
func (c *conn) answer(at time.Time, f fields, text []byte) {
	if a, ok := trace.ParseAnswer([]byte(f.words("line", rawBytes))); ok {
		a.Via = "ws"
		c.s.emitAt(at, a)
		return
	}
	c.unknown(at, "lt", text)
}
