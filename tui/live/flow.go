package live

import (
	"strings"
	"unicode/utf8"

	"dev.local/linktop/tui/canvas"
)

// span is text of one style.
type span struct {
	text  string
	style canvas.Style
}

func spansWidth(spans []span) int {
	n := 0
	for _, s := range spans {
		n += canvas.TextWidth(s.text)
	}
	return n
}

// flow draws spans as words over at most so many lines of w columns and returns
// the lines it took. What does not fit in the last line is cut.
func (p *page) flow(x, y, w, lines int, spans ...span) int {
	return flow(p.c, x, y, w, lines, spans...)
}

// flowLines is how many lines the spans need.
func flowLines(w int, spans ...span) int { return flow(nil, 0, 0, w, 1<<20, spans...) }

func flow(c *canvas.Canvas, x, y, w, lines int, spans ...span) int {
	if w <= 0 || lines <= 0 {
		return 0
	}
	at, line, blanks := 0, 0, 0
	for _, s := range spans {
		rest := s.text
		for rest != "" {
			if rest[0] == ' ' || rest[0] == '\n' {
				blanks++
				rest = rest[1:]
				continue
			}
			word, next := rest, strings.IndexAny(rest, " \n")
			if next >= 0 {
				word = rest[:next]
			}
			rest = rest[len(word):]
			n := canvas.TextWidth(word)
			if at > 0 && at+blanks+n > w && line+1 < lines {
				line, at, blanks = line+1, 0, 0
			}
			if at == 0 {
				blanks = 0
			}
			if c != nil {
				drawWord(c, x+at+blanks, y+line, x+w, s.style, word)
			}
			at += blanks + n
			blanks = 0
			for at > w && line+1 < lines { // a word longer than a line
				if c != nil {
					_, cut := splitAt(word, w)
					word = cut
					drawWord(c, x, y+line+1, x+w, s.style, word)
				}
				line, at = line+1, at-w
			}
		}
	}
	if at == 0 && line == 0 {
		return 0
	}
	return line + 1
}

// splitAt cuts a word after w columns.
func splitAt(word string, w int) (string, string) {
	n := 0
	for i, r := range word {
		if n += canvas.Width(r); n > w {
			return word[:i], word[i:]
		}
	}
	return word, ""
}

// drawWord draws a word; a key in parentheses, "(c)", stands out.
func drawWord(c *canvas.Canvas, x, y, end int, s canvas.Style, word string) {
	c.TextTo(x, y, end, s, word)
	if len(word) >= 3 && word[0] == '(' && word[2] == ')' && word[1] < utf8.RuneSelf && x+1 < end-1 {
		c.Set(x+1, y, rune(word[1]), strong)
	}
}
