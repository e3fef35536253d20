package trace

import (
	"bytes"

	"dev.local/linktop/model"
)

// plainLine decodes a whole line of printable ASCII. A trace line that stands
// alone and is whole takes the short way.
func (d *Decoder) plainLine(b []byte) {
	var h head
	if b[0] == 'L' && len(b) > 5 && b[1] == 'T' && b[2] == ' ' {
		h.text = b
	} else {
		h = parseHead(b)
	}
	if f := d.find(&h, false); d.usual(&f) {
		if d.waiting != 0 {
			d.settleTrace(&f)
		}
		d.stamp(&h)
		d.tellLog(&h, true)
		d.tellTrace(&f, false)
		return
	}
	d.pieces(b, true)
}

// tellTrace emits what a trace line said; the reading is still in the bodies.
func (d *Decoder) tellTrace(f *found, repaired bool) {
	switch f.kind {
	case kindFrame:
		if from, to, missing := d.seq.saw(d.frame.Seq); missing {
			d.tellDamage("lost", 0, model.Some(from), model.Some(to))
		}
		d.frame.Rev, d.frame.Repaired = d.rev, repaired
		d.tell(&d.frame)
	case kindParent:
		d.tell(&d.parent)
	case kindTCP:
		d.tell(&d.tcp)
	}
}

// pieces decodes a clean line that may be several that stick together.
func (d *Decoder) pieces(b []byte, ended bool) {
	for len(b) > 0 {
		end, traced := seam(b)
		d.piece(bytes.TrimRight(b[:end], " "), end < len(b) || !ended, traced)
		b = b[end:]
	}
}

// piece decodes one line. cut tells that its end is not the line's end, traced
// that there is a trace line in it.
func (d *Decoder) piece(b []byte, cut, traced bool) {
	if len(b) == 0 {
		return
	}
	h := parseHead(b)
	var f found
	if traced {
		if f = d.find(&h, cut); f.kind == kindNone {
			f = d.findInside(&h, cut)
		}
	}
	switch f.kind {
	case kindNone:
		if h.level == 0 && d.waiting&waitHeld != 0 && d.join(b, cut) {
			return
		}
		d.other(&h)
	case kindSettings, kindAnswer:
		d.told(&h, &f)
	default:
		if !d.believe(&f) {
			d.hold(b, &h, &f)
			return
		}
		d.settleTrace(&f)
		d.stamp(&h)
		d.tellLog(&h, true)
		d.tellTrace(&f, false)
	}
}

// told decodes a settings mark or an answer.
func (d *Decoder) told(h *head, f *found) {
	ok := !f.cut && checked(f.body)
	var answer *model.Answer
	var set model.Settings
	if f.kind == kindAnswer && ok {
		answer, ok = readAnswer(f.body)
	} else if ok {
		rest, _, _ := cutChecksum(f.body)
		set, ok = ParseSettings(rest[len("LT cfg "):])
		ok = ok && set.Rev.Known()
	}
	d.settleTrace(f)
	d.stamp(h)
	d.tellLog(h, ok)
	switch {
	case !ok:
		d.tellDamage("torn", len(f.body), 0, 0)
	case answer != nil:
		d.tell(answer)
	default:
		d.rev = set.Rev
		d.tell(&set)
	}
}

// other decodes a line that carries no trace in the forms above.
func (d *Decoder) other(h *head) {
	if n, torn := d.shortForm(h.text); n > 0 {
		d.settleTrace(&found{kind: kindFrame})
		d.stamp(h)
		d.tellLog(h, true)
		d.tellShort(h.text)
		if torn {
			d.tellDamage("torn", len(h.text), 0, 0)
		}
		return
	}
	stray := h.level == 0 && straying(h.text)
	if stray {
		if i := bytes.Index(h.text, []byte("seq=")); i >= 0 {
			f := found{kind: kindFrame, form: longFrame, body: h.text[i:]}
			f.reading = d.readFrame(f.body, longFrame)
			if !f.torn && !f.odd && f.set == wanted[longFrame] && checked(f.body) {
				d.settleTrace(&f)
				d.stamp(h)
				d.tellLog(h, true)
				d.tellTrace(&f, true)
				return
			}
		}
	}
	d.settle(h, true)
	d.stamp(h)
	d.tellLog(h, false)
	if stray {
		d.tellDamage("torn", len(h.text), 0, 0)
		return
	}
	d.meaning(h)
}

var strays = [][]byte{[]byte("payload_write_"), []byte("header_write_"), []byte("_parent_poll_")}

// straying tells whether a line is the rest of a trace line whose beginning is
// gone.
func straying(b []byte) bool {
	for _, s := range strays {
		if bytes.Contains(b, s) {
			return true
		}
	}
	return false
}

// meaning tells what an ordinary line means beyond its words.
func (d *Decoder) meaning(h *head) {
	if d.bootLine(h) || d.crashLine(h) || d.wifiLine(h) || d.troubleLine(h) {
		return
	}
	if h.level == 0 {
		d.echo = append(d.echo[:0], h.text[:min(len(h.text), 200)]...)
	}
}
