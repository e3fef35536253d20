package virtual

import (
	"fmt"
	"strconv"
	"strings"

	"dev.local/linktop/model"
)

// settings are what the WebSocket task sends by.
type settings struct {
	frame, burst, idle, pace, sndbuf int64
	agg                              agg
	codec                            string
}

// agg says when less than a whole frame is sent. Off while wait is 0.
type agg struct {
	wait    int64 // ms the oldest byte may wait
	vad     bool  // flush when speech ends
	backlog int64 // ms; above it only whole frames go out
}

func defaultSettings() settings {
	return settings{frame: 4096, sndbuf: model.SndBuf, codec: codecPCM16}
}

// refusal is why a command was not done: an error code of the protocol and
// words that explain it.
type refusal struct{ code, words string }

func (r *refusal) Error() string { return r.code + " " + r.words }

func refuse(code, format string, args ...any) *refusal {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// set changes what the words ask, all or nothing.
func (s *settings) set(words []string) *refusal {
	if len(words) == 0 {
		return refuse("parse", "need=key=value")
	}
	next := *s
	seen := map[string]bool{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || value == "" || seen[key] {
			return refuse("parse", "word=%s", printable(word))
		}
		seen[key] = true
		if r := next.one(key, value); r != nil {
			return r
		}
	}
	*s = next
	return nil
}

func (s *settings) one(key, value string) *refusal {
	switch key {
	case model.KeyFrame:
		return whole(&s.frame, key, value, model.MinFrameBytes, model.MaxFrameBytes, 2)
	case model.KeyBurst:
		return whole(&s.burst, key, value, 0, model.MaxBurstFrames, 1)
	case model.KeyIdle:
		return whole(&s.idle, key, value, 0, model.MaxIdleMS, 1)
	case model.KeyPace:
		return whole(&s.pace, key, value, 0, model.MaxPaceMS, 1)
	case model.KeySndBuf:
		return whole(&s.sndbuf, key, value, model.MinSndBufBytes, model.MaxSndBufBytes, 1)
	case model.KeyAgg:
		return s.agg.set(value)
	case model.KeyCodec:
		switch value {
		case codecPCM16, codecPCM8k, codecADPCM:
			s.codec = value
			return nil
		case "opus":
			return refuse("unsupported", "key=%s", key)
		}
		return refuse("range", "key=%s one=pcm16,pcm8k,adpcm", key)
	}
	return refuse("unknown", "key=%s", printable(key))
}

func whole(to *int64, key, value string, low, high, step int64) *refusal {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil && !isRange(err) {
		return refuse("parse", "key=%s", key)
	}
	if err != nil || n < low || n > high {
		return refuse("range", "key=%s min=%d max=%d", key, low, high)
	}
	if n%step != 0 {
		return refuse("range", "key=%s min=%d max=%d step=%d", key, low, high, step)
	}
	*to = n
	return nil
}

// isRange tells a number that is too long from what is no number.
func isRange(err error) bool {
	return strings.HasSuffix(err.Error(), strconv.ErrRange.Error())
}

// set reads "off" or "wait=200,max=frame[,vad=1][,backlog=400]".
func (a *agg) set(value string) *refusal {
	if value == "off" {
		*a = agg{}
		return nil
	}
	var next agg
	for part := range strings.SplitSeq(value, ",") {
		key, v, _ := strings.Cut(part, "=")
		var r *refusal
		switch {
		case key == "wait":
			r = whole(&next.wait, "agg.wait", v, 5, 1000, 1)
		case key == "backlog":
			r = whole(&next.backlog, "agg.backlog", v, 0, 2048, 1)
		case part == "max=frame", part == "vad=0":
		case part == "vad=1":
			next.vad = true
		default:
			r = refuse("parse", "key=%s", model.KeyAgg)
		}
		if r != nil {
			return r
		}
	}
	if next.wait == 0 {
		return refuse("parse", "key=%s", model.KeyAgg)
	}
	*a = next
	return nil
}

func (a agg) String() string {
	if a.wait == 0 {
		return "off"
	}
	s := fmt.Sprintf("wait=%d,max=frame", a.wait)
	if a.vad {
		s += ",vad=1"
	}
	if a.backlog > 0 {
		s += fmt.Sprintf(",backlog=%d", a.backlog)
	}
	return s
}

// String is the settings as answers and `LT cfg` lines carry them.
func (s settings) String() string {
	return fmt.Sprintf("frame=%d burst=%d idle=%d pace=%d agg=%s codec=%s sndbuf=%d",
		s.frame, s.burst, s.idle, s.pace, s.agg, s.codec, s.sndbuf)
}

// printable is a word of the host as an answer can repeat it.
func printable(word string) string {
	var b strings.Builder
	for _, c := range []byte(word) {
		if b.Len() == 24 {
			break
		}
		if c <= ' ' || c >= 0x7f || c == '=' {
			c = '?'
		}
		b.WriteByte(c)
	}
	return b.String()
}
