package trace

import "bytes"

// head is a line taken apart: log header and text.
type head struct {
	level byte // E W I D V, 0 for a line without a header
	time  timeKind
	value int64 // ms
	tag   []byte
	text  []byte
}

func (h *head) levelName() string {
	switch h.level {
	case 'E':
		return "E"
	case 'W':
		return "W"
	case 'I':
		return "I"
	case 'D':
		return "D"
	case 'V':
		return "V"
	}
	return ""
}

// parseHead takes a clean line apart: ESP-IDF's headers, the Arduino core's,
// both also behind a time that a host tool put in front. A line without a
// header is all text.
func parseHead(b []byte) head {
	if len(b) < 4 {
		return head{text: b}
	}
	c := b[0]
	if isLevel(c) && b[1] == ' ' {
		if h, ok := idfHead(b); ok {
			return h
		}
	}
	if c == '[' {
		if h, ok := arduinoHead(b); ok {
			return h
		}
	}
	if c == '[' || c-'0' <= 9 {
		if rest := b[hostPrefix(b):]; len(rest) > 4 && len(rest) < len(b) {
			if h, ok := idfHead(rest); ok {
				return h
			}
			if h, ok := arduinoHead(rest); ok {
				return h
			}
			if rest[0] == 'L' && rest[1] == 'T' && rest[2] == ' ' {
				return head{text: rest}
			}
		}
	}
	return head{text: b}
}

func isLevel(c byte) bool { return c == 'I' || c == 'E' || c == 'W' || c == 'D' || c == 'V' }

// idfHead reads `I (90000) tag: text`. The time may be absent, or, where there
// is one, the tag.
func idfHead(b []byte) (head, bool) {
	if len(b) < 4 || !isLevel(b[0]) || b[1] != ' ' {
		return head{}, false
	}
	h := head{level: b[0]}
	i := 2
	if b[2] == '(' {
		kind, value, n := parseTime(b[3:])
		i = 3 + n
		if n == 0 || i >= len(b) || b[i] != ')' {
			return head{}, false
		}
		h.time, h.value = kind, value
		if i++; i < len(b) && b[i] == ' ' {
			i++
		}
	}
	h.tag, h.text = tagText(b[i:])
	return h, h.tag != nil || h.time != timeNone
}

// maxTag is the longest tag that is believed, in bytes.
const maxTag = 48

// tagText splits `tag: text`; the Wi-Fi library leaves the blank out.
func tagText(b []byte) (tag, text []byte) {
	for i := 0; i < len(b) && i < maxTag; i++ {
		switch c := b[i]; {
		case c == ':':
			if i == 0 || i+1 < len(b) && b[i+1] == '/' {
				return nil, b
			}
			tag, text = b[:i:i], b[i+1:]
			if len(text) > 0 && text[0] == ' ' {
				text = text[1:]
			}
			return tag, text
		case i == 0 && !letter(c) && c != '_', c <= ' ' || c >= 0x7f:
			return nil, b
		}
	}
	return nil, b
}

func letter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

// arduinoHead reads `[  6836][V][WiFiGeneric.cpp:362] text`; the time may be
// absent.
func arduinoHead(b []byte) (head, bool) {
	var h head
	if len(b) < 8 || b[0] != '[' {
		return h, false
	}
	i := 1
	for i < len(b) && b[i] == ' ' {
		i++
	}
	if start := i; b[min(i, len(b)-1)]-'0' <= 9 {
		for i < len(b) && b[i]-'0' <= 9 && i-start < 13 {
			h.value = h.value*10 + int64(b[i]-'0')
			i++
		}
		if i+2 > len(b) || b[i] != ']' || b[i+1] != '[' {
			return h, false
		}
		h.time = timeMS
		i += 2
	}
	if i+3 > len(b) || !isLevel(b[i]) || b[i+1] != ']' || b[i+2] != '[' {
		return h, false
	}
	h.level = b[i]
	b = b[i+3:]
	end := bytes.IndexByte(b, ']')
	if end <= 0 || end > maxTag {
		return h, false
	}
	h.tag, h.text = b[:end:end], bytes.TrimLeft(b[end+1:], " ")
	return h, true
}

// hostPrefix is the length of a date or time that a host tool put before the
// device's line, with the marks around it: `[22:26:06:818] `, `[15:02:18]`,
// `2026-02-18 12:16:17.558 -> `, `12:16:17.558 > `. 0 when there is none.
func hostPrefix(b []byte) int {
	i, colons := 0, 0
	for i < len(b) && i < 40 {
		switch c := b[i]; {
		case c == ':':
			colons++
		case c-'0' <= 9, c == '[' && i == 0, c == '-', c == '.', c == ',', c == '/', c == ' ', c == 'T', c == 'Z', c == '+':
		default:
			if c != ']' && c != '>' && c != '#' && c != '|' {
				goto done
			}
		}
		i++
	}
done:
	if colons < 2 {
		return 0
	}
	return i
}
