package virtual

import (
	"encoding/json"
	"time"
)

// message is a text frame that waits to be sent. Its bytes are made when its
// turn has come, so that counts in it are those of the stream before it.
type message func() []byte

const queueLen = 16

// enqueue puts a message before the audio; one too many is lost and counted.
func (f *firmware) enqueue(m message) {
	f.mu.Lock()
	if len(f.queue) < queueLen {
		f.queue = append(f.queue, m)
	} else {
		f.lostJSON++
	}
	f.mu.Unlock()
	signal(f.wake)
}

func (f *firmware) dequeue() (message, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 {
		return nil, false
	}
	m := f.queue[0]
	f.queue = f.queue[1:]
	return m, true
}

// nextText is the next text frame: the end and start of sessions, answers, and
// the report that is due.
func (s *session) nextText() ([]byte, bool) {
	if text := s.held; text != nil {
		s.held = nil
		return text, true
	}
	f := s.fw
	f.mu.Lock()
	if s.open && f.stream.on && !s.until.IsZero() && !time.Now().Before(s.until) && !f.stream.fresh && f.stream.stop == "" {
		f.stream = stream{stop: "done"}
	}
	ends, fresh, run, dur := f.stream.stop, f.stream.fresh, f.stream.run, f.stream.dur
	f.stream.stop = ""
	starts := fresh && !(ends != "" && s.open)
	if starts {
		f.audio.restart()
		f.stream.fresh = false
	}
	f.mu.Unlock()
	switch {
	case ends != "" && s.open:
		s.open = false
		return sessionEnd(ends), true
	case starts:
		now := time.Now()
		s.open, s.reportSeq, s.rtt, s.askedAt, s.reportAt = true, 0, 0, time.Time{}, now.Add(reportEvery)
		s.gate, s.inBurst, s.until = time.Time{}, 0, time.Time{}
		if dur > 0 {
			s.until = now.Add(dur)
		}
		return f.sessionStart(s.kind, run), true
	}
	if m, ok := f.dequeue(); ok {
		return m(), true
	}
	if now := time.Now(); s.open && !now.Before(s.reportAt) {
		// Late reports are not made up for.
		s.reportAt = s.reportAt.Add(reportEvery)
		if s.reportAt.Before(now) {
			s.reportAt = now.Add(reportEvery)
		}
		s.reportSeq++
		s.askedAt = now
		return f.senderReport(s.reportSeq, s.rtt), true
	}
	return nil, false
}

func answerMessage(line string) message {
	return func() []byte {
		return encode(struct {
			Type string `json:"type"`
			Line string `json:"line"`
		}{"lt", line})
	}
}

// sessionStart is the first message of a session.
func (f *firmware) sessionStart(kind, run string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	scheme, format, rate := "ws", "pcm_s16le", 16000
	if kind == "ssl" {
		scheme = "wss"
	}
	switch f.settings.codec {
	case codecPCM8k:
		rate = 8000
	case codecADPCM:
		format = "ima_adpcm"
	}
	return encode(struct {
		Type       string `json:"type"`
		Device     string `json:"device"`
		FW         string `json:"fw"`
		Format     string `json:"format"`
		Rate       int    `json:"rate"`
		Channels   int    `json:"channels"`
		FrameBytes int64  `json:"frame_bytes"`
		Scheme     string `json:"scheme"`
		Run        string `json:"run,omitempty"`
	}{"session_start", f.opts.Name, firmwareName, format, rate, 1, f.settings.frame, scheme, run})
}

func sessionEnd(reason string) []byte {
	return encode(struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	}{"session_end", reason})
}

// senderReport is audio_sr: the device's accounts since session_start.
func (f *firmware) senderReport(seq int64, rtt time.Duration) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := &f.audio
	r := struct {
		Type          string `json:"type"`
		Seq           int64  `json:"seq"`
		TMS           int64  `json:"t_ms"`
		ProducedBytes int64  `json:"produced_bytes"`
		SentBytes     int64  `json:"sent_bytes"`
		SentFrames    int64  `json:"sent_frames"`
		DroppedBytes  int64  `json:"dropped_bytes"`
		DropCount     int64  `json:"drop_count"`
		RingbufMS     int64  `json:"ringbuf_ms"`
		RingbufMaxMS  int64  `json:"ringbuf_max_ms"`
		RTTMS         int64  `json:"rtt_ms,omitempty"`
		RSSI          int64  `json:"rssi"`
		Heap          int64  `json:"heap"`
	}{
		"audio_sr", seq, f.uptime().Milliseconds(), a.produced, a.sent, a.frames, a.dropped, a.drops,
		backlogMS(a.ring.len()), backlogMS(a.highest), rtt.Milliseconds(), f.rssi(), f.heap(),
	}
	a.highest = a.ring.len()
	return encode(r)
}

// encode never fails: what it is given has only numbers and strings.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(`{"type":"error"}`)
	}
	return b
}
