package live

import "dev.local/linktop/tui/canvas"

// log shows the newest lines of both sides, the newest last.
func (p *page) log(r rect) {
	p.title(r.x, r.y, r.right(), "LOG", "both sides")
	lines := p.s.Log
	lines = lines[max(0, len(lines)-(r.h-1)):]
	for i := range lines {
		l, y := &lines[i], r.y+1+i
		words := quiet
		switch l.Level {
		case "E":
			words = ailing
		case "W":
			words = limited
		}
		t := (l.HostUS - p.s.StartUS) / 10_000 // hundredths of a second
		p.c.Right(r.x, y, r.x+6, axis, hundredths(t))
		p.c.TextTo(r.x+7, y, r.right(), axis, l.Side)
		x := r.x + 14
		if l.Level == "E" || l.Level == "W" {
			x = p.c.TextTo(x, y, r.right(), words.With(canvas.Bold), l.Level) + 1
		}
		if l.Tag != "" && r.w >= 60 {
			x = p.c.TextTo(x, y, r.right(), axis, l.Tag) + 1
		}
		p.c.TextTo(x, y, r.right(), words, l.Text)
	}
}

// hundredths writes the last minutes' seconds with two decimals.
func hundredths(t int64) string {
	t = max(t, 0) % 100_000
	return itoa(t/100) + string([]byte{'.', byte('0' + t/10%10), byte('0' + t%10)})
}
