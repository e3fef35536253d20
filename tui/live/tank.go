package live

import (
	"strconv"

	"dev.local/linktop/tui/canvas"
)

// tankRows is the height of the send buffer's panel.
const tankRows = 4

// tank is the device's TCP send buffer as a vessel: how full it is, and where
// poll wakes up.
func (p *page) tank(r rect) {
	t := &p.s.Path.Tank
	about := ""
	if t.SndBufBytes > 0 {
		about = strconv.FormatInt(t.SndBufBytes, 10) + " B"
	}
	x := p.title(r.x, r.y, r.right(), "SEND BUFFER", about)
	how := "estimated"
	if t.Measured {
		how = "measured"
	}
	if !t.FreeBytes.Known() || t.SndBufBytes <= 0 {
		p.c.TextTo(r.x, r.y+1, r.right(), quiet, "not known yet: no frame has told")
		return
	}
	p.c.Right(x+2, r.y, r.right(), axis, how)

	used := min(max(t.SndBufBytes-t.FreeBytes.Value(), 0), t.SndBufBytes)
	w := r.w
	fill := int((used*int64(w) + t.SndBufBytes/2) / t.SndBufBytes)
	writable := int((t.SndBufBytes - t.LowWaterBytes) * int64(w) / t.SndBufBytes)
	for i := range w {
		if i < fill {
			p.c.Step(r.x+i, r.y+1, 6, levels)
		} else {
			p.c.Step(r.x+i, r.y+1, 1, grid)
		}
	}
	p.c.Set(r.x+writable, r.y+2, '▴', bright)
	label := "writable below " + strconv.FormatInt(t.SndBufBytes-t.LowWaterBytes, 10)
	if n := canvas.TextWidth(label); writable+2+n <= w {
		p.c.Text(r.x+writable+2, r.y+2, quiet, label)
	} else {
		p.c.Right(r.x, r.y+2, r.x+writable-1, quiet, label)
	}
	x = p.c.Text(r.x, r.y+3, text, "used ")
	x = p.c.Text(x, r.y+3, strong, strconv.FormatInt(used, 10))
	x = p.c.Text(x, r.y+3, quiet, " B  free ")
	x = p.c.Text(x, r.y+3, bright, strconv.FormatInt(t.FreeBytes.Value(), 10))
	if p.c.Text(x, r.y+3, quiet, " B"); t.MSSBytes > 0 {
		p.c.Right(x+4, r.y+3, r.right(), quiet, "MSS "+strconv.FormatInt(t.MSSBytes, 10))
	}
}
