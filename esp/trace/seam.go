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

// seam is where another line begins inside b, len(b) when nowhere: lines of two
// tasks stick together where a line end was lost or not yet printed.
func seam(b []byte) int {
	best := len(b)
	for _, s := range breaks {
		if i := bytes.Index(b[1:best], s); i >= 0 {
			best = i + 1
		}
	}
	for i := 1; i+2 < best; {
		j := bytes.IndexByte(b[i:best], '(')
		if j < 0 {
			break
		}
		i += j
		if i >= 3 && headAt(b, i-2) {
			best = i - 2
		}
		i++
	}
	if first := firstTrace(b[:best]); first >= 0 {
		from := first + 3
		if next := firstTrace(b[from:best]); next >= 0 {
			best = from + next
			if best >= 2 && b[best-1] == ' ' && isLevel(b[best-2]) && b[best] == 'I' {
				best -= 2 // a header without a time
			}
		}
	}
	return best
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
	return ok && (h.tag != nil || firstTrace(h.text) >= 0)
}

// firstTrace is where the first trace line begins in b, without its header; -1
// when there is none.
func firstTrace(b []byte) int {
	best := -1
	for _, m := range [][]byte{markFrame, markParent} {
		if i := bytes.Index(b, m); i >= 0 && (best < 0 || i < best) {
			best = i
		}
	}
	for i := 0; i < len(b); {
		j := bytes.Index(b[i:], markLT)
		if j < 0 || best >= 0 && i+j > best {
			break
		}
		i += j
		if compactAt(b[i:]) {
			return i
		}
		i += len(markLT)
	}
	return best
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
