package live

import (
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

var (
	text    = canvas.Style{FG: theme.Text}
	strong  = canvas.Style{FG: theme.Strong, Attr: canvas.Bold}
	bright  = canvas.Style{FG: theme.Strong}
	quiet   = canvas.Style{FG: theme.Quiet}
	axis    = canvas.Style{FG: theme.Axis}
	grid    = canvas.Style{FG: theme.Grid}
	good    = canvas.Style{FG: theme.Good}
	limit   = canvas.Style{FG: theme.LimitText, Attr: canvas.Bold}
	limited = canvas.Style{FG: theme.LimitText}
	bad     = canvas.Style{FG: theme.Bad, Attr: canvas.Bold}
	ailing  = canvas.Style{FG: theme.Bad}
	rates   = canvas.Style{FG: theme.Rates}
	levels  = canvas.Style{FG: theme.Levels}
)

// title draws a panel's name and, after two blanks, what it is about.
func (p *page) title(x, y, end int, name, about string) int {
	x = p.c.TextTo(x, y, end, strong, name)
	if about != "" {
		x = p.c.TextTo(x+2, y, end, quiet, about)
	}
	return x
}

// figure is one row of a panel: a name, something between, a number, its unit.
type figure struct {
	name  string
	value string
	unit  string
	style canvas.Style // of the value
	faint bool         // the name is a lesser one
}

// Columns of a figure: where what stands between begins and how wide it is; the
// number ends unitW before the right edge.
const (
	slotX = 15
	slotW = 14
	unitW = 5
)

// slot tells whether a column has room between name and number.
func slot(r rect) bool { return r.w >= wideW }

// figure draws the row y of r.
func (p *page) figure(r rect, y int, f figure) {
	name := text
	if f.faint {
		name = quiet
	}
	end := r.right() - unitW
	x := p.c.Right(r.x, y, end, f.style, f.value)
	p.c.TextTo(r.x, y, min(x-1, r.x+r.w), name, f.name)
	p.c.TextTo(end+1, y, r.right(), quiet, f.unit)
}

// spark draws the newest values as filled steps that end at column end, full
// being the highest step; unknown values leave a hole.
func (p *page) spark(end, y, w int, n int, at func(i int) (v int64, ok bool), full int64, s canvas.Style) {
	n0 := max(0, n-w)
	for i := n0; i < n; i++ {
		v, ok := at(i)
		if !ok {
			continue
		}
		level := 1
		if full > 0 {
			level = min(max(int((v*7+full/2)/full), 0), 6) + 1
		}
		p.c.Step(end-(n-i), y, level, s)
	}
}
