package canvas

// Segment is one part of a stacked bar.
type Segment struct {
	End    int   // where it ends, in eighths of a cell from the bar's begin
	Color  Color // of the bar
	Grid   Color // of a grid line that crosses it
	Letter rune  // where there are no blocks
}

var (
	lefts  = [9]rune{' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'}
	lowers = [9]rune{' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}
	// steps of a level in ASCII, 1 to 8.
	steps = [9]rune{' ', '_', '.', ':', '-', '=', '+', '*', '#'}
)

// Bars is how bars are drawn.
type Bars struct {
	Letters bool  // letters in place of blocks
	Every   int   // cells between grid lines, the first at the left edge; 0: none
	Grid    Color // of the grid line where there is no bar
}

// share is the part of a cell that one segment takes.
type share struct {
	seg      *Segment
	from, to int
}

// Row draws a stacked bar from left to right, w cells wide at most. A cell shows
// two colours: where more meet, the end of the bar stays exact and the largest
// part keeps the cell. Segments ascend by End; one that ends where the one
// before does draws nothing.
func (b Bars) Row(c *Canvas, x, y, w int, segs []Segment) {
	var room [8]share
	for i := range w {
		parts := shares(room[:0], segs, i*8)
		line := b.Every > 0 && i%b.Every == 0
		switch {
		case len(parts) == 0:
			if line && i > 0 {
				c.Set(x+i, y, '▏', Style{FG: b.Grid})
			} else {
				c.Set(x+i, y, ' ', Style{})
			}
		case b.Letters:
			big := largest(parts)
			if parts[len(parts)-1].to < 4 && !(i == 0 && parts[0].to > 0) {
				r := ' '
				if line {
					r = '▏'
				}
				c.Set(x+i, y, r, Style{FG: b.Grid})
			} else {
				c.Set(x+i, y, big.seg.Letter, Style{FG: big.seg.Color})
			}
		default:
			r, s := blend(parts, lefts)
			if r == '█' && line && i > 0 {
				r, s = '▏', Style{FG: largest(parts).seg.Grid, BG: s.FG}
			}
			c.Set(x+i, y, r, s)
		}
	}
}

// Column draws a stacked bar upwards from row y, h cells high at most.
func (b Bars) Column(c *Canvas, x, y, h int, segs []Segment) {
	var room [8]share
	for i := range h {
		parts := shares(room[:0], segs, i*8)
		if len(parts) == 0 {
			return
		}
		if b.Letters {
			if parts[len(parts)-1].to >= 4 || i == 0 {
				big := largest(parts)
				c.Set(x, y-i, big.seg.Letter, Style{FG: big.seg.Color})
			}
			continue
		}
		r, s := blend(parts, lowers)
		c.Set(x, y-i, r, s)
	}
}

// shares are the segments within the cell that begins at eighth from.
func shares(parts []share, segs []Segment, from int) []share {
	at := 0
	for i := range segs {
		s := &segs[i]
		lo, hi := max(at, from), min(s.End, from+8)
		if hi > lo && len(parts) < cap(parts) {
			parts = append(parts, share{s, lo - from, hi - from})
		}
		at = max(at, s.End)
		if at >= from+8 {
			break
		}
	}
	return parts
}

func largest(parts []share) share {
	big := parts[0]
	for _, p := range parts[1:] {
		if p.to-p.from > big.to-big.from {
			big = p
		}
	}
	return big
}

// blend is the glyph and the two colours of a cell: the first part as the glyph,
// what follows as its background.
func blend(parts []share, glyphs [9]rune) (rune, Style) {
	end := parts[len(parts)-1].to
	big := largest(parts)
	if end < 8 { // the bar's end, on the plain ground
		return glyphs[end], Style{FG: big.seg.Color}
	}
	if len(parts) == 1 {
		return '█', Style{FG: big.seg.Color}
	}
	// The two largest, in their order.
	next := share{}
	for _, p := range parts {
		if p != big && p.to-p.from > next.to-next.from {
			next = p
		}
	}
	first, second := big, next
	if next.from < big.from {
		first, second = next, big
	}
	return glyphs[first.to], Style{FG: first.seg.Color, BG: second.seg.Color}
}

// Step draws a level of 0 to 8 eighths; 0 draws nothing.
func (c *Canvas) Step(x, y, level int, s Style) {
	level = min(level, 8)
	switch {
	case level <= 0:
	case c.ASCII:
		c.Set(x, y, steps[level], s)
	default:
		c.Set(x, y, lowers[level], s)
	}
}

// Thin draws a thin line of so many half cells, and the rest of its w cells in
// another style where there is one.
func (c *Canvas) Thin(x, y, w, halves int, s Style, rest *Style) {
	halves = min(max(halves, 0), 2*w)
	for i := range w {
		switch left := halves - 2*i; {
		case left >= 2:
			c.Set(x+i, y, '━', s)
		case left == 1:
			c.Set(x+i, y, '╸', s)
		case rest != nil:
			c.Set(x+i, y, '─', *rest)
		}
	}
}
