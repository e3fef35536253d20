package live

import (
	"math"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

// minP95 is the number of samples below which a P95 by nearest rank is the
// largest of them.
const minP95 = 20

type layer struct {
	part  model.Part
	name  string
	color canvas.Color
}

var layers = [...]layer{
	{model.PartTotal, "total", theme.Rates},
	{model.PartPoll, "poll", theme.Poll},
	{model.PartFraming, "header", theme.Header},
	{model.PartPayload, "write", theme.Write},
	{model.PartOther, "other", theme.Other},
}

// Columns of the table: where each number ends.
const (
	p50End = 12
	p95End = 18
	maxEnd = 24
)

// layers draws the parts of the frames under these settings: quantiles, and how
// often each time occurs, on the scale of the bars.
func (p *page) layers(r rect, rows int) {
	w := &p.s.Setting
	few := w.N < minP95
	p.title(r.x, r.y, r.right(), "LAYERS", "")
	p.c.Right(r.x, r.y, r.x+p50End, axis, "P50")
	p.c.Right(r.x, r.y, r.x+p95End, axis, "P95")
	p.c.Right(r.x, r.y, r.x+maxEnd, axis, "max")

	n := "n " + grouped(int64(w.N))
	if few && w.N > 0 {
		if r.w >= 60 {
			n += ", below 20: P95 is the max"
		} else {
			n += " < 20"
		}
	}
	end := p.c.Right(r.x, r.y, r.right(), axis, n) - 1
	about := "how often, on the scale above"
	if end-r.x-barsX < len(about) {
		about = "how often"
	}
	p.c.TextTo(r.x+barsX, r.y, end, axis, about)

	sc := scaled(p.v.ScaleUS, r.w-barsX)
	y := r.y + 1
	for _, l := range layers {
		if rows < 4 && l.part == model.PartFraming || rows < 5 && l.part == model.PartOther {
			continue
		}
		q := &w.Parts[l.part]
		p95 := strong
		if few {
			p95 = quiet
		}
		p.c.TextTo(r.x, y, r.x+8, text, l.name)
		p.c.Right(r.x, y, r.x+p50End, text, p.frameMS(q.P50))
		p.c.Right(r.x, y, r.x+p95End, p95, p.frameMS(q.P95))
		p.c.Right(r.x, y, r.x+maxEnd, quiet, p.frameMS(q.Max))
		p.histogram(r.x+barsX, y, sc, q, canvas.Style{FG: l.color})
		y++
	}
}

// histogram draws how often each cell's times occur. Heights follow the square
// root, so that what is rare is seen beside what is not.
func (p *page) histogram(x, y int, sc scale, q *model.Quantiles, s canvas.Style) {
	for i := 0; i < sc.w && !p.v.Look.Plain(); i += sc.cells {
		p.c.Set(x+i, y, '▏', grid)
	}
	var room [512]int32
	counts := room[:min(sc.w, len(room))]
	most, beyond := int32(0), false
	for _, b := range q.Bins {
		// A bin that a cell's border divides belongs where its middle lies.
		i := sc.cell((b.LowUS + b.HighUS) / 2)
		if i >= len(counts) {
			if b.LowUS > sc.full() {
				beyond = true
				continue
			}
			i = len(counts) - 1
		}
		counts[i] += int32(b.N)
		most = max(most, counts[i])
	}
	for i, n := range counts {
		if n > 0 {
			level := int(math.Sqrt(float64(n)/float64(most))*7 + 0.5)
			p.c.Step(x+i, y, max(level, 1), s)
		}
	}
	if beyond {
		p.c.Set(x+sc.w-1, y, '›', quiet)
	}
}
