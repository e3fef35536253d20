package live

import (
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

// wholeW is the width below which the help takes whole rows.
const wholeW = 100

// help lies over the view: every key, and the signs.
func (p *page) help(w, h int) {
	rows := len(steers) + len(others) + 9
	bw := min(60, w-2)
	bh := min(rows, h-2)
	r := rect{(w - bw) / 2, max(1, (h-bh)/2), bw, bh}
	if p.v.Look.Plain() || w < wholeW {
		// Words left beside the help would read as part of it.
		p.c.Fill(0, r.y, w, r.h, ' ', canvas.Style{})
	}
	p.c.Fill(r.x, r.y, r.w, r.h, ' ', canvas.Style{BG: theme.Band})
	y := r.y
	if r.h == rows {
		y++
	}
	put := func(key, does string, s canvas.Style) {
		if y < r.bottom() {
			p.c.TextTo(r.x+2, y, r.right()-1, s, key)
			p.c.TextTo(r.x+2+9, y, r.right()-1, text, does)
		}
		y++
	}
	head := func(name string) {
		if y < r.bottom() {
			p.c.TextTo(r.x+2, y, r.right()-1, quiet, name)
		}
		y++
	}
	head("On the device, at once, confirmed or refused by it:")
	for _, k := range steers {
		put(k.key, k.does, strong)
	}
	if r.h == rows {
		y++
	}
	head("On the screen:")
	for _, k := range others {
		put(k.key, k.does, strong)
	}
	if r.h == rows {
		y++
	}
	for i, q := range parts {
		s := canvas.Style{FG: q.text, Attr: canvas.Bold}
		at := r.x + 2 + i*13
		if y < r.bottom() && at+10 < r.right() {
			p.c.TextTo(at, y, r.right()-1, s, q.letter)
			p.c.TextTo(at+2, y, r.right()-1, text, q.name)
		}
	}
	y++
	for _, words := range [...]string{"of a frame's time, in the order in which it passes", "● yes  ◐ partly  ○ no  ? open  is a cause of the limit"} {
		if y < r.bottom() {
			p.c.TextTo(r.x+2, y, r.right()-1, quiet, words)
		}
		y++
	}
	p.c.Ground(r.x, r.y, r.w, r.h, theme.Band)
}
