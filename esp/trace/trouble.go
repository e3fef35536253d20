package trace

import (
	"bytes"

	"dev.local/linktop/model"
)

// trouble is a failure whose lines are still coming: the transport, the
// WebSocket layer and the client each report the same one.
type trouble struct {
	symptom
	at     stamp
	time   timeKind
	value  int64  // ms, of its newest line
	tag    []byte // of its first line
	detail []byte
	marks  uint32 // symptoms it has shown
	lines  int
	told   bool // what still comes of it adds nothing
}

const (
	// troubleLines is how many lines one failure may take.
	troubleLines = 24
	// troubleMS is how far they may lie apart.
	troubleMS = 1000
	// maxDetail is what is kept of them, in bytes.
	maxDetail = 1 << 10
)

// near tells whether a line is close enough in time to belong to the failure.
func (d *Decoder) near(h *head) bool {
	t := &d.trouble
	if h.time != t.time || h.time == timeNone {
		return true
	}
	apart := h.value - t.value
	return apart <= troubleMS && apart >= -troubleMS
}

// belongs tells whether a line goes on about the failure.
func (t *trouble) belongs(h *head, near bool) bool {
	switch {
	case t.lines >= troubleLines || !near:
		return false
	case t.area == "watchdog":
		return bytes.Equal(h.tag, []byte("task_wdt"))
	case h.level == 0:
		return t.code == codeUpgrade && httpHeader(h.text)
	case h.level == 'I' || !ofNetwork(h.tag):
		return false
	}
	s := symptomOf(h)
	if s.mark == 0 {
		return true
	}
	again := t.marks&s.mark != 0 && bytes.Equal(h.tag, t.tag)
	return !again && !(s.rank == certain && t.rank == certain && s.code != t.code)
}

// troubleLine tells failures, most of them once their lines have ended.
func (d *Decoder) troubleLine(h *head) bool {
	t := &d.trouble
	if d.waiting&waitTrouble != 0 && t.belongs(h, d.near(h)) {
		t.add(h, symptomOf(h))
		return true
	}
	if s := faultOf(h); s.area != "" {
		detail := h.text
		if s.area == "console" && s.code == codeUnknownCommand {
			detail = afterPrompt(d.echo)
		}
		d.tell(&model.Fault{Area: s.area, Code: s.code, Meaning: s.meaning, Detail: detail})
		return true
	}
	s := symptomOf(h)
	if t.told && t.belongs(h, d.near(h)) && s.rank <= t.rank {
		t.lines++
		t.marks |= s.mark
		return true
	}
	t.told = false
	if s.mark == 0 {
		return false
	}
	d.settleTrouble()
	*t = trouble{at: d.at, tag: append(t.tag[:0], h.tag...), detail: t.detail[:0]}
	t.add(h, s)
	d.waiting |= waitTrouble
	return true
}

// add takes a line into the failure; the line that knows most names it.
func (t *trouble) add(h *head, s symptom) {
	t.lines++
	t.time, t.value = h.time, h.value
	t.marks |= s.mark
	if s.rank > t.rank {
		t.symptom = s
	}
	if len(t.detail) > 0 {
		t.detail = append(t.detail, " | "...)
	}
	room := max(0, maxDetail-len(t.detail))
	t.detail = append(t.detail, wholeRunes(h.text, room)...)
}

// wholeRunes is b cut to n bytes, or a few less.
func wholeRunes(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && b[n]&0xc0 == 0x80 {
		n--
	}
	return b[:n]
}

func (d *Decoder) settleTrouble() {
	if d.waiting&waitTrouble == 0 {
		return
	}
	d.waiting &^= waitTrouble
	t := &d.trouble
	d.tellAt(t.at, &model.Fault{Area: t.area, Code: t.code, Meaning: t.meaning, Detail: t.detail})
}

// httpHeader tells whether a line without a log header is one of an HTTP
// message that was logged whole: `Upgrade: websocket`.
func httpHeader(b []byte) bool {
	i := bytes.IndexByte(b, ':')
	if i <= 0 || i+1 < len(b) && b[i+1] != ' ' {
		return bytes.HasPrefix(b, []byte("HTTP/1."))
	}
	for _, c := range b[:i] {
		if !letter(c) && c-'0' > 9 && c != '-' {
			return false
		}
	}
	return true
}

// afterPrompt is what was typed after `linktop> `.
func afterPrompt(b []byte) []byte {
	if i := bytes.LastIndex(b, []byte("> ")); i >= 0 {
		b = b[i+2:]
	}
	return b
}
