package trace

import "bytes"

var (
	markFrame  = []byte("IDF_WS_WRITE_TRACE:")
	markParent = []byte("IDF_PARENT_WRITE_TRACE:")
	markLT     = []byte("LT ")
)

// breaks are what always begins a line of its own: a chip that starts, or that
// stops.
var breaks = [][]byte{
	[]byte("ESP-ROM:"), []byte("ets Ju"), []byte("Guru Meditation Error:"), []byte("E BOD: Brownout"),
	[]byte("rst:0x"), []byte("abort() was called at"),
}

// opens are the bytes that what a seam shows can begin with, or, for a log
// header with a time, its bracket.
var opens = func() (t [256]bool) {
	t['('], t[markFrame[0]], t[markLT[0]] = true, true, true
	for _, s := range breaks {
		t[s[0]] = true
	}
	return t
}()

// seam is where another line begins inside b, len(b) when nowhere: lines of two
// tasks stick together where a line end was lost or not yet printed. traced
// tells whether a trace line begins before it.
func seam(b []byte) (end int, traced bool) {
	for i, c := range b {
		if !opens[c] {
			continue
		}
		switch {
		case c == '(':
			if i >= 3 && headAt(b, i-2) && hostPrefix(b) != i-2 {
				return i - 2, traced
			}
		case traceAt(b[i:]):
			if !traced {
				traced = true
				break
			}
			if i >= 2 && b[i-1] == ' ' && isLevel(b[i-2]) && c == 'I' {
				i -= 2 // a header without a time
			}
			return i, true
		case i > 0:
			for _, s := range breaks {
				if c == s[0] && bytes.HasPrefix(b[i:], s) {
					return i, traced
				}
			}
		}
	}
	return len(b), traced
}

// headAt tells whether a log header with a time begins at b[i].
func headAt(b []byte, i int) bool {
	if i <= 0 || !isLevel(b[i]) || b[i+1] != ' ' {
		return false
	}
	_, _, n := parseTime(b[i+3:])
	if n == 0 || i+3+n+1 >= len(b) || b[i+3+n] != ')' || b[i+4+n] != ' ' {
		return false
	}
	h, ok := idfHead(b[i:])
	return ok && (h.tag != nil || firstTrace(h.text[:min(len(h.text), 2*maxTag)]) >= 0)
}

// traceAt tells whether a trace line begins at b[0], without its header.
func traceAt(b []byte) bool {
	switch {
	case len(b) < 6:
		return false
	case b[0] == 'L':
		return b[1] == 'T' && b[2] == ' ' && compactAt(b)
	case b[0] == 'I':
		return b[1] == 'D' && (bytes.HasPrefix(b, markFrame) || bytes.HasPrefix(b, markParent))
	}
	return false
}

// firstTrace is where the first trace line begins in b, without its header; -1
// when there is none.
func firstTrace(b []byte) int {
	for i, c := range b {
		if (c == 'L' || c == 'I') && traceAt(b[i:]) {
			return i
		}
	}
	return -1
}

// lastTrace is where the last trace line begins in b.
func lastTrace(b []byte) int {
	last := -1
	for from := 0; ; {
		i := firstTrace(b[from:])
		if i < 0 {
			return last
		}
		last = from + i
		from = last + 3
	}
}

// compactAt tells whether b, which begins with `LT `, is one of our lines.
func compactAt(b []byte) bool {
	b = b[len(markLT):]
	switch {
	case len(b) >= 4 && (b[0] == 'w' || b[0] == 'p' || b[0] == 't') && b[1] == ' ':
		for _, c := range b[2:] {
			if c == '=' {
				return true
			}
			if !letter(c) {
				return false
			}
		}
	case len(b) >= 5 && string(b[:4]) == "cfg ":
		return letter(b[4])
	case len(b) >= 2 && b[0] == '#':
		return b[1]-'0' <= 9
	}
	return false
}
