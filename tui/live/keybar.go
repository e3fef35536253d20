package live

import "dev.local/linktop/tui/canvas"

// keyHint is a key and what it does.
type keyHint struct{ key, does string }

func (k keyHint) width() int { return canvas.TextWidth(k.key) + 1 + len(k.does) }

// keyBar lists the keys, the first at the left, quit at the right margin; those
// in the middle go first where room is short.
func (p *page) keyBar(w, y, margin int) {
	if p.v.Question != "" {
		p.flow(margin, y, w-2*margin, 1, span{p.v.Question, limit}, span{"  y", strong}, span{" yes", quiet},
			span{"  n", strong}, span{" no", quiet})
		return
	}
	adjust, _ := adjusts(p.v.Adjust)
	freeze := "freeze"
	if p.v.Frozen {
		freeze = "go on"
	}
	hints := []keyHint{{"?", "help"}, {"space", freeze}}
	if p.steerable() && p.reached() {
		hints = append(hints, keyHint{"[ ]", adjust}, keyHint{"tab", "next value"}, keyHint{"u", "point device here"})
	}
	if p.s.Port.State == "open" || p.s.Port.State == "back" {
		hints = append(hints, keyHint{"R", "reset device"})
	}
	if p.v.Help {
		hints = []keyHint{{"esc", "close help"}}
	}
	p.hints(w, y, margin, hints)
}

func (p *page) hints(w, y, margin int, hints []keyHint) {
	quit := keyHint{"q", "quit"}
	room := w - 2*margin - quit.width()
	gap := 4
	for {
		n := 0
		for _, k := range hints {
			n += k.width() + gap
		}
		if n <= room || len(hints) <= 1 && gap == 2 {
			break
		}
		if gap > 2 {
			gap--
			continue
		}
		mid := (len(hints) + 1) / 2
		hints = append(hints[:mid:mid], hints[mid+1:]...)
	}
	x := margin
	for _, k := range hints {
		x = p.hint(x, y, w-margin, k) + gap
	}
	p.hint(w-margin-quit.width(), y, w, quit)
}

func (p *page) hint(x, y, end int, k keyHint) int {
	x = p.c.TextTo(x, y, end, strong, k.key)
	return p.c.TextTo(x+1, y, end, quiet, k.does)
}

// steers tells which keys change the device; help lists them.
var steers = []keyHint{
	{"1 2 3 4", "frame of 1024, 2048, 4096, 8192 bytes"},
	{"b", "bursts on or off"},
	{"p", "pacing on or off"},
	{"a", "aggregation on or off"},
	{"c", "next codec"},
	{"[ ]", "less or more of burst, idle or pacing"},
	{"tab", "which of these [ and ] change"},
	{"u", "point the device at this server"},
	{"R", "reset the device (asks first)"},
}

var others = []keyHint{
	{"space", "freeze the screen; nothing else stops"},
	{"?", "this help"},
	{"esc", "close, cancel"},
	{"q", "quit (also ctrl-c)"},
}
