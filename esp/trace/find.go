package trace

// found is a trace line found in a line of the console.
type found struct {
	kind kind
	form form
	reading
	body []byte // what a checksum is made over
}

// kind is what a trace line tells of.
type kind uint8

const (
	kindNone kind = iota
	kindFrame
	kindParent
	kindTCP
	kindSettings
	kindAnswer
)

// find reads the trace line that a line consists of: known by its tag, or by
// beginning with `LT `.
func (d *Decoder) find(h *head, cut bool) (f found) {
	switch {
	case len(h.tag) == len(markFrame)-1 && string(h.tag) == string(markFrame[:len(markFrame)-1]):
		f = found{kind: kindFrame, form: longFrame, body: h.text}
		f.reading = d.readFrame(h.text, longFrame)
	case len(h.tag) == len(markParent)-1 && string(h.tag) == string(markParent[:len(markParent)-1]):
		f = found{kind: kindParent, form: longParent, body: h.text}
		f.reading = d.readParent(h.text, longParent)
	case len(h.text) > 5 && h.text[0] == 'L' && h.text[1] == 'T' && h.text[2] == ' ':
		f = d.readCompact(h.text)
	}
	f.cut = cut
	if f.set == 0 && f.kind <= kindTCP {
		f.kind = kindNone
	}
	return f
}

// readCompact reads a line that begins with `LT `.
func (d *Decoder) readCompact(b []byte) found {
	if !compactAt(b) {
		return found{}
	}
	f := found{body: b}
	switch b[3] {
	case 'w':
		f.kind, f.form = kindFrame, compactFrame
		f.reading = d.readFrame(b[5:], compactFrame)
	case 'p':
		f.kind, f.form = kindParent, compactParent
		f.reading = d.readParent(b[5:], compactParent)
	case 't':
		f.kind, f.form = kindTCP, compactTCP
		f.reading = d.readTCP(b[5:])
	case 'c':
		f.kind = kindSettings
	default:
		f.kind = kindAnswer
	}
	return f
}

// findInside reads a trace line that other text stands before: a prompt, an
// echo, what is left of a damaged header.
func (d *Decoder) findInside(h *head, cut bool) (f found) {
	i := firstTrace(h.text)
	if i < 0 {
		return found{}
	}
	b := h.text[i:]
	if b[0] == 'L' {
		f = d.readCompact(b)
		f.cut = cut
		if f.set == 0 && f.kind <= kindTCP {
			f.kind = kindNone
		}
		return f
	}
	inner := head{}
	inner.tag, inner.text = tagText(b)
	return d.find(&inner, cut)
}
