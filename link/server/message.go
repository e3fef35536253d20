package server

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"dev.local/linktop/model"
)

// fields are a text message's, by key. Taking one removes it: what remains in
// the end is what linktop does not know.
type fields map[string]json.RawMessage

// parseFields reads a JSON object; anything else is none.
func parseFields(text []byte) (fields, bool) {
	var f fields
	if err := json.Unmarshal(bytes.ToValidUTF8(text, []byte(" ")), &f); err != nil || f == nil {
		return nil, false
	}
	return f, true
}

// word takes a short string, cleaned. A value of another type stays.
func (f fields) word(key string) string { return f.words(key, wordBytes) }

// words takes a string of at most limit bytes, cleaned.
func (f fields) words(key string, limit int) string {
	var s string
	raw, ok := f[key]
	if !ok || len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	delete(f, key)
	return clean(s, limit)
}

// number takes a number, rounded to a whole one. A value of another type, or
// one too large to count with, stays.
func (f fields) number(key string) model.Opt {
	raw, ok := f[key]
	if !ok {
		return 0
	}
	v, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		x, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || math.Abs(x) > 1<<53 || math.IsNaN(x) {
			return 0
		}
		v = int64(math.Round(x))
	}
	if v == math.MaxInt64 {
		return 0 // model.Opt has no room for it
	}
	delete(f, key)
	return model.Some(v)
}

// rest is what was not taken, as JSON that is safe to show; nil when nothing is
// left.
func (f fields) rest() map[string]json.RawMessage {
	if len(f) == 0 {
		return nil
	}
	out := make(map[string]json.RawMessage, len(f))
	for k, v := range f {
		// Characters of this kind can stand within strings only: what is JSON
		// stays JSON.
		out[clean(k, wordBytes)] = bytes.Map(visible, v)
	}
	return out
}

func (f fields) sessionStart() *model.SessionStart {
	return &model.SessionStart{
		Device: f.word("device"), FW: f.word("fw"), Format: f.word("format"),
		Rate: f.number("rate"), Channels: f.number("channels"), FrameBytes: f.number("frame_bytes"),
		Scheme: f.word("scheme"), Run: f.word("run"), Extra: f.rest(),
	}
}

func (f fields) senderReport() *model.SenderReport {
	r := &model.SenderReport{
		Seq: f.number("seq"), TMS: f.number("t_ms"),
		ProducedBytes: f.number("produced_bytes"), SentBytes: f.number("sent_bytes"), SentFrames: f.number("sent_frames"),
		DroppedBytes: f.number("dropped_bytes"), DropCount: f.number("drop_count"),
		RingbufMS: f.number("ringbuf_ms"), RingbufMaxMS: f.number("ringbuf_max_ms"),
		RTTMS: f.number("rtt_ms"), RSSI: f.number("rssi"), Heap: f.number("heap"),
	}
	r.Extra = f.rest()
	return r
}

// reply is the wire form of audio_rr. What is echoed goes back as it came.
type reply struct {
	Type           string          `json:"type"`
	Seq            json.RawMessage `json:"seq,omitempty"`
	TMS            json.RawMessage `json:"t_ms,omitempty"`
	ReceivedBytes  int64           `json:"received_bytes"`
	ReceivedFrames int64           `json:"received_frames"`
	ServerMS       int64           `json:"server_ms"`
}

// echo is a value fit to go back: a short number or string.
func (f fields) echo(key string) json.RawMessage {
	const longest = 40
	raw := f[key]
	if len(raw) == 0 || len(raw) > longest || raw[0] != '"' && raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return nil
	}
	return raw
}

// command is the wire form of a command line, both ways.
type command struct {
	Type string `json:"type"`
	Line string `json:"line"`
}
