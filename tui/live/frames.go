package live

import (
	"strconv"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

// part is how a part of a frame looks.
type part struct {
	letter           string
	name             string
	text             canvas.Color
	bar, alt         canvas.Color
	barGrid, altGrid canvas.Color
}

var parts = [...]part{
	{"p", "poll", theme.PollText, theme.Poll, theme.PollAlt, theme.PollGrid, theme.PollGrid},
	{"h", "header", theme.HeaderText, theme.Header, theme.HeaderAlt, theme.HeaderGrid, theme.HeaderGrid},
	{"w", "write", theme.WriteText, theme.Write, theme.WriteAlt, theme.WriteGrid, theme.WriteGrid},
	{"o", "other", theme.OtherText, theme.Other, theme.OtherAlt, theme.OtherGrid, theme.OtherGrid},
}

// frames draws the newest frames, the newest last: numbers, then a bar.
func (p *page) frames(r rect, rows int) {
	p.framesTitle(r)
	bars := rect{r.x + barsX, r.y + 2, r.w - barsX, rows}
	sc := scaled(p.v.ScaleUS, bars.w)
	p.framesHead(r, sc)

	newest := len(p.s.Frames)
	shown := 0
	for i := newest - 1; i >= 0 && shown < rows; i-- {
		if p.s.Frames[i].Audio() {
			shown++
		}
	}
	y := bars.y + shown - 1
	var newer *model.Frame
	for i := newest - 1; i >= 0 && y >= bars.y; i-- {
		f := &p.s.Frames[i].Frame
		if !f.Audio() {
			continue
		}
		if newer != nil && newer.Rev.Known() && f.Rev.Known() && newer.Rev != f.Rev {
			p.c.Set(r.x-1, y+1, '▸', bright) // here other settings begin
		}
		odd := f.Seq.Value()%2 != 0
		if !f.Seq.Known() {
			odd = (p.s.Counts.Frames-int64(newest-i))%2 != 0
		}
		p.frame(r.x, y, f)
		p.bar(bars.x, y, bars.w, sc, f, odd)
		newer = f
		y--
	}
	p.marks(bars, bars.y+shown, sc)
}

func (p *page) framesTitle(r rect) {
	y, end := r.y, r.right()
	about := p.s.Settings.Title()
	const wide, narrow = 42, 31
	legend := narrow
	if r.w >= len("FRAMES  ")+canvas.TextWidth(about)+2+wide {
		legend = wide
	} else if r.w < len("FRAMES  ")+canvas.TextWidth(about)+2+narrow {
		about = "ms"
		if p.s.Settings.FrameBytes.Known() {
			about = p.s.Settings.FrameBytes.String() + " B, ms"
		}
	}
	if p.v.Look.Plain() {
		legend -= 8
		if legend > narrow {
			legend = narrow
		}
	}
	p.title(r.x, y, end-legend-1, "FRAMES", about)
	x := end - legend
	if p.v.Look.Plain() {
		x = end - len("p poll h header w write o other")
	}
	for i, q := range parts {
		mark := canvas.Style{FG: q.text, Attr: canvas.Bold}
		switch {
		case p.v.Look.Plain():
			x = p.c.TextTo(x, y, end, mark, q.letter)
			x = p.c.TextTo(x+1, y, end, quiet, q.name) + 1
			continue
		case legend == wide:
			p.c.Set(x, y, '■', canvas.Style{FG: q.bar})
			x = p.c.TextTo(x+2, y, end, canvas.Style{FG: q.text}, q.letter)
			x = p.c.TextTo(x+1, y, end, quiet, q.name) + 2
		default:
			p.c.Set(x, y, '■', canvas.Style{FG: q.bar})
			x = p.c.TextTo(x+2, y, end, canvas.Style{FG: q.text}, parts[i].letter)
			x = p.c.TextTo(x, y, end, quiet, q.name[1:]) + 1
		}
	}
}

// Columns of the numbers: where each ends.
const (
	seqEnd = 5
	tEnd   = 10
	pEnd   = 15
	hEnd   = 19
	wEnd   = 24
)

func (p *page) framesHead(r rect, sc scale) {
	x, y := r.x, r.y+1
	p.c.Right(x, y, x+seqEnd, axis, "seq")
	p.c.Right(x, y, x+tEnd, strong, "t")
	for i, end := range []int{pEnd, hEnd, wEnd} {
		p.c.Right(x, y, x+end, canvas.Style{FG: parts[i].text, Attr: canvas.Bold}, parts[i].letter)
	}
	x += barsX
	free, last := x, x
	for i := 0; i*sc.cells < sc.w; i++ {
		label := strconv.FormatInt(int64(i)*sc.stepUS/1000, 10)
		if at := x + i*sc.cells; at >= free && at+len(label) <= r.right() {
			free = p.c.Text(at, y, axis, label) + 1
			last = free
		}
	}
	if last+2 <= r.right() {
		p.c.Text(last, y, axis, "ms")
	}
}

// frame draws a frame's numbers.
func (p *page) frame(x, y int, f *model.Frame) {
	seq := unknown
	if f.Seq.Known() {
		seq = strconv.FormatInt(f.Seq.Value(), 10)
		if len(seq) > seqEnd {
			seq = "…" + seq[len(seq)-seqEnd+1:]
		}
	}
	seqStyle, total := quiet, text
	if f.Failed() {
		seqStyle = bad
	}
	// What stands out is near the P95 or above, where that is apart from P50.
	q := &p.s.Setting.Parts[model.PartTotal]
	if t := f.TotalUS.Value(); q.N >= minP95 && t*100 >= q.P95.Value()*98 && t*10 > q.P50.Value()*11 {
		total = strong
	}
	p.c.Right(x, y, x+seqEnd, seqStyle, seq)
	p.c.Right(x+seqEnd, y, x+tEnd, total, p.frameMS(f.TotalUS))
	p.c.Right(x+tEnd, y, x+pEnd, quiet, p.frameMS(f.PollUS))
	p.c.Right(x+pEnd, y, x+hEnd, quiet, p.frameMS(f.FramingUS()))
	p.c.Right(x+hEnd, y, x+wEnd, quiet, p.frameMS(f.PayloadUS))
}

// segments are a frame's parts as they follow each other, in eighths.
func segments(dst []canvas.Segment, f *model.Frame, eighths func(us int64) int, odd bool) []canvas.Segment {
	end := eighths(spent(f))
	var at int64
	us := [...]int64{f.PollUS.Value(), f.MaskUS.Value() + f.HeaderUS.Value(), f.PayloadUS.Value(), 0}
	for i := range parts {
		q := &parts[i]
		at += us[i]
		s := canvas.Segment{End: min(eighths(at), end), Color: q.bar, Grid: q.barGrid, Letter: rune(q.letter[0])}
		if i == len(parts)-1 {
			s.End = end
		}
		if odd {
			s.Color, s.Grid = q.alt, q.altGrid
		}
		dst = append(dst, s)
	}
	return dst
}

func (p *page) bar(x, y, w int, sc scale, f *model.Frame, odd bool) {
	var room [4]canvas.Segment
	segs := segments(room[:0], f, sc.eighths, odd)
	canvas.Bars{Letters: p.v.Look.Plain(), Every: sc.cells, Grid: theme.Grid}.Row(p.c, x, y, w, segs)
	end := segs[len(segs)-1].End
	if end > w*8 {
		p.c.Set(x+w-1, y, '›', strong) // beyond the scale, while it is about to grow
	}
	if f.Failed() {
		// Behind the bar, or over its end where there is no room.
		words := "✗ sent " + f.Ret.String() + " of " + f.PayloadBytes.String()
		at := min(x+(end+7)/8+1, x+w-canvas.TextWidth(words))
		p.c.TextTo(max(at, x), y, x+w, ailing, words)
	}
}

// marks draws, below the bars, one round trip and the P95 and P50 of the totals,
// each where there is room for its name.
func (p *page) marks(bars rect, y int, sc scale) {
	taken := bars.x - barsX // columns before are not free
	if rtt := p.s.Path.RTTUS; rtt.Known() {
		label := "one round trip, " + ms(rtt) + " ms"
		at, mark := bars.x+sc.cell(rtt.Value()), '▴'
		if at >= bars.right() {
			at, mark = bars.right()-1, '›'
		}
		p.c.Set(at, y, mark, bright)
		if n := canvas.TextWidth(label); at-1-n >= taken {
			p.c.Text(at-1-n, y, quiet, label)
			taken = at + 1
		} else {
			taken = p.c.TextTo(at+2, y, bars.right()+2, quiet, label)
		}
	}
	q := &p.s.Setting.Parts[model.PartTotal]
	if q.N == 0 {
		return
	}
	// Names may reach into the gap beside; the P95 goes first.
	name, high := len("^ P95"), "P95"
	if q.N < minP95 {
		high = "max"
	}
	end := bars.right() + 2
	if x := bars.x + sc.cell(q.P95.Value()); x > taken && x < bars.right() {
		switch {
		case x+name <= end:
			p.c.Text(x, y, quiet, "▴ "+high)
			end = x - 1
		case x+1-name > taken:
			p.c.Text(x+1-name, y, quiet, high+" ▴")
			end = x - name
		}
	}
	if x := bars.x + sc.cell(q.P50.Value()); x > taken && x+name <= end {
		p.c.Text(x, y, quiet, "▴ P50")
	}
}
