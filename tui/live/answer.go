package live

import "strconv"

// answer is the view for windows too small for panels: the verdict, the rates,
// the backlog and how to leave.
func (p *page) answer(w, h int) {
	const margin = 1
	p.badge(margin, 0, p.badgeNow())
	figures := 5
	spare := h - 1 - figures - 1 // rows for the words and blank ones
	lines := min(spare, 5)
	p.words(rect{margin, 1, w - 2*margin, lines})
	y := 1 + lines
	if spare > lines {
		y++
	}
	r := rect{margin, y, min(w-2*margin, 30), figures}
	rt, g := &p.s.Rate, &p.s.Ring
	p.figure(r, y, figure{name: "makes", value: kb(rt.Makes), unit: "KB/s", style: strong})
	p.figure(r, y+1, figure{name: "sends", value: kb(rt.Sends), unit: "KB/s", style: strong})
	p.figure(r, y+2, figure{name: "server gets", value: kb(rt.Gets), unit: "KB/s", style: text})
	backlog := unknown
	if full := g.FullMS(); g.BacklogMS.Known() && full > 0 {
		backlog = strconv.FormatInt(min(g.BacklogMS.Value()*100/full, 100), 10)
	}
	p.figure(r, y+3, figure{name: "ring backlog", value: backlog, unit: "%", style: strong})
	dropped := figure{name: "dropped", value: wholeKB(g.DroppedBytes), unit: "KB", style: text}
	if g.DroppedBytes.Value() > 0 {
		dropped.style = bad
	}
	p.figure(r, y+4, dropped)
	p.keyBar(w, h-1, margin)
}
