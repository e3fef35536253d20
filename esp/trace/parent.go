package trace

import "dev.local/linktop/model"

// readParent reads the words of a write to the parent transport into d.parent.
func (d *Decoder) readParent(text []byte, f form) (r reading) {
	p := &d.parent
	if d.quickParent(text, f) {
		r.set = wanted[f]
		r.odd = parentOdd(p, r.set)
		return r
	}
	*p = model.Parent{}
	d.extra = d.extra[:0]
	for w := (words{b: text}); w.next(); {
		var bit keySet
		var unit int64
		if f == compactParent {
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
			r.torn = r.torn || bit != 0 && bit != hasKind && !w.isNum
		}
		some := model.Some(v)
		switch bit {
		case hasSeq:
			p.Seq = some
		case hasKind:
			p.Transport = transport(w.val)
			r.torn = r.torn || p.Transport == ""
		case hasLen:
			p.LenBytes = some
		case hasPoll:
			p.PollUS = some
		case hasWrite:
			p.WriteUS = some
		case hasTotal:
			p.TotalUS = some
		case hasRet:
			p.Ret = some
		case hasErrno:
			p.Errno = some
		default:
			d.addExtra(&w, &r)
			continue
		}
		r.odd = r.odd || r.set&bit != 0
		r.set |= bit
	}
	if len(d.extra) > 0 {
		p.Extra = d.extra
	}
	r.odd = r.odd || parentOdd(p, r.set)
	return r
}

func parentOdd(p *model.Parent, set keySet) bool {
	return set&hasTotal != 0 && p.PollUS.Value()+p.WriteUS.Value() > p.TotalUS.Value()+roundingUS ||
		set&(hasRet|hasLen) == hasRet|hasLen && p.Ret > p.LenBytes
}

func transport(b []byte) string {
	switch string(b) {
	case "ssl":
		return "ssl"
	case "tcp":
		return "tcp"
	}
	for _, c := range b {
		if !letter(c) && c-'0' > 9 && c != '_' && c != '-' {
			return ""
		}
	}
	return string(b)
}

// readTCP reads the words of an `LT t` line into d.tcp.
func (d *Decoder) readTCP(text []byte) (r reading) {
	t := &d.tcp
	if d.quickTCP(text) {
		r.set = hasSeq
		return r
	}
	*t = model.TCP{Side: "device"}
	d.extra = d.extra[:0]
	for w := (words{b: text}); w.next(); {
		var at *model.Opt
		switch string(w.key) {
		case "s":
			at = &t.Seq
		case "free":
			at = &t.FreeBytes
		case "q":
			at = &t.QueueSegments
		case "fly":
			at = &t.FlyBytes
		case "cwnd":
			at = &t.CwndBytes
		case "ssthresh":
			at = &t.SsthreshBytes
		case "wnd":
			at = &t.WndBytes
		case "rtt":
			at = &t.RTTUS
		case "rto":
			at = &t.RTOCount
		case "fast":
			at = &t.FastCount
		default:
			d.addExtra(&w, &r)
			continue
		}
		r.torn = r.torn || !w.isNum
		r.odd = r.odd || at.Known()
		*at = model.Some(w.num)
		r.set |= hasSeq
	}
	if len(d.extra) > 0 {
		t.Extra = d.extra
	}
	return r
}
