package canvas

import "unicode/utf8"

// Palette is how colours are spelt for one terminal and theme: parameters of
// the SGR sequence (ECMA-48), without "ESC [" and "m".
type Palette struct {
	FG, BG [256]string
	// FGAttr and BGAttr stand for a colour that the terminal lacks, as reverse
	// does for a band. They are left out where the terminal has no attributes.
	FGAttr, BGAttr [256]Attr
	// Attrs tells whether the terminal knows bold and the like.
	Attrs bool
}

type look struct {
	fg, bg string
	attr   Attr
}

func (p *Palette) look(s Style) look {
	l := look{p.FG[s.FG], p.BG[s.BG], s.Attr | p.FGAttr[s.FG] | p.BGAttr[s.BG]}
	if !p.Attrs {
		l.attr = 0
	}
	return l
}

// Append writes the canvas as lines joined by "\n". Each line ends with
// everything switched off and is exactly as wide as the canvas, but for blanks
// of the plain style at its end where the palette gives them no colour.
func (c *Canvas) Append(dst []byte, p *Palette) []byte {
	plain := p.look(Style{})
	painted := plain.bg != ""
	for y := range c.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		row := c.cells[y*c.w : (y+1)*c.w]
		if !painted {
			row = trimmed(row, p)
		}
		now, last := look{}, Style{}
		styled := false
		for i := range row {
			cell := &row[i]
			if cell.Rune == 0 {
				continue
			}
			if !styled || cell.Style != last {
				to := p.look(cell.Style)
				if cell.Rune == ' ' && to.attr&^Bold == now.attr&^Bold && to.attr&Reverse == 0 {
					to.fg, to.attr = now.fg, now.attr // a blank shows its background alone
				}
				dst = change(dst, now, to)
				now = to
				last, styled = cell.Style, cell.Rune != ' '
			}
			dst = utf8.AppendRune(dst, cell.Rune)
		}
		if now != (look{}) {
			dst = append(dst, "\x1b[0m"...)
		}
	}
	return dst
}

// trimmed is the row without the blanks at its end that show nothing.
func trimmed(row []Cell, p *Palette) []Cell {
	for len(row) > 0 {
		l := &row[len(row)-1]
		if look := p.look(l.Style); l.Rune != ' ' || look.bg != "" || look.attr&^Bold != 0 {
			break
		}
		row = row[:len(row)-1]
	}
	return row
}

// change writes the shortest sequence that leads from one look to another.
func change(dst []byte, from, to look) []byte {
	if from == to {
		return dst
	}
	dst = append(dst, '\x1b', '[')
	n := len(dst)
	add := func(s string) {
		if len(dst) > n {
			dst = append(dst, ';')
		}
		dst = append(dst, s...)
	}
	if from.attr&^to.attr != 0 || from.fg != "" && to.fg == "" || from.bg != "" && to.bg == "" {
		add("0")
		from = look{}
	}
	on := to.attr &^ from.attr
	if on&Bold != 0 {
		add("1")
	}
	if on&Underline != 0 {
		add("4")
	}
	if on&Reverse != 0 {
		add("7")
	}
	if to.fg != from.fg {
		add(to.fg)
	}
	if to.bg != from.bg {
		add(to.bg)
	}
	return append(dst, 'm')
}

// String is the text without any colour, blanks at line ends left out.
func (c *Canvas) String() string {
	return string(c.Append(nil, &Palette{}))
}
