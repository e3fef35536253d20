package live

import (
	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

// idleUS is the pause before a frame from which the frame stands apart: an empty
// column. Continuous sending leaves a few ms between frames.
const idleUS = 400_000

// timeLabelW is the room for the scale's labels, left of the columns.
const timeLabelW = 7

// column is a frame on the time axis.
type column struct {
	x     int
	frame int // index in Snapshot.Frames
	rev   model.Opt
}

// columns places the newest frames, a column each, newest right. A pause is an
// empty column, a change of settings a dotted one.
func (p *page) columns(left, right int, dst []column) []column {
	frames := p.s.Frames
	x := right - 1
	for i, newer := len(frames)-1, -1; i >= 0; i-- {
		f := &frames[i]
		if !f.Audio() {
			continue
		}
		if newer >= 0 {
			n := &frames[newer]
			changed := n.Rev.Known() && f.Rev.Known() && n.Rev != f.Rev
			if changed || n.HostUS-spent(&n.Frame)-f.HostUS > idleUS {
				x--
			}
		}
		if x < left || len(dst) == cap(dst) {
			break
		}
		dst = append(dst, column{x, i, f.Rev})
		newer = i
		x--
	}
	return dst
}

// overTime draws the frames as columns under the settings in force, with events
// below, all on one axis.
func (p *page) overTime(r rect) {
	p.title(r.x, r.y, r.right(), "OVER TIME", "a column a frame, newest right")
	plot := rect{r.x + timeLabelW, r.y + 2, r.w - timeLabelW, r.h - 4}
	if plot.h%2 != 0 { // half the scale is to fall between two rows
		plot.y, plot.h = plot.y+1, plot.h-1
	}
	var room [model.SnapshotFrames]column
	cols := p.columns(plot.x, plot.right(), room[:0])

	longest := int64(minScaleUS)
	for _, c := range cols {
		longest = max(longest, spent(&p.s.Frames[c.frame].Frame))
	}
	top := roundUp(longest)
	for _, at := range [...]struct {
		y  int
		us int64
	}{{plot.y, top}, {plot.y + plot.h/2, top - top*int64(plot.h/2)/int64(plot.h)}} {
		for x := plot.x; x < plot.right(); x++ {
			p.c.Set(x, at.y, '▔', grid)
		}
		label := ms(model.Some(at.us))
		if at.y == plot.y {
			label += " ms"
		}
		p.c.Right(r.x, at.y, plot.x-1, axis, label)
	}
	p.c.Right(r.x, plot.bottom()-1, plot.x-1, axis, "0")

	eighths := func(us int64) int { return int((us*8*int64(plot.h) + top/2) / top) }
	for i, c := range cols {
		f := &p.s.Frames[c.frame].Frame
		var segs [4]canvas.Segment
		canvas.Bars{Letters: p.v.Look.Plain()}.Column(p.c, c.x, plot.bottom()-1, plot.h,
			segments(segs[:0], f, eighths, f.Seq.Value()%2 != 0))
		if i > 0 && cols[i-1].rev != c.rev && cols[i-1].x-c.x > 1 {
			for y := plot.y; y < plot.bottom(); y++ {
				p.c.Set(cols[i-1].x-1, y, '┊', axis)
			}
		}
	}
	p.band(plot, r.y+1, cols)
	p.timeMarks(plot, cols)
}

// roundUp is the next 1, 2, 4, 5 or 10 times a power of ten.
func roundUp(us int64) int64 {
	for ten := int64(1); ; ten *= 10 {
		for _, m := range []int64{1, 2, 4, 5} {
			if v := m * ten; v >= us {
				return v
			}
		}
	}
}

// band names the settings above the columns they were in force for. Those in
// force now come last: their name may take the room of those before.
func (p *page) band(plot rect, y int, cols []column) {
	if len(cols) == 0 {
		return
	}
	newest := 0
	for i := 0; i < len(cols); {
		j := i
		for j+1 < len(cols) && cols[j+1].rev == cols[i].rev {
			j++
		}
		if i == 0 {
			newest = j
		} else {
			from, to := cols[j].x, cols[i].x+1
			p.c.Fill(from, y, to-from, 1, ' ', canvas.Style{BG: theme.Band})
			if name := "rev " + cols[i].rev.String(); to-from > len(name) {
				p.c.Text(from+1, y, quiet.On(theme.Band), name)
			}
		}
		i = j + 1
	}
	s := strong.On(theme.Selected)
	name := p.s.Settings.Title()
	from, to := cols[newest].x, cols[0].x+1
	p.c.Fill(from, y, to-from, 1, ' ', s)
	if canvas.TextWidth(name)+1 < to-from {
		p.c.Text(from+1, y, s, name)
	} else {
		p.c.Right(plot.x, y, to, s, name)
	}
}

// timeMarks draws the time of the first and the last column, and events where
// they happened, the newest first where two want the same place.
func (p *page) timeMarks(plot rect, cols []column) {
	if len(cols) == 0 {
		return
	}
	y := plot.bottom()
	at := func(c column) int64 { return p.s.Frames[c.frame].HostUS }
	last := clock(at(cols[0]) - p.s.StartUS)
	free := p.c.Right(plot.x, y, plot.right(), axis, last) - 1
	marks := p.s.Marks
	i, labels := 0, plot.right()
	for m := len(marks) - 1; m >= 0; m-- {
		// The first column after the event.
		for i+1 < len(cols) && at(cols[i+1]) >= marks[m].HostUS {
			i++
		}
		if at(cols[i]) < marks[m].HostUS || i == len(cols)-1 && len(cols) > 1 && at(cols[i])-spent(&p.s.Frames[cols[i].frame].Frame) > marks[m].HostUS+idleUS {
			continue // after the newest, or before the oldest
		}
		x := cols[i].x
		w := 2 + canvas.TextWidth(marks[m].Text)
		if x+1 > labels {
			continue
		}
		sign := ailing
		if marks[m].Asked {
			sign = quiet
		}
		p.c.Set(x, y+1, '▴', sign)
		if x+w <= labels {
			p.c.Text(x+2, y+1, quiet, marks[m].Text)
		} else if x-w >= plot.x && labels == plot.right() {
			p.c.Text(x-w, y+1, quiet, marks[m].Text)
			x -= w
		}
		labels = x - 1
		t := clock(marks[m].HostUS - p.s.StartUS)
		if x+len(t) <= free {
			p.c.Text(cols[i].x, y, axis, t)
			free = min(free, cols[i].x-1)
		}
	}
	first := cols[len(cols)-1]
	if t := clock(at(first) - p.s.StartUS); first.x+len(t) < free {
		p.c.Text(first.x, y, axis, t)
	}
}
