package live

import (
	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

// badgeStyle is the background and text of a badge.
func badgeStyle(b model.Badge) canvas.Style {
	s := canvas.Style{FG: theme.Strong, BG: theme.Selected, Attr: canvas.Bold}
	switch b {
	case model.KeepsUp:
		s.FG, s.BG = theme.Inverse, theme.Good
	case model.Degraded, model.Silent:
		s.FG, s.BG = theme.OnLimit, theme.Limit
	case model.Fail, model.PortBusy, model.NoDevice, model.NoServer:
		s.FG, s.BG = theme.Inverse, theme.Bad
	}
	return s
}

// badge draws a badge and returns the column after it.
func (p *page) badge(x, y int, b model.Badge) int {
	return p.chip(x, y, string(b), badgeStyle(b))
}

// chip is a word on a ground of its own, in brackets where there is none.
func (p *page) chip(x, y int, word string, s canvas.Style) int {
	if p.v.Look.Plain() {
		return p.c.Text(x, y, canvas.Style{Attr: canvas.Bold}, "["+word+"]")
	}
	return p.c.Text(x, y, s, " "+word+" ")
}

// frozenBadge replaces what the numbers said when the screen stopped.
const frozenBadge model.Badge = "FROZEN"

// headline is the long words where they fit on one line each, else the short.
func headline(h *model.Headline, w int) *model.Words {
	l := &h.Long
	if l.What == "" {
		return &h.Short
	}
	if h.Short.What == "" || canvas.TextWidth(l.What) <= w && spansWidth(sum(l)) <= w && spansWidth(advice(l, w)) <= w {
		return l
	}
	return &h.Short
}

func sum(t *model.Words) []span {
	spans := []span{{t.Sum, text}}
	if t.Limit != "" {
		spans = append(spans, span{" ", text}, span{t.Limit, limit}, span{".", text})
	}
	return spans
}

// advice is what to do; a second thing stands two blanks on, or one where that
// keeps both on a line of w columns.
func advice(t *model.Words, w int) []span {
	var spans []span
	if t.Do != "" {
		spans = append(spans, span{"→ ", quiet}, span{t.Do, bright})
	}
	if t.More != "" {
		if t.Do != "" {
			gap := "  "
			if spansWidth(spans)+len(gap)+canvas.TextWidth(t.More) > w {
				gap = " "
			}
			spans = append(spans, span{gap, quiet})
		}
		spans = append(spans, span{t.More, quiet})
	}
	return spans
}

// badgeNow is the badge to show: what the numbers say, or that they stand still.
func (p *page) badgeNow() model.Badge {
	switch {
	case p.v.Frozen:
		return frozenBadge
	case p.s.Headline.Badge == "":
		return model.Running
	}
	return p.s.Headline.Badge
}

// verdict draws the answer: a badge, what is the case, why, and what to do. It
// returns the rows that took.
func (p *page) verdict(r rect) int {
	b := p.badgeNow()
	x := r.x + 12
	if r.x > 1 {
		x = r.x + 13
	}
	x = max(x, p.badge(r.x, r.y, b)+1)
	return p.words(rect{x, r.y, r.right() - x, r.h})
}

// words draws the three sentences into the rows of r, longer ones on two where
// others leave room.
func (p *page) words(r rect) int {
	t := headline(&p.s.Headline, r.w)
	if t.What == "" {
		t = &model.Words{What: "Nothing has been heard yet."}
	}
	what := []span{{t.What, strong}}
	why, do := sum(t), advice(t, r.w)
	if p.v.Frozen {
		do = p.frozen()
	}
	rows := r.h
	need := func(spans []span) int { return flowLines(r.w, spans...) }
	nWhat, nWhy, nDo := need(what), need(why), need(do)
	// Everyone gets a line, the first what is left, then the second.
	for nWhat+nWhy+nDo > rows {
		switch {
		case nDo > 1:
			nDo--
		case nWhy > 1:
			nWhy--
		case nWhat > 1 && rows > 1 && nWhat+nWhy > rows:
			nWhat--
		case nDo > 0:
			nDo--
		case nWhy > 0:
			nWhy--
		default:
			nWhat = rows
		}
	}
	y := r.y
	y += p.flow(r.x, y, r.w, nWhat, what...)
	y += p.flow(r.x, y, r.w, nWhy, why...)
	y += p.flow(r.x, y, r.w, nDo, do...)
	return y - r.y
}

// frozen tells that the screen stands still, and nothing else does.
func (p *page) frozen() []span {
	return []span{
		{"The screen stands still; ", quiet},
		{count(p.v.Newer, "newer frame", "newer frames"), bright},
		{" arrived.  ", quiet}, {"space", strong}, {" goes on.", quiet},
	}
}
