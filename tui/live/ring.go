package live

import (
	"strconv"

	"dev.local/linktop/model"
)

// ring is the device's buffer between producer and WebSocket task.
func (p *page) ring(r rect, over bool) {
	g := &p.s.Ring
	capacity := g.CapacityBytes
	if capacity == 0 {
		capacity = model.RingBytes
	}
	p.title(r.x, r.y, r.right(), "RING BUFFER", strconv.FormatInt(capacity>>10, 10)+" KiB")
	full := capacity / model.PCMBytesPerMS
	y := r.y + 1

	backlog := figure{name: "backlog", value: unknown, unit: "%", style: strong}
	if g.BacklogMS.Known() {
		backlog.value = strconv.FormatInt(min(g.BacklogMS.Value()*100/full, 100), 10)
	}
	p.figure(r, y, backlog)
	if slot(r) && g.BacklogMS.Known() {
		p.c.Thin(r.x+slotX, y, slotW, int(g.BacklogMS.Value()*2*slotW/full), rates, &grid)
	}
	y++
	if over {
		f := figure{name: lastSeconds(len(g.Series)), value: unknown, unit: "s", style: text, faint: true}
		if g.BacklogMS.Known() {
			f.value = seconds(g.BacklogMS.Value())
		}
		p.figure(r, y, f)
		p.spark(r.x+slotX+slotW, y, slotW, len(g.Series), opts(g.Series), full, levels)
		y++
	}

	f := figure{name: "dropped", value: wholeKB(g.DroppedBytes), unit: "KB", style: text}
	about := ""
	switch {
	case g.DroppedBytes.Value() > 0:
		f.style = bad
		if g.DropSinceUS > 0 {
			about = "since " + clock(g.DropSinceUS-p.s.StartUS)
		}
	case g.OverflowInMS.Known() && p.s.Headline.Badge != model.KeepsUp: // a ripple is no trend
		about = "full in " + seconds(g.OverflowInMS.Value()) + " s"
	}
	p.figure(r, y, f)
	if slot(r) {
		p.c.TextTo(r.x+slotX, y, r.x+slotX+slotW, quiet, about)
	}
}
