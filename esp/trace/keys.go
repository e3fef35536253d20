package trace

// words walks over the `key=value` words of a line.
type words struct {
	b     []byte
	i     int
	start int    // where the word begins
	key   []byte // up to the first '='
	val   []byte // nil for a word without '='
	num   int64
	isNum bool // the value is a whole number, decimal or 0x…, of at most 15 digits
}

// next steps to the next word, and tells whether there is one.
func (w *words) next() bool {
	b, i := w.b, w.i
	for i < len(b) && b[i] == ' ' {
		i++
	}
	if i >= len(b) {
		w.i = i
		return false
	}
	start := i
	w.start, w.isNum, w.num = start, false, 0
	for i < len(b) && b[i] != '=' && b[i] != ' ' {
		i++
	}
	w.key = b[start:i]
	if i == len(b) || b[i] == ' ' {
		w.val, w.i = nil, i
		return true
	}
	i++
	from := i
	neg := i < len(b) && b[i] == '-'
	if neg {
		i++
	}
	first, v := i, int64(0)
	for i < len(b) {
		c := b[i] - '0'
		if c > 9 {
			break
		}
		v = v*10 + int64(c)
		i++
	}
	if i == len(b) || b[i] == ' ' {
		if n := i - first; n > 0 && n <= 15 {
			if neg {
				v = -v
			}
			w.num, w.isNum = v, true
		}
		w.val, w.i = b[from:i], i
		return true
	}
	for i < len(b) && b[i] != ' ' {
		i++
	}
	w.val, w.i = b[from:i], i
	w.hex()
	return true
}

// hex reads a 0x… value.
func (w *words) hex() {
	h := w.val
	if len(h) < 3 || len(h) > 17 || h[0] != '0' || h[1]|0x20 != 'x' {
		return
	}
	v := int64(0)
	for _, c := range h[2:] {
		n, ok := nibble(c)
		if !ok {
			return
		}
		v = v<<4 | int64(n)
	}
	w.num, w.isNum = v, true
}

func nibble(c byte) (byte, bool) {
	switch {
	case c-'0' <= 9:
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// micros is the value in µs of a time given in units of unit µs; decimals are
// taken for milliseconds.
func (w *words) micros(unit int64) (int64, bool) {
	if w.isNum {
		return w.num * unit, true
	}
	v, scale, point := int64(0), unit, false
	for _, c := range w.val {
		switch {
		case c == '.' && !point:
			point = true
		case c-'0' > 9 || v > 1e15:
			return 0, false
		case !point:
			v = v*10 + int64(c-'0')*unit
		case scale > 1:
			scale /= 10
			v += int64(c-'0') * scale
		}
	}
	return v, point && len(w.val) > 1
}

// keySet is which known keys a trace line has.
type keySet uint16

const (
	hasSeq keySet = 1 << iota
	hasOpcode
	hasLen
	hasHeaderLen
	hasPoll
	hasMask
	hasHeader
	hasWrite
	hasTotal
	hasRet
	hasKind
	hasErrno
)

// form is a kind of trace line.
type form uint8

const (
	longFrame form = iota
	longParent
	compactFrame
	compactParent
	compactTCP
	numForms
)

// wanted are the keys a line of a form has when nothing is missing.
var wanted = [numForms]keySet{
	longFrame:     hasSeq | hasOpcode | hasLen | hasHeaderLen | hasPoll | hasMask | hasHeader | hasWrite | hasTotal | hasRet,
	longParent:    hasSeq | hasKind | hasLen | hasPoll | hasWrite | hasTotal | hasRet | hasErrno,
	compactFrame:  hasSeq | hasOpcode | hasLen | hasPoll | hasMask | hasHeader | hasWrite | hasTotal | hasRet,
	compactParent: hasSeq | hasKind | hasLen | hasPoll | hasWrite | hasTotal | hasRet | hasErrno,
	compactTCP:    hasSeq,
}

// frameTimes is what a frame says anything with.
const frameTimes = hasPoll | hasWrite | hasTotal
