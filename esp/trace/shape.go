package trace

import "bytes"

// reading is what came of reading a trace line.
type reading struct {
	set  keySet
	torn bool // a value that is no value, or a checksum that is wrong
	odd  bool // contradicts itself, or has words that fit nowhere
	cut  bool // its end is not the line's end: the last value may be short
}

// shape is which keys a firmware prints in lines of one form. Bytes lost inside
// a line can leave a line that reads well but lacks a key; such a line is
// damaged unless the firmware is seen to print that way.
type shape struct {
	keys keySet // of the fullest lines so far; 0 before the first
	sign uint64 // of the newest line that was not like them
	run  int    // how often in a row it was the same
	sums bool   // lines carry a checksum
	bare int    // how many in a row did not
}

// usual is how often in a row an unusual line must come to be the usual one.
const usual = 3

// noSum is how many lines in a row without a checksum show that the firmware
// prints none any more.
const noSum = 8

// summed notes a line with its checksum.
func (s *shape) summed() { s.sums, s.bare = true, 0 }

// lostSum tells whether a line without a checksum must have lost it, and may
// have lost digits with it.
func (s *shape) lostSum() bool {
	if !s.sums {
		return false
	}
	if s.bare++; s.bare >= noSum {
		s.sums, s.bare = false, 0
	}
	return s.sums
}

// whole tells whether a line that was read can be believed.
func (s *shape) whole(f form, r reading, text []byte) bool {
	if r.set == s.keys && r.set == wanted[f] && !r.torn && !r.odd {
		s.run = 0
		return true
	}
	if r.torn || r.set&(frameTimes|hasRet|hasSeq) == 0 {
		return false
	}
	want := s.keys
	if want == 0 && f != longFrame && f != longParent {
		want = wanted[f]
	}
	if !r.odd && r.set&want == want && !(r.set != wanted[f] && want != r.set && spliced(f, r.set, text)) {
		s.keys, s.run = r.set, 0
		return true
	}
	sign := signature(text, r.odd)
	if s.run == 0 || sign != s.sign {
		s.sign, s.run = sign, 0
	}
	if s.run++; s.run < usual {
		return false
	}
	s.keys = r.set
	return true
}

// signature is a hash (FNV-1a) of a line's keys.
func signature(text []byte, odd bool) uint64 {
	sum := uint64(14695981039346656037)
	for w := (words{b: text}); w.next(); {
		for _, c := range w.key {
			sum = (sum ^ uint64(c)) * 1099511628211
		}
		sum = (sum ^ ' ') * 1099511628211
	}
	if odd {
		sum++
	}
	return sum
}

// longKeys are the keys of the long forms, without their unit.
var longKeys = []struct {
	bit  keySet
	name []byte
}{
	{hasSeq, []byte("seq")}, {hasOpcode, []byte("opcode")}, {hasLen, []byte("payload_len")},
	{hasHeaderLen, []byte("header_len")}, {hasPoll, []byte("ws_parent_poll_ms")}, {hasMask, []byte("mask_ms")},
	{hasHeader, []byte("header_write_ms")}, {hasWrite, []byte("payload_write_ms")}, {hasTotal, []byte("total_ms")},
	{hasRet, []byte("ret")}, {hasKind, []byte("kind")}, {hasErrno, []byte("errno")},
}

// spliced tells whether a key of the line looks like the beginning of one key
// and the end of another, which is what lost bytes leave.
func spliced(f form, set keySet, text []byte) bool {
	for w := (words{b: text}); w.next(); {
		if w.val == nil {
			return true
		}
		for _, k := range longKeys {
			if wanted[f]&^set&k.bit == 0 || bytes.Equal(w.key, k.name) {
				continue
			}
			if bytes.HasPrefix(w.key, k.name[:3]) && !known(w.key) || len(k.name) > 5 && bytes.HasSuffix(w.key, k.name[len(k.name)-6:]) && !known(w.key) {
				return true
			}
		}
	}
	return false
}

func known(key []byte) bool {
	bit, _ := longKey(key)
	return bit != 0
}
