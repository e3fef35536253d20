package live

import (
	"strings"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

// toggle is how far the newest change of a setting got.
func (p *page) toggle(setting string) model.Toggle {
	if t, ok := p.v.Pressed[setting]; ok {
		return t
	}
	return p.s.Toggles[setting]
}

// desk shows what can be changed on the device, what is in force, and what
// became of what was asked.
func (p *page) desk(r rect, margin int) {
	p.c.Fill(r.x, r.y, r.w, r.h, ' ', canvas.Style{BG: theme.Band})
	all := p.controls()
	y, end := r.y, r.w-margin
	if r.h > 2 {
		x := p.title(margin, y, end, "EXPERIMENT", "")
		if p.steerable() {
			name, next := adjusts(p.v.Adjust)
			x = p.c.TextTo(x+2, y, end, text, "[ ]")
			x = p.c.TextTo(x+1, y, end, quiet, "changes "+name+"  ")
			x = p.c.TextTo(x, y, end, text, "tab")
			x = p.c.TextTo(x+1, y, end, quiet, next)
		}
		sign, signStyle, words, wordStyle := p.deskState()
		at := p.c.Right(x+4, y, end, wordStyle, words)
		p.c.Set(at-2, y, sign, signStyle)
		y++
	}
	var widths [5]int
	total := 0
	for i := range all {
		widths[i] = p.controlWidth(&all[i], r.h > 2)
		total += widths[i]
	}
	gap := (end - margin - total) / (len(all) - 1)
	if gap < 3 && r.h > 2 { // units go first
		total = 0
		for i := range all {
			all[i].unit = ""
			widths[i] = p.controlWidth(&all[i], true)
			total += widths[i]
		}
		gap = (end - margin - total) / (len(all) - 1)
	}
	gap = max(gap, 1)
	x := margin
	for i := range all {
		if i == len(all)-1 {
			x = max(x, end-widths[i])
		}
		room := min(end, x+widths[i]+gap-1)
		p.control(x, y, room, &all[i], r.h > 2)
		x += widths[i] + gap
	}
	if r.h == 2 && p.s.Device.Hello == model.HelloNo {
		p.c.Fill(margin, y+1, end-margin, 1, ' ', canvas.Style{})
		p.c.TextTo(margin, y+1, end, limited, readOnly)
	}
	p.c.Ground(r.x, r.y, r.w, r.h, theme.Band)
	p.selected(r, margin, end, all[:], widths[:], gap, y+1)
}

// readOnly is told in place of what toggles would do.
const readOnly = "toggles have no effect: the firmware does not answer hello"

func (p *page) steerable() bool { return p.s.Device.Hello != model.HelloNo }

// adjusts names what [ and ] change, and what tab makes them change.
func adjusts(setting string) (name, next string) {
	switch setting {
	case model.KeyIdle:
		return "idle", "pacing"
	case model.KeyPace:
		return "pacing", "burst"
	}
	return "burst", "idle"
}

// deskState sums the toggles up in a few words.
func (p *page) deskState() (rune, canvas.Style, string, canvas.Style) {
	if !p.steerable() {
		return '○', limited, readOnly, limited
	}
	asked := false
	for _, c := range [...][2]string{{model.KeyFrame, "frame"}, {model.KeyBurst, "burst"}, {model.KeyPace, "pacing"},
		{model.KeyAgg, "aggregate"}, {model.KeyCodec, "codec"}} {
		switch t := p.toggle(c[0]); t.State {
		case model.ToggleRefused:
			return '✗', ailing, c[1] + " " + AggWait(t.Asked) + ": " + t.Reason, text
		case model.ToggleAsked:
			asked = true
		}
	}
	switch {
	case asked:
		return '…', text, "waiting for the device to confirm", quiet
	case p.s.Settings.Rev.Known():
		return '✓', good, "every setting confirmed, rev " + p.s.Settings.Rev.String(), quiet
	case p.s.Settings.Known():
		return '✓', good, "settings as the device told", quiet
	case p.s.Device.Hello == model.HelloAsked:
		return '…', text, "asking the device what it can do", quiet
	}
	return '?', quiet, "the device has not told its settings", quiet
}

// control draws one toggle: key and name, choices, state.
func (p *page) control(x, y, end int, c *control, full bool) {
	key := strong
	if !p.steerable() {
		key = quiet
	}
	at := p.c.TextTo(x, y, end, key, c.key)
	name := c.name
	if full {
		name += c.unit
	}
	p.c.TextTo(at+1, y, end, quiet, name)
	t := p.toggle(c.setting)
	if !full {
		// The chip itself is drawn over the band.
		at = x + canvas.TextWidth(c.shown()) + 2
		p.c.TextTo(x+1, y+1, end, strong, c.shown())
		sign, s := p.sign(c, t)
		p.c.Set(at+1, y+1, sign, s)
		if t.State == model.ToggleAsked || t.State == model.ToggleRefused {
			p.c.TextTo(at+3, y+1, end, quiet, AggWait(t.Asked))
		}
		return
	}
	at = x
	for _, choice := range c.choices {
		s := quiet
		switch {
		case choice == c.now:
			s = strong
		case t.State == model.ToggleAsked && choice == AggWait(t.Asked):
			s = limited
		}
		p.c.TextTo(at+1, y+1, end, s, choice)
		p.underline(c, choice, at+1, y+1)
		at += len(choice) + 2
	}
	sign, s := p.sign(c, t)
	p.c.Set(x, y+2, sign, s)
	p.c.TextTo(x+2, y+2, end, quiet, p.state(c, t))
}

// underline marks the number that [ and ] change.
func (p *page) underline(c *control, choice string, x, y int) {
	if choice == "off" || !p.steerable() {
		return
	}
	from, to := 0, len(choice)
	slash := strings.IndexByte(choice, '/')
	switch {
	case c.setting == model.KeyBurst && p.v.Adjust == model.KeyBurst && slash > 0:
		to = slash
	case c.setting == model.KeyBurst && p.v.Adjust == model.KeyIdle && slash > 0:
		from = slash + 1
	case c.setting == model.KeyPace && p.v.Adjust == model.KeyPace:
	default:
		return
	}
	for i := from; i < to; i++ {
		cell := p.c.At(x+i, y)
		p.c.Set(x+i, y, cell.Rune, cell.Style.With(canvas.Underline))
	}
}

// selected puts what is in force on a ground of its own, or in brackets.
func (p *page) selected(r rect, margin, end int, all []control, widths []int, gap, y int) {
	if r.h == 2 && !p.steerable() {
		return
	}
	x := margin
	for i := range all {
		c := &all[i]
		if i == len(all)-1 {
			x = max(x, end-widths[i])
		}
		at := x
		for _, choice := range c.choices {
			if r.h == 2 {
				choice = c.shown()
			}
			if c.now != "" && (choice == c.now || r.h == 2) {
				if p.v.Look.Plain() {
					p.c.Set(at, y, '[', strong.On(theme.Band))
					p.c.Set(at+len(choice)+1, y, ']', strong.On(theme.Band))
				} else {
					p.c.Ground(at, y, len(choice)+2, 1, theme.Selected)
				}
				break
			}
			at += len(choice) + 2
		}
		x += widths[i] + gap
	}
}

func (p *page) sign(c *control, t model.Toggle) (rune, canvas.Style) {
	switch {
	case t.State == model.ToggleAsked:
		return '…', limited
	case t.State == model.ToggleRefused:
		return '✗', ailing
	case c.now == "":
		return ' ', quiet
	}
	return '✓', good
}

// state is what became of a change, in words.
func (p *page) state(c *control, t model.Toggle) string {
	switch t.State {
	case model.ToggleAsked:
		return "asked " + tenths(max(p.v.NowUS-t.AskedUS, 0)/100_000) + " s ago"
	case model.ToggleRefused:
		return t.Reason
	case model.ToggleConfirmed:
		if t.TookUS.Known() && t.Asked != "" {
			return AggWait(t.Asked) + " in " + ms(t.TookUS) + " ms"
		}
	}
	if c.now == "" {
		return "not known"
	}
	return c.now
}
