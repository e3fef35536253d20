package trace

import "bytes"

const (
	// maxLine is the longest line that is decoded whole, in bytes; ESP-IDF's
	// longest (a request dumped into a log line) stay below 2 KiB.
	maxLine = 8 << 10
	// overlongShown is what is shown of a longer one.
	overlongShown = 1 << 10
	// overlongTail is how much of its end is searched for a trace line that
	// follows garbage without a line end.
	overlongTail = 1 << 10
)

// lines keeps a line whose end has not arrived.
type lines struct {
	part  []byte // its beginning, at most maxLine bytes
	tail  []byte // what came after it, at least its newest overlongTail bytes
	total int
	seen  int // total at the previous flush
}

// split cuts bytes into lines. LF, CR, and any row of them end a line; a row
// of them is one end, since empty lines say nothing.
func (d *Decoder) split(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			d.keep(p)
			return
		}
		if d.lines.total > 0 {
			d.keep(p[:i])
			d.endPart()
		} else if i > 0 {
			d.rawLine(p[:i])
		}
		p = p[i+1:]
	}
}

// keep adds bytes without a LF to the waiting line; a CR among them ends it.
func (d *Decoder) keep(p []byte) {
	for {
		i := bytes.IndexByte(p, '\r')
		if i < 0 {
			d.lines.add(p)
			return
		}
		d.lines.add(p[:i])
		d.endPart()
		p = p[i+1:]
	}
}

func (l *lines) add(p []byte) {
	l.total += len(p)
	n := min(len(p), maxLine-len(l.part))
	l.part = append(l.part, p[:n]...)
	p = p[n:]
	p = p[max(0, len(p)-overlongTail):]
	if len(l.tail)+len(p) > 2*overlongTail {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)+len(p)-overlongTail:]...)
	}
	l.tail = append(l.tail, p...)
}

func (l *lines) reset() {
	l.part, l.tail, l.total, l.seen = l.part[:0], l.tail[:0], 0, 0
}

// end is the newest overlongTail bytes of a line.
func (l *lines) end() []byte {
	if len(l.tail) < overlongTail {
		l.tail = append(bytes.Clone(l.part[len(l.part)-overlongTail+len(l.tail):]), l.tail...)
	}
	return l.tail[len(l.tail)-overlongTail:]
}

// endPart decodes the waiting line, which is complete.
func (d *Decoder) endPart() {
	l := &d.lines
	if l.total == 0 {
		return
	}
	if l.total > maxLine {
		d.overlong(l.part, l.end(), l.total)
	} else {
		d.oneLine(l.part, true)
	}
	l.reset()
}

// rawLine decodes what stood before a LF, which may hold CRs.
func (d *Decoder) rawLine(b []byte) {
	for len(b) > 0 && b[len(b)-1] == '\r' {
		b = b[:len(b)-1]
	}
	if len(b) > 0 && len(b) <= maxLine && plain(b) { // has no CR inside
		d.plainLine(b)
		return
	}
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\r')
		if i < 0 {
			i = len(b)
		}
		switch one := b[:i]; {
		case len(one) > maxLine:
			d.overlong(one, one[len(one)-overlongTail:], len(one))
		case len(one) > 0:
			d.oneLine(one, true)
		}
		b = b[min(i+1, len(b)):]
	}
}

// oneLine cleans a line and decodes it. ended tells whether its end was seen.
func (d *Decoder) oneLine(b []byte, ended bool) {
	b, bad := d.cleanLine(b)
	d.at = stamp{}
	switch {
	case len(b) == 0:
	case ended:
		d.plainLine(b)
	default:
		d.pieces(b, false)
	}
	if bad > 0 {
		d.tellDamage("garbage", bad, 0, 0)
	}
}

// overlong tells of a line that is too long to be one: its beginning, its
// length, and the trace line at its end if there is one.
func (d *Decoder) overlong(begin, end []byte, total int) {
	shown, _ := d.cleanLine(begin[:overlongShown])
	h := parseHead(shown)
	d.settle(&h, false)
	d.stamp(&h)
	d.tellLog(&h, false)
	d.tellDamage("overlong", total, 0, 0)
	tail, _ := d.cleanLine(end)
	if i := lastTrace(tail); i >= 0 {
		d.pieces(tail[i:], true)
	}
}

// flushPart tells a line without an end, if it looks as if none will come.
func (d *Decoder) flushPart() {
	l := &d.lines
	if l.total == 0 || l.total > maxLine || lastTrace(l.part) >= 0 {
		return
	}
	if !prompt(l.part) && l.seen != l.total {
		l.seen = l.total
		return
	}
	d.endPart()
}

// closePart decodes the waiting line as far as it came.
func (d *Decoder) closePart() {
	l := &d.lines
	if l.total == 0 || l.total > maxLine {
		d.endPart()
		return
	}
	d.oneLine(l.part, false)
	l.reset()
}

// prompt tells whether a line waits for input: `linktop> `, `$ `.
func prompt(b []byte) bool {
	b = bytes.TrimRight(b, " ")
	return len(b) > 0 && bytes.IndexByte([]byte(">$#%?:"), b[len(b)-1]) >= 0
}
