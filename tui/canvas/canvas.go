// Package canvas is a grid of terminal cells to draw on. Everything drawn is
// clipped to the grid; a finished grid is written as text with as few colour
// changes as it takes.
package canvas

import (
	"strconv"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Color is an index into a Palette; 0 is the plain one.
type Color uint8

// Attr are text attributes, a set of bits.
type Attr uint8

// The attributes of text.
const (
	Bold Attr = 1 << iota
	Underline
	Reverse
)

// Style is how a cell looks: colours by name, so that one drawing serves every
// theme and terminal.
type Style struct {
	FG, BG Color
	Attr   Attr
}

// On is the style on another background.
func (s Style) On(bg Color) Style {
	s.BG = bg
	return s
}

// With is the style with attributes added.
func (s Style) With(a Attr) Style {
	s.Attr |= a
	return s
}

// Cell is one column of one row. A rune of two columns leaves Rune 0 in the
// cell after it.
type Cell struct {
	Rune rune
	Style
}

// Canvas is a grid of cells; the zero value has no cells.
type Canvas struct {
	w, h  int
	cells []Cell
	// ASCII spells what is drawn in ASCII alone.
	ASCII bool
}

// New is a blank canvas.
func New(w, h int) *Canvas {
	c := &Canvas{}
	c.Reset(w, h)
	return c
}

// Reset makes it blank and of the given size; sizes below 0 count as 0.
func (c *Canvas) Reset(w, h int) {
	c.w, c.h = max(w, 0), max(h, 0)
	n := c.w * c.h
	if cap(c.cells) < n {
		c.cells = make([]Cell, n)
	}
	c.cells = c.cells[:n]
	blank := Cell{Rune: ' '}
	for i := range c.cells {
		c.cells[i] = blank
	}
}

// Size is the number of columns and rows.
func (c *Canvas) Size() (w, h int) { return c.w, c.h }

// At is the cell at column x, row y; a blank one outside the grid.
func (c *Canvas) At(x, y int) Cell {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return Cell{Rune: ' '}
	}
	return c.cells[y*c.w+x]
}

// Set draws one rune of one column. Drawing on half of a wide rune blanks its
// other half.
func (c *Canvas) Set(x, y int, r rune, s Style) {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return
	}
	i := y*c.w + x
	if c.ASCII && r >= utf8.RuneSelf {
		r = ascii(r)
	}
	c.part(x, i)
	c.cells[i] = Cell{r, s}
}

// part blanks the halves of wide runes that drawing at i would leave behind.
func (c *Canvas) part(x, i int) {
	if c.cells[i].Rune == 0 && x > 0 {
		c.cells[i-1].Rune = ' '
	}
	if x+1 < c.w && c.cells[i+1].Rune == 0 {
		c.cells[i+1].Rune = ' '
	}
}

// narrow decides widths as linktop does everywhere: ambiguous runes take one
// column.
var narrow = &runewidth.Condition{}

// Width is the number of columns that Text gives a rune: 0, 1 or 2.
func Width(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case r < 0xa0:
		return 1 // C1 controls, shown as a dot
	case r >= 0x2010 && r <= 0x2027, r >= 0x2190 && r < 0x2300, r >= 0x2500 && r <= 0x25fc, r >= 0x2800 && r < 0x2900:
		return 1 // dashes, arrows, signs, boxes, blocks, shapes, braille
	case joins(r):
		return 1
	}
	return narrow.RuneWidth(r)
}

// joins tells runes that fuse with their neighbours in terminals that shape
// text, whose width would then be anyone's guess: flags and skin tones.
func joins(r rune) bool {
	return r >= 0x1f1e6 && r <= 0x1f1ff || r >= 0x1f3fb && r <= 0x1f3ff
}

// TextWidth is the number of columns that Text needs.
func TextWidth(s string) int {
	n := 0
	for _, r := range s {
		n += Width(r)
	}
	return n
}

// Text draws a line of text and returns the column after it. Control runes
// become dots; runes without a width are left out; what does not fit is cut.
func (c *Canvas) Text(x, y int, s Style, text string) int { return c.TextTo(x, y, c.w, s, text) }

// TextTo is Text that ends before column end. A text that is cut ends in "…".
func (c *Canvas) TextTo(x, y, end int, s Style, text string) int {
	end = min(end, c.w)
	if y < 0 || y >= c.h || x >= end {
		return x
	}
	at := x
	for _, r := range text {
		w := Width(r)
		if w == 0 {
			continue
		}
		if at+w > end {
			if end > max(x, 0) {
				c.Set(end-1, y, '…', s)
			}
			return end
		}
		switch {
		case r < ' ', r >= 0x7f && r < 0xa0, r == utf8.RuneError, joins(r):
			r = '·'
		}
		if w == 2 {
			c.setWide(at, y, r, s)
		} else {
			c.Set(at, y, r, s)
		}
		at += w
	}
	return at
}

// setWide draws a rune of two columns; where only half of it is on the grid, a
// blank.
func (c *Canvas) setWide(x, y int, r rune, s Style) {
	c.Set(x+1, y, ' ', s)
	if x < 0 {
		return
	}
	c.Set(x, y, r, s)
	if i := y*c.w + x; c.cells[i].Rune == r {
		c.cells[i+1] = Cell{0, s}
	}
}

// Right draws text that ends before column end and returns where it begins.
// Text longer than the room from column from on is cut.
func (c *Canvas) Right(from, y, end int, s Style, text string) int {
	x := max(from, end-TextWidth(text))
	c.TextTo(x, y, end, s, text)
	return x
}

// Int draws a whole number that ends before column end.
func (c *Canvas) Int(y, end int, s Style, v int64) {
	var buf [20]byte
	b := strconv.AppendInt(buf[:0], v, 10)
	for i, d := range b {
		c.Set(end-len(b)+i, y, rune(d), s)
	}
}

// Fill paints a rectangle.
func (c *Canvas) Fill(x, y, w, h int, r rune, s Style) {
	for j := max(y, 0); j < min(y+h, c.h); j++ {
		for i := max(x, 0); i < min(x+w, c.w); i++ {
			c.Set(i, j, r, s)
		}
	}
}

// Ground gives the cells of a rectangle another background and leaves what is
// drawn in them.
func (c *Canvas) Ground(x, y, w, h int, bg Color) {
	for j := max(y, 0); j < min(y+h, c.h); j++ {
		for i := max(x, 0); i < min(x+w, c.w); i++ {
			c.cells[j*c.w+i].BG = bg
		}
	}
}

// ascii is the nearest ASCII character.
func ascii(r rune) rune {
	switch r {
	case '–', '—', '−', '─', '╸', '▔':
		return '-'
	case '━':
		return '='
	case '→', '›', '▸':
		return '>'
	case '≈', '◐', '±':
		return '~'
	case '●', '■':
		return '*'
	case '○':
		return 'o'
	case '✓', '†':
		return '+'
	case '✗', '×':
		return 'x'
	case '…', '·':
		return '.'
	case '▴', '↑':
		return '^'
	case '↓':
		return 'v'
	case '▏', '│', '┊':
		return '|'
	case '≥':
		return '>'
	case '≤':
		return '<'
	case '÷':
		return '/'
	case 'µ':
		return 'u'
	case '“', '”':
		return '"'
	case '‘', '’':
		return '\''
	case '°', ' ':
		return ' '
	}
	return '?'
}
