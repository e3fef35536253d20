package trace

import (
	"bytes"

	"dev.local/linktop/model"
)

// usual tells whether a trace line that stands alone is like those before it in
// every key, with nothing to look into.
func (d *Decoder) usual(f *found) bool {
	if f.kind == kindNone || f.kind > kindTCP || f.torn || f.odd || f.set != wanted[f.form] {
		return false
	}
	s := &d.shapes[f.form]
	n := len(f.body)
	if hasSum := n >= 4 && f.body[n-3] == '*'; hasSum != s.sums || f.set != s.keys || s.run != 0 || s.bare != 0 {
		return false
	}
	return !f.short(d) && (!s.sums || checked(f.body))
}

// believe tells whether a trace line that was read is whole.
func (d *Decoder) believe(f *found) bool {
	text := f.body
	if f.form >= compactFrame {
		text = text[5:]
	}
	if !d.shapes[f.form].whole(f.form, f.reading, text) || f.short(d) {
		return false
	}
	if n := len(f.body); n < 4 || f.body[n-3] != '*' {
		return !d.shapes[f.form].lostSum()
	}
	if checked(f.body) ||
		f.form == longFrame && checkedTagged(markFrame, f.body) || f.form == longParent && checkedTagged(markParent, f.body) {
		d.shapes[f.form].summed()
		return true
	}
	return false
}

// checkedTagged verifies a checksum that was made with the tag before the line.
func checkedTagged(tag, text []byte) bool {
	return checked(append(append(bytes.Clone(tag), ' '), text...))
}

// short tells whether a line may have lost the end of its last value: one that
// something cut off, unless all bytes were written, and one whose count of bytes
// written is the beginning of the count asked for.
func (f *found) short(d *Decoder) bool {
	var asked, ret model.Opt
	switch f.kind {
	case kindFrame:
		asked, ret = d.frame.PayloadBytes, d.frame.Ret
	case kindParent:
		asked, ret = d.parent.LenBytes, d.parent.Ret
	default:
		return f.cut && f.kind != kindTCP
	}
	return ret.Known() && ret != asked && (f.cut || begins(ret.Value(), asked.Value()))
}

// begins tells whether the digits of a are the first digits of b.
func begins(a, b int64) bool {
	if a <= 0 {
		return false
	}
	for b > a {
		b /= 10
	}
	return a == b
}
