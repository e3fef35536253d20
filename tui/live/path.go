package live

import (
	"strconv"

	"dev.local/linktop/tui/canvas"
)

// path is what lies between device and server.
func (p *page) path(r rect, all bool) {
	t := &p.s.Path
	about := ""
	switch {
	case t.Colo != "":
		about = "edge " + t.Colo
	case t.Proxied:
		about = "behind a proxy"
	}
	x := p.title(r.x, r.y, r.right(), "PATH", about)
	if t.RTTUS.Known() && t.RTTSource != "" {
		if source := "by " + t.RTTSource; x+2+canvas.TextWidth(source) <= r.right() {
			p.c.Right(x+2, r.y, r.right(), axis, source)
		}
	}
	y := r.y + 1
	rtt := strong
	if !t.RTTUS.Known() {
		rtt = text
	}
	p.figure(r, y, figure{name: "round trip", value: ms(t.RTTUS), unit: "ms", style: rtt})
	if slot(r) {
		// Twice the usual at the top: a calm path runs level at half the height.
		top := 2 * t.RTTUS.Value()
		for _, v := range t.RTTSeries[max(0, len(t.RTTSeries)-slotW):] {
			top = max(top, v.Value())
		}
		p.spark(r.x+slotX+slotW, y, slotW, len(t.RTTSeries), opts(t.RTTSeries), top, levels)
	}
	y++
	if all {
		p.figure(r, y, figure{name: "report echo", value: ms(t.EchoUS), unit: "ms", style: text})
		p.c.TextTo(r.x+slotX, y, r.x+slotX+slotW, quiet, "waits in ring")
		y++
		free := figure{name: "buffer free", value: unknown, unit: "B", style: text}
		if t.Tank.FreeBytes.Known() {
			free.value = strconv.FormatInt(t.Tank.FreeBytes.Value(), 10)
			if !t.Tank.Measured {
				free.value = "≈" + free.value
			}
		}
		p.figure(r, y, free)
		if t.Tank.LowWaterBytes > 0 {
			needs, room := "poll needs "+strconv.FormatInt(t.Tank.LowWaterBytes, 10), r.right()-unitW-canvas.TextWidth(free.value)-1
			if r.x+slotX+canvas.TextWidth(needs) > room {
				needs = needs[len("poll "):]
			}
			p.c.TextTo(r.x+slotX, y, room, quiet, needs)
		}
		y++
	}
	p.figure(r, y, figure{name: "retransmitted", value: t.Retrans.String(), style: text})
}
