package trace

import "dev.local/linktop/model"

// The quick readers take a trace line whose keys stand as the firmware prints
// them, and nothing else; what they do not take is read word by word.

var (
	quickFrameMS = []string{"seq=", " opcode=", " payload_len=", " header_len=", " ws_parent_poll_ms=", " mask_ms=",
		" header_write_ms=", " payload_write_ms=", " total_ms=", " ret="}
	quickFrameUS = []string{"seq=", " opcode=", " payload_len=", " header_len=", " ws_parent_poll_us=", " mask_us=",
		" header_write_us=", " payload_write_us=", " total_us=", " ret="}
	quickCompact  = []string{"s=", " o=", " n=", " p=", " m=", " h=", " w=", " t=", " r="}
	quickParentMS = []string{" len=", " poll_ms=", " write_ms=", " total_ms=", " ret=", " errno="}
	quickParentUS = []string{" len=", " poll_us=", " write_us=", " total_us=", " ret=", " errno="}
	quickParentLT = []string{" n=", " p=", " w=", " t=", " r=", " e="}
	quickTCP      = []string{"s=", " free=", " q=", " fly=", " cwnd=", " ssthresh=", " wnd=", " rtt=", " rto=", " fast="}
)

// inOrder reads the numbers behind keys into out, and returns what follows
// them; false when a key or a number is not there.
func inOrder(b []byte, keys []string, out *[10]int64) (rest []byte, ok bool) {
	for k, key := range keys {
		if len(b) <= len(key) || string(b[:len(key)]) != key {
			return b, false
		}
		b = b[len(key):]
		neg := b[0] == '-'
		if neg {
			b = b[1:]
		}
		if len(b) > 2 && b[0] == '0' && b[1] == 'x' {
			n, ok := nibble(b[2])
			if !ok {
				return b, false
			}
			v, i := int64(n), 3
			for i < len(b) && i < 17 {
				if n, ok = nibble(b[i]); !ok {
					break
				}
				v = v<<4 | int64(n)
				i++
			}
			out[k], b = v, b[i:]
			continue
		}
		v, i := int64(0), 0
		for i < len(b) {
			c := b[i] - '0'
			if c > 9 {
				break
			}
			v = v*10 + int64(c)
			i++
		}
		if i == 0 || i > 15 {
			return b, false
		}
		if neg {
			v = -v
		}
		out[k], b = v, b[i:]
	}
	return b, true
}

// sumOnly tells whether nothing but a checksum is left of a line.
func sumOnly(rest []byte) bool {
	return len(rest) == 0 || len(rest) == 4 && rest[0] == ' ' && rest[1] == '*'
}

// quickFrame reads a WebSocket write of any form into d.frame.
func (d *Decoder) quickFrame(b []byte, f form) bool {
	var v [10]int64
	unit := int64(1)
	var rest []byte
	var ok bool
	if f == compactFrame {
		rest, ok = inOrder(b, quickCompact, &v)
	} else if rest, ok = inOrder(b, quickFrameMS, &v); ok {
		unit = 1000
	} else {
		rest, ok = inOrder(b, quickFrameUS, &v)
	}
	if !ok || !sumOnly(rest) {
		return false
	}
	fr := &d.frame
	*fr = model.Frame{Seq: model.Some(v[0]), Opcode: model.Some(v[1]), PayloadBytes: model.Some(v[2])}
	t := v[3:]
	if f == longFrame {
		fr.HeaderBytes = model.Some(v[3])
		t = v[4:]
		fr.MaskUS, fr.HeaderUS = model.Some(v[5]*unit), model.Some(v[6]*unit)
	} else {
		fr.MaskUS, fr.HeaderUS = model.Some(v[4]), model.Some(v[5])
	}
	fr.PollUS, fr.PayloadUS, fr.TotalUS = model.Some(t[0]*unit), model.Some(t[3]*unit), model.Some(t[4]*unit)
	fr.Ret = model.Some(t[5])
	return true
}

// quickParent reads a parent write of any form into d.parent.
func (d *Decoder) quickParent(b []byte, f form) bool {
	seq, kind, keys, unit := "seq=", " kind=", quickParentMS, int64(1000)
	if f == compactParent {
		seq, kind, keys, unit = "s=", " k=", quickParentLT, 1
	}
	var v [10]int64
	b, ok := inOrder(b, []string{seq}, &v)
	if !ok || len(b) < len(kind)+4 || string(b[:len(kind)]) != kind {
		return false
	}
	n := v[0]
	name := ""
	switch b = b[len(kind):]; string(b[:3]) {
	case "ssl":
		name = "ssl"
	case "tcp":
		name = "tcp"
	default:
		return false
	}
	rest, ok := inOrder(b[3:], keys, &v)
	if !ok && f == longParent {
		unit = 1
		rest, ok = inOrder(b[3:], quickParentUS, &v)
	}
	if !ok || !sumOnly(rest) {
		return false
	}
	d.parent = model.Parent{Seq: model.Some(n), Transport: name, LenBytes: model.Some(v[0]), PollUS: model.Some(v[1] * unit),
		WriteUS: model.Some(v[2] * unit), TotalUS: model.Some(v[3] * unit), Ret: model.Some(v[4]), Errno: model.Some(v[5])}
	return true
}

// quickTCP reads an `LT t` line with all its keys into d.tcp.
func (d *Decoder) quickTCP(b []byte) bool {
	var v [10]int64
	if rest, ok := inOrder(b, quickTCP, &v); !ok || !sumOnly(rest) {
		return false
	}
	d.tcp = model.TCP{Side: "device", Seq: model.Some(v[0]), FreeBytes: model.Some(v[1]), QueueSegments: model.Some(v[2]),
		FlyBytes: model.Some(v[3]), CwndBytes: model.Some(v[4]), SsthreshBytes: model.Some(v[5]), WndBytes: model.Some(v[6]),
		RTTUS: model.Some(v[7]), RTOCount: model.Some(v[8]), FastCount: model.Some(v[9])}
	return true
}
