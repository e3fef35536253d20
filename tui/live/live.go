// Package live draws the Live view: one picture of one snapshot. Its panels are
// functions of what they are given alone, so that the same snapshot and view
// always give the same cells.
package live

import (
	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

// View is what the screen adds to a snapshot: what keys chose and what time did.
type View struct {
	Look  *theme.Look
	NowUS int64 // the screen's clock, µs since the Unix epoch

	Frozen bool
	Newer  int64 // frames that arrived since it froze

	// Pressed are changes asked for by keys that the snapshot does not show yet.
	Pressed map[string]model.Toggle
	Values  Values
	Adjust  string // the setting that [ and ] change: KeyBurst, KeyIdle or KeyPace

	// ScaleUS is what the full width of the bars stands for at least: see Scale.
	ScaleUS int64

	Help     bool
	Question string // asked in place of the key bar, empty without one
}

// Values are those a toggle switches on.
type Values struct {
	Burst, IdleMS, PaceMS, AggMS int64
}

// Sizes in columns and rows.
const (
	minW, minH = 40, 10 // below: a word
	fullW      = 80     // below: the answer alone
	fullH      = 24     //
	marginW    = 100    // from here: margins of 2, a wide right column
	thirdW     = 156    // from here: a third column
	deskH      = 30     // from here: the desk shows every choice
	numbersW   = 24     // of a frame, left of its bar
	narrowW    = 24     // right column below marginW
	wideW      = 40     // right column
	verdictH   = 4      // rows of the verdict; the last is blank where three do
	bodyY      = 6      // first row of the panels
	barsX      = numbersW + 2
)

// rect is a part of the canvas.
type rect struct{ x, y, w, h int }

func (r rect) right() int  { return r.x + r.w }
func (r rect) bottom() int { return r.y + r.h }

// page is what every panel draws with.
type page struct {
	c *canvas.Canvas
	s *model.Snapshot
	v *View
}

// plan is where things go.
type plan struct {
	margin                               int
	frames, layers, over, right3, right2 rect
	rows, layerRows                      int
	desk                                 rect
	eventY                               int
}

// planned lays out a size of fullW × fullH or more.
//
// Without a device there is no desk.
func planned(w, h int, desk bool) plan {
	var p plan
	p.margin = 1
	gap, right, third := 3, narrowW, 0
	if w >= marginW {
		p.margin, gap, right = 2, 4, wideW
	}
	if w >= thirdW {
		gap = min(4+(w-thirdW)/22, 6)
		third = 34 + max(0, (w-200)/3)
	}
	p.desk = rect{0, h - 3, w, 2}
	if h >= deskH {
		p.desk = rect{0, h - 5, w, 4}
	}
	if !desk {
		p.desk = rect{0, h - 1, w, 0}
	}
	p.eventY = p.desk.y - 1
	body := p.eventY - bodyY // rows for panels

	x := w - p.margin
	if third > 0 {
		x -= third
		p.right3 = rect{x, bodyY, third, body}
		x -= gap
	}
	x -= right
	p.right2 = rect{x, bodyY, right, body}
	left := rect{p.margin, bodyY, x - gap - p.margin, body}

	if w >= thirdW && body >= 36 {
		over := 14 + (body-48)/4
		over = max(over, 12)
		p.over = rect{left.x, left.bottom() - over, left.w, over}
		left.h -= over + 1
	}
	switch {
	case left.h < 20:
		p.layerRows = 3
	case left.h < 27:
		p.layerRows = 4
	default:
		p.layerRows = 5
	}
	p.layers = rect{left.x, left.bottom() - p.layerRows - 1, left.w, p.layerRows + 1}
	// Title, axis, marks below and a blank row are no frames.
	p.frames = rect{left.x, left.y, left.w, p.layers.y - 1 - left.y}
	p.rows = p.frames.h - 3
	return p
}

// Draw draws the view on a canvas of its size.
func Draw(c *canvas.Canvas, s *model.Snapshot, v *View) {
	p := &page{c, s, v}
	c.ASCII = v.Look.ASCII
	w, h := c.Size()
	switch {
	case w < minW || h < minH:
		p.tooSmall(w, h)
	case w < fullW || h < fullH:
		p.answer(w, h)
	default:
		p.full(w, h)
	}
	if v.Help && w >= minW && h >= minH {
		p.help(w, h)
	}
}

func (p *page) full(w, h int) {
	whole, left := p.nothing()
	l := planned(w, h, !whole || p.reached())
	p.titleBar(w, l.margin)
	y := bodyY
	if p.verdict(rect{l.margin, 2, w - 2*l.margin, verdictH}) == verdictH && whole {
		y++
	}
	if whole {
		p.explain(rect{l.margin, y, w - 2*l.margin, l.eventY - y})
	} else {
		if left {
			p.explain(rect{l.frames.x, bodyY, l.frames.w, l.eventY - bodyY})
		} else {
			p.frames(l.frames, l.rows)
			p.layers(l.layers, l.layerRows)
			if l.over.h > 0 {
				p.overTime(l.over)
			}
		}
		p.rightColumn(l.right2)
		if l.right3.w > 0 {
			p.thirdColumn(l.right3)
		}
	}
	if l.right3.w == 0 {
		p.lastEvent(l.margin, l.eventY, w-l.margin)
	}
	if l.desk.h > 0 {
		p.desk(l.desk, l.margin)
	}
	p.keyBar(w, h-1, l.margin)
}

func (p *page) tooSmall(w, h int) {
	text := "make the window larger"
	if w < len(text) {
		text = "larger!"
	}
	p.c.Text(max(0, (w-len(text))/2), h/2, quiet, text)
}
