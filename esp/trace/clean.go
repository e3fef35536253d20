package trace

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// plain tells whether b is printable ASCII only: nothing to clean.
func plain(b []byte) bool {
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		// The high bit of a byte shows that it is ≥ 0x80, is 0x7f, or is below
		// 0x20. Carries and borrows can only start at such a byte.
		if (x|(x+eachByte)|(x-0x20*eachByte))&highBits != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// cleanLine returns b fit for any terminal, and how many bytes of it were
// garbage: no control bytes and valid UTF-8. Escape sequences are taken out, a
// tab becomes a blank, each run of what cannot be read becomes one U+FFFD. A
// line that is garbage for a quarter counts as a whole. What is clean apart
// from colours around it is not copied.
func (d *Decoder) cleanLine(b []byte) (clean []byte, bad int) {
	if plain(b) {
		return b, 0
	}
	size := len(b)
	b = trimColours(b)
	if plain(b) {
		return b, 0
	}
	d.clean, bad = appendClean(d.clean[:0], b)
	if bad > 0 && bad*4 >= size && lastTrace(d.clean) < 0 {
		bad = size
	}
	return d.clean, bad
}

// trimColours takes colour sequences off both ends.
func trimColours(b []byte) []byte {
	for len(b) > 2 && b[0] == 0x1b && b[1] == '[' {
		ends := false
		n := escape(b, &ends)
		if b[n-1] != 'm' {
			break
		}
		b = b[n:]
	}
	for len(b) > 2 && b[len(b)-1] == 'm' {
		i := len(b) - 2
		for i > 1 && (b[i]-'0' <= 9 || b[i] == ';') {
			i--
		}
		if b[i] != '[' || b[i-1] != 0x1b {
			break
		}
		b = b[:i-1]
	}
	return b
}

// appendClean appends the readable part of b and counts the rest.
func appendClean(dst, b []byte) (out []byte, bad int) {
	run := false // the previous bytes were garbage
	ends := true // a string sequence may be ended further on
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c >= 0x20 && c < 0x7f:
			dst, run = append(dst, c), false
			i++
			continue
		case c == '\t':
			dst, run = append(dst, ' '), false
			i++
			continue
		case c == 0x1b:
			i += escape(b[i:], &ends)
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n <= 1, r < 0x20, r == 0x7f:
			if !run {
				dst, run = utf8.AppendRune(dst, utf8.RuneError), true
			}
			bad += n
		case r >= 0x80 && r < 0xa0:
			n = escape(b[i:], &ends)
		case invisible(r):
		default:
			dst, run = append(dst, b[i:i+n]...), false
		}
		i += n
	}
	return dst, bad
}

// invisible runes change the direction of text or end its line without being
// seen.
func invisible(r rune) bool {
	return r >= 0x200e && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// escape is the length of the escape sequence that b begins with, at least 1:
// ECMA-48 in its 7-bit form (ESC [) or as C1 controls in UTF-8. A string
// sequence (title, link) that is not ended in this line loses only its
// beginning, so that a stray byte cannot hide a line; ends, which turns false
// then, keeps the next one from searching again.
func escape(b []byte, ends *bool) int {
	if len(b) < 2 {
		return 1
	}
	intro, i := b[1], 2
	if b[0] != 0x1b {
		intro -= 0x40 // U+0080–U+009F stand for ESC @ … ESC _
	}
	switch intro {
	case '[':
		for i < len(b) && b[i] >= 0x20 && b[i] <= 0x3f {
			i++
		}
		if i < len(b) && b[i] >= 0x40 && b[i] <= 0x7e {
			i++
		}
		return i
	case ']', 'P', 'X', '^', '_':
		for j := i; *ends && j < len(b); j++ {
			if b[j] == 0x07 {
				return j + 1
			}
			if j+1 < len(b) && (b[j] == 0x1b && b[j+1] == '\\' || b[j] == 0xc2 && b[j+1] == 0x9c) {
				return j + 2
			}
		}
		*ends = false
		return i
	}
	if b[0] != 0x1b {
		return i
	}
	for i = 1; i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f; {
		i++
	}
	if i < len(b) && b[i] >= 0x30 && b[i] <= 0x7e {
		i++
	}
	return i
}
