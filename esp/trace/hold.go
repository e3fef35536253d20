package trace

import (
	"bytes"

	"dev.local/linktop/model"
)

// held is a trace line that is not whole, kept while its rest may still come:
// another task's line can stand in between.
type held struct {
	text  []byte
	at    stamp
	kind  kind
	lines int // that have passed since
}

const (
	// heldLines is how many lines of other tasks may stand between the parts.
	heldLines = 4
	// maxHeld is the longest trace line that is put together, in bytes.
	maxHeld = 1 << 10
)

// hold keeps a trace line that is not whole.
func (d *Decoder) hold(b []byte, h *head, f *found) {
	d.settleTrace(f)
	if d.waiting&waitHeld != 0 {
		d.letGo()
	}
	d.stamp(h)
	d.held = held{text: append(d.held.text[:0], b...), at: d.at, kind: f.kind}
	d.waiting |= waitHeld
	if len(b) > maxHeld {
		d.letGo()
	}
}

// join tries b as the rest of the held line. Only a line that is whole then, in
// every key and value, is put together.
func (d *Decoder) join(b []byte, cut bool) bool {
	was := len(d.held.text)
	if was+len(b) > maxHeld {
		return false
	}
	d.held.text = append(d.held.text, b...)
	h := parseHead(d.held.text)
	f := d.find(&h, cut)
	if f.kind == kindNone {
		f = d.findInside(&h, cut)
	}
	if f.kind != d.held.kind || f.torn || f.odd || f.set != wanted[f.form] || f.short(d) || !checked(f.body) {
		d.held.text = d.held.text[:was]
		return false
	}
	d.waiting &^= waitHeld
	d.settleTrace(&f)
	d.at = d.held.at
	d.tellLog(&h, true)
	d.tellTrace(&f, true)
	return true
}

// letGo tells of the held line as damage.
func (d *Decoder) letGo() {
	d.waiting &^= waitHeld
	now := d.at
	d.at = d.held.at
	h := parseHead(d.held.text)
	d.tellLog(&h, false)
	var seq model.Opt
	if d.held.kind == kindFrame {
		seq = tornSeq(d.held.text)
		if seq.Known() {
			if from, to, missing := d.seq.saw(seq); missing {
				d.tellDamage("lost", 0, model.Some(from), model.Some(to))
			}
		}
	}
	d.tellDamage("torn", len(d.held.text), seq, seq)
	d.at = now
}

// tornSeq is the frame's number in a damaged trace line, where it is whole.
func tornSeq(b []byte) model.Opt {
	for _, key := range [][]byte{[]byte(" seq="), []byte("LT w s=")} {
		i := bytes.Index(b, key)
		if i < 0 {
			continue
		}
		if key[0] == 'L' {
			i += len("LT w")
		}
		w := words{b: b, i: i}
		if w.next() && w.isNum && w.i < len(b) {
			return model.Some(w.num)
		}
	}
	return 0
}
