package live

import (
	"strconv"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
)

// rate tells bytes per second at each stage: made, allowed by the send buffer,
// sent, received.
func (p *page) rate(r rect, allows, spark bool) {
	rt := &p.s.Rate
	p.title(r.x, r.y, r.right(), "RATE", "")
	most := max(rt.Makes.Value(), rt.Sends.Value(), rt.Gets.Value(), 1)
	y := r.y + 1
	row := func(name string, v model.Opt, value, line canvas.Style) {
		p.figure(r, y, figure{name: name, value: kb(v), unit: "KB/s", style: value})
		if slot(r) && v.Known() {
			p.c.Thin(r.x+slotX, y, slotW, int((v.Value()*2*slotW+most/2)/most), line, nil)
		}
		y++
	}
	row("makes", rt.Makes, strong, rates)
	if allows {
		value, line := text, rates
		if a := rt.BufferAllows; a.Known() && a.Value() < rt.Makes.Value() {
			value, line = limit, limited
		}
		row("buffer allows", rt.BufferAllows, value, line)
	}
	row("sends", rt.Sends, strong, rates)
	if spark {
		series, makes := rt.SendsSeries, rt.MakesSeries
		n := len(series)
		top := rt.Makes.Value()
		for _, v := range series[max(0, n-slotW):] {
			top = max(top, v.Value())
		}
		for _, v := range makes[max(0, len(makes)-slotW):] {
			top = max(top, v.Value())
		}
		p.c.Text(r.x, y, quiet, lastSeconds(n))
		p.spark(r.x+slotX+slotW, y, slotW, n, opts(series), top, rates)
		y++
	}
	row("server gets", rt.Gets, text, rates)
}

// lastSeconds names the stretch of a series of one value a second.
func lastSeconds(n int) string {
	if n == 0 {
		return "audio waiting"
	}
	return "last " + strconv.Itoa(min(n, slotW)) + " s"
}

func opts(series []model.Opt) func(i int) (int64, bool) {
	return func(i int) (int64, bool) { return series[i].Value(), series[i].Known() }
}
