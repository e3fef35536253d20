package trace

import (
	"bytes"

	"dev.local/linktop/model"
)

// The short form is `s3:t14/p0/w10`: frame, total, poll and write in ms, several
// on a line, between blanks, bars or commas, after an optional label.

var labelAfterIdle = []byte("after_idle_first:")

// shortForm tells how many frames a line in the short form has; 0 for any other
// line. torn tells that there is a word that is none.
func (d *Decoder) shortForm(b []byte) (n int, torn bool) {
	if bytes.IndexByte(b, '/') < 0 && bytes.IndexByte(b, ':') < 0 {
		return 0, false
	}
	first := true
	for word, rest := shortWord(b); len(word) > 0; word, rest = shortWord(rest) {
		var f model.Frame
		switch {
		case shortFrame(word, &f):
			n++
		case first && word[len(word)-1] == ':':
		case word[0] == 's' && len(word) > 1 && word[1]-'0' <= 9:
			torn = true
		default:
			return 0, false
		}
		first = false
	}
	return n, torn
}

// tellShort emits the frames of a line in the short form. Their numbers are
// samples: frames not named are not missing.
func (d *Decoder) tellShort(b []byte) {
	idle := false
	for word, rest := shortWord(b); len(word) > 0; word, rest = shortWord(rest) {
		if bytes.Equal(word, labelAfterIdle) {
			idle = true
			continue
		}
		d.frame = model.Frame{}
		if !shortFrame(word, &d.frame) {
			continue
		}
		d.seq = sequence{}
		d.frame.Rev, d.frame.AfterIdle = d.rev, idle
		d.tell(&d.frame)
	}
}

func shortWord(b []byte) (word, rest []byte) {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '|' || b[0] == ',' || b[0] == ';') {
		b = b[1:]
	}
	i := 0
	for i < len(b) && b[i] != ' ' && b[i] != '|' && b[i] != ',' && b[i] != ';' {
		i++
	}
	return b[:i], b[i:]
}

// shortFrame reads one `s3:t14/p0/w10`. What it does not give stays unknown.
func shortFrame(b []byte, f *model.Frame) bool {
	v, n := shortNumber(b, 's')
	if n == 0 || n >= len(b) || b[n] != ':' {
		return false
	}
	f.Seq = model.Some(v)
	for b = b[n+1:]; ; b = b[n+1:] {
		if len(b) == 0 {
			return false
		}
		var at *model.Opt
		switch b[0] {
		case 't':
			at = &f.TotalUS
		case 'p':
			at = &f.PollUS
		case 'm':
			at = &f.MaskUS
		case 'h':
			at = &f.HeaderUS
		case 'w':
			at = &f.PayloadUS
		default:
			return false
		}
		if v, n = shortNumber(b, b[0]); n == 0 || at.Known() {
			return false
		}
		*at = model.Some(v * 1000)
		if n == len(b) {
			return f.TotalUS.Known() || f.PollUS.Known() || f.PayloadUS.Known()
		}
		if b[n] != '/' {
			return false
		}
	}
}

// shortNumber reads a letter and a number, and tells their length.
func shortNumber(b []byte, letter byte) (v int64, n int) {
	if len(b) < 2 || b[0] != letter {
		return 0, 0
	}
	for n = 1; n < len(b) && b[n]-'0' <= 9; n++ {
		if n > 12 {
			return 0, 0
		}
		v = v*10 + int64(b[n]-'0')
	}
	if n == 1 {
		return 0, 0
	}
	return v, n
}
