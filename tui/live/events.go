package live

import "dev.local/linktop/model"

// events lists what happened, the newest first.
func (p *page) events(r rect) {
	p.title(r.x, r.y, r.right(), "EVENTS", "")
	marks := p.s.Marks
	for i := 1; i < r.h && i <= len(marks); i++ {
		p.mark(r.x, r.y+i, r.right(), &marks[len(marks)-i])
	}
}

// mark draws an event: when, a sign in grey for what was asked and in orange for
// what happened, and what it was.
func (p *page) mark(x, y, end int, m *model.Mark) {
	x = p.c.TextTo(x, y, end, quiet, clock(m.HostUS-p.s.StartUS))
	sign, words := ailing, text
	if m.Asked {
		sign, words = quiet, quiet
	}
	if x+2 < end {
		p.c.Set(x+2, y, '▴', sign)
	}
	p.c.TextTo(x+4, y, end, words, m.Text)
}

// lastEvent is the newest event alone.
func (p *page) lastEvent(x, y, end int) {
	if n := len(p.s.Marks); n > 0 {
		p.mark(x, y, end, &p.s.Marks[n-1])
	}
}
