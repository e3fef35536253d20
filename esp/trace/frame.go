package trace

import "dev.local/linktop/model"

// longKey names a key of the long forms; unit is what its value counts, in µs.
func longKey(key []byte) (bit keySet, unit int64) {
	switch string(key) {
	case "seq":
		return hasSeq, 0
	case "opcode":
		return hasOpcode, 0
	case "payload_len", "len":
		return hasLen, 0
	case "header_len":
		return hasHeaderLen, 0
	case "ret":
		return hasRet, 0
	case "kind":
		return hasKind, 0
	case "errno":
		return hasErrno, 0
	case "ws_parent_poll_ms", "poll_ms":
		return hasPoll, 1000
	case "mask_ms":
		return hasMask, 1000
	case "header_write_ms":
		return hasHeader, 1000
	case "payload_write_ms", "write_ms":
		return hasWrite, 1000
	case "total_ms":
		return hasTotal, 1000
	case "ws_parent_poll_us", "poll_us":
		return hasPoll, 1
	case "mask_us":
		return hasMask, 1
	case "header_write_us":
		return hasHeader, 1
	case "payload_write_us", "write_us":
		return hasWrite, 1
	case "total_us":
		return hasTotal, 1
	}
	return 0, 0
}

// shortKey names a key of the compact forms (device protocol, section 1).
func shortKey(key []byte) (bit keySet, unit int64) {
	if len(key) != 1 {
		return 0, 0
	}
	switch key[0] {
	case 's':
		return hasSeq, 0
	case 'o':
		return hasOpcode, 0
	case 'k':
		return hasKind, 0
	case 'n':
		return hasLen, 0
	case 'r':
		return hasRet, 0
	case 'e':
		return hasErrno, 0
	case 'p':
		return hasPoll, 1
	case 'm':
		return hasMask, 1
	case 'h':
		return hasHeader, 1
	case 'w':
		return hasWrite, 1
	case 't':
		return hasTotal, 1
	}
	return 0, 0
}

// readFrame reads the words of a WebSocket write into d.frame.
func (d *Decoder) readFrame(text []byte, f form) (r reading) {
	fr := &d.frame
	if d.quickFrame(text, f) {
		r.set = wanted[f]
		r.odd = frameOdd(fr, r.set)
		return r
	}
	*fr = model.Frame{}
	d.extra = d.extra[:0]
	for w := (words{b: text}); w.next(); {
		var bit keySet
		var unit int64
		if f == compactFrame {
			bit, unit = shortKey(w.key)
		} else {
			bit, unit = longKey(w.key)
		}
		var v int64
		if unit != 0 {
			var ok bool
			v, ok = w.micros(unit)
			r.torn = r.torn || !ok
		} else {
			v = w.num
			r.torn = r.torn || bit != 0 && !w.isNum
		}
		some := model.Some(v)
		switch bit {
		case hasSeq:
			fr.Seq = some
		case hasOpcode:
			fr.Opcode = some
		case hasLen:
			fr.PayloadBytes = some
		case hasHeaderLen:
			fr.HeaderBytes = some
		case hasPoll:
			fr.PollUS = some
		case hasMask:
			fr.MaskUS = some
		case hasHeader:
			fr.HeaderUS = some
		case hasWrite:
			fr.PayloadUS = some
		case hasTotal:
			fr.TotalUS = some
		case hasRet:
			fr.Ret = some
		default:
			d.addExtra(&w, &r)
			continue
		}
		r.odd = r.odd || r.set&bit != 0
		r.set |= bit
	}
	if len(d.extra) > 0 {
		fr.Extra = d.extra
	}
	r.odd = r.odd || frameOdd(fr, r.set)
	return r
}

// frameOdd tells whether a frame contradicts itself: parts longer than the
// total, or more sent than there was.
func frameOdd(f *model.Frame, set keySet) bool {
	parts := f.PollUS.Value() + f.MaskUS.Value() + f.HeaderUS.Value() + f.PayloadUS.Value()
	return set&hasTotal != 0 && parts > f.TotalUS.Value()+roundingUS ||
		set&(hasRet|hasLen) == hasRet|hasLen && f.Ret > f.PayloadBytes
}

// roundingUS is how far the parts may exceed the total when all of them were
// rounded to milliseconds.
const roundingUS = 4000

// addExtra keeps a word whose key is not known. The checksum is none of them.
func (d *Decoder) addExtra(w *words, r *reading) {
	if w.val == nil && len(w.key) == 3 && w.key[0] == '*' && w.i == len(w.b) {
		return // verified by whoever knows where the line begins
	}
	r.odd = r.odd || w.val == nil
	if len(d.extra) > 0 {
		d.extra = append(d.extra, ' ')
	}
	d.extra = append(d.extra, w.b[w.start:w.i]...)
}
