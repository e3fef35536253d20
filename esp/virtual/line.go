package virtual

import (
	"strconv"
	"strings"
)

// maxLine is what an ESP-IDF REPL reads, in bytes.
const maxLine = 256

// parsed is a command line taken apart.
type parsed struct {
	n     int64
	name  string
	words []string
}

// parseLine takes a command line apart: `lt #8 set frame=4096 *5a`. With a
// refusal, n is the number as far as it could be read, else 0. ours is false
// for a line that is no `lt` command at all.
func parseLine(line string) (p parsed, ours bool, r *refusal) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "lt" {
		return p, false, nil
	}
	if len(words) < 2 || len(words[1]) < 2 || words[1][0] != '#' {
		return p, true, refuse("parse", "need=#n")
	}
	n, err := strconv.ParseUint(words[1][1:], 10, 31)
	if err != nil {
		return p, true, refuse("parse", "need=#n")
	}
	p.n = int64(n)
	if len(line) > maxLine {
		return p, true, refuse("parse", "max=%d", maxLine)
	}
	if last := words[len(words)-1]; last[0] == '*' {
		words = words[:len(words)-1]
		sum, err := strconv.ParseUint(last[1:], 16, 8)
		if err != nil || len(last) != 3 || byte(sum) != checksum(words) {
			return p, true, refuse("checksum", "want=%02x", checksum(words))
		}
	}
	if len(words) < 3 {
		return p, true, refuse("parse", "need=command")
	}
	p.name, p.words = words[2], words[3:]
	return p, true, nil
}

// checksum is the XOR of the words joined by single blanks.
func checksum(words []string) (sum byte) {
	for i, w := range words {
		if i > 0 {
			sum ^= ' '
		}
		for _, c := range []byte(w) {
			sum ^= c
		}
	}
	return sum
}

// lineReader cuts a byte stream into lines. Of a line that is too long it keeps
// the start, enough to be refused by number.
type lineReader struct{ line []byte }

func (l *lineReader) feed(p []byte, each func(string)) {
	for _, c := range p {
		switch {
		case c == '\r' || c == '\n':
			if len(l.line) > 0 {
				each(string(l.line))
			}
			l.line = l.line[:0]
		case len(l.line) <= maxLine:
			l.line = append(l.line, c)
		}
	}
}
