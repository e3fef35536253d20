package live

import (
	"strings"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
)

// serverRows is the height of the server's panel where all of it is shown.
const serverRows = 9

// line is a row of a panel that tells a name and a value in words.
type line struct {
	name, value string
	style       canvas.Style
}

// lines draws rows of names and values, values from column at on or, at 0,
// towards the right edge.
func (p *page) lines(r rect, at int, rows []line) {
	for i, l := range rows {
		y := r.y + i
		if y >= r.bottom() {
			return
		}
		x := p.c.TextTo(r.x, y, r.right(), text, l.name)
		if at > 0 {
			p.c.TextTo(r.x+at, y, r.right(), l.style, l.value)
		} else {
			p.c.Right(x+1, y, r.right(), l.style, l.value)
		}
	}
}

// server is the receiving end.
func (p *page) server(r rect) {
	sv, peer, rt := &p.s.Server, &p.s.Peer, &p.s.Rate
	about := ""
	switch {
	case sv.State == "failed":
		about = "does not run"
	case peer.State != "open":
		about = "no device is connected"
	case rt.ReceivedOfSent.Known() && rt.ReceivedOfSent.Num >= rt.ReceivedOfSent.Den:
		about = "gets all that is sent"
	case rt.ReceivedOfSent.Known():
		about = "gets " + percent(rt.ReceivedOfSent.Num, rt.ReceivedOfSent.Den) + " % of what is sent"
	}
	p.title(r.x, r.y, r.right(), "SERVER", about)
	scheme, address, _ := strings.Cut(sv.URL, "://")
	address, _, _ = strings.Cut(address, "/")
	rows := []line{{"address", strings.TrimSpace(address + " " + scheme), quiet}}
	if sv.Error != "" {
		rows = []line{{"address", sv.Error, ailing}}
	}
	if sv.Fingerprint != "" {
		rows = append(rows, line{"certificate", sv.Fingerprint[:min(len(sv.Fingerprint), 6*3-1)] + "…", quiet})
	}
	if peer.State == "open" {
		from := hostOf(peer.Address)
		if peer.Proxy != "" {
			from += " by " + hostOf(peer.Proxy)
		}
		rows = append(rows,
			line{"device at", from, quiet},
			line{"frames", grouped(peer.Frames), quiet},
			line{"bytes", grouped(peer.Bytes), quiet},
			line{"arrival gap P95", withUnit(ms(peer.GapP95US), "ms"), quiet},
			line{"first frame", withUnit(peer.FirstBinaryDelayMS.String(), "ms"), quiet})
	}
	rows = append(rows, line{"connections", grouped(peer.Connections), quiet})
	if peer.Refused > 0 {
		rows = append(rows, line{"turned away", grouped(peer.Refused), limited})
	}
	p.lines(rect{r.x, r.y + 1, r.w, r.h - 1}, slotX+2, rows)
}

// beforeQuery is a URL without what follows "?": the token has no place on a
// screen that others see.
func beforeQuery(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return url
}

func withUnit(v, unit string) string {
	if v == unknown {
		return v
	}
	return v + " " + unit
}

func optUnit(v model.Opt, unit string) string { return withUnit(v.String(), unit) }
