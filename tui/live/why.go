package live

import (
	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
)

// verdictSign is how a verdict is marked, told apart without colour.
func verdictSign(v model.Verdict) rune {
	switch v {
	case model.Yes:
		return '●'
	case model.Partly:
		return '◐'
	case model.No:
		return '○'
	}
	return '?'
}

// why lists the hypotheses with what the numbers say of them; in one row, the
// first that explains something.
func (p *page) why(r rect) {
	x := p.title(r.x, r.y, r.right(), "WHY", "")
	if r.h < 2 {
		p.firstCause(x+2, r.y, r.right())
		return
	}
	if r.w >= wideW {
		end := r.right()
		for _, item := range [...]string{"? open", "○ no", "◐ partly", "● yes"} {
			end = p.c.Right(x, r.y, end, quiet, item) - 2
		}
	}
	y := r.y + 1
	for i := range p.s.Why {
		if y >= r.bottom() {
			return
		}
		p.judgement(r, y, &p.s.Why[i])
		y++
	}
}

func (p *page) judgement(r rect, y int, j *model.Judgement) {
	sign := verdictSign(j.Verdict)
	name, mark := text, quiet
	switch j.Verdict {
	case model.Yes:
		name, mark = strong, limit
	case model.Partly:
		mark = text
	}
	p.c.Set(r.x, y, sign, mark)
	end := r.right()
	if r.w >= wideW && j.Evidence != "" {
		// The name is never cut for its evidence.
		end = p.c.Right(r.x+3+canvas.TextWidth(j.Name), y, end, quiet, j.Evidence) - 1
	}
	p.c.TextTo(r.x+2, y, end, name, j.Name)
}

func (p *page) firstCause(x, y, end int) {
	open := 0
	for i := range p.s.Why {
		j := &p.s.Why[i]
		switch j.Verdict {
		case model.Yes, model.Partly:
			sign := verdictSign(j.Verdict)
			mark := text
			if j.Verdict == model.Yes {
				mark = limit
			}
			p.c.Set(x, y, sign, mark)
			p.c.TextTo(x+2, y, end, strong, j.Name)
			return
		case model.Open:
			open++
		}
	}
	if open == len(p.s.Why) {
		p.c.TextTo(x, y, end, quiet, "not enough known")
		return
	}
	words := "nothing to explain"
	if p.s.Headline.Badge != model.KeepsUp {
		words = "not known yet"
	}
	p.c.TextTo(x, y, end, quiet, words)
}
