package live

import (
	"strings"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/theme"
)

// status is one item at the right of the title bar: a sign, a name, and details
// that go first when room is short.
type status struct {
	sign      rune
	signStyle canvas.Style
	name      string
	nameStyle canvas.Style
	details   []string // the shortest first
}

func (p *page) titleBar(w, margin int) {
	p.c.Fill(0, 0, w, 1, ' ', canvas.Style{BG: theme.Band})
	x := p.c.Text(margin, 0, strong.On(theme.Band), "linktop")
	x = p.chip(x+2, 0, "Live", canvas.Style{FG: theme.Strong, BG: theme.Selected, Attr: canvas.Bold})
	items := []status{p.portStatus(), p.peerStatus(), p.recStatus(), p.lossStatus()}
	gap := 3
	if w < marginW {
		gap = 2
	}
	// Details shrink from the right of the list, then items go.
	level := [...]int{9, 9, 9, 9}
	switch {
	case w < marginW:
		level = [...]int{0, 1, 2, 1}
	case w < thirdW:
		level = [...]int{1, 1, 2, 1}
	}
	room := w - margin - x - 2
	for n := len(items); p.statusWidth(items[:n], level[:], gap) > room && n > 0; {
		longest := -1
		for i := range items[:n] {
			if l := min(level[i], len(items[i].details)); l > 0 && (longest < 0 || l >= min(level[longest], len(items[longest].details))) {
				longest = i
			}
		}
		if longest < 0 {
			n--
			items = items[:n]
			continue
		}
		level[longest] = min(level[longest], len(items[longest].details)) - 1
	}
	x = w - margin - p.statusWidth(items, level[:], gap)
	for i, it := range items {
		if it.name == "" {
			continue
		}
		if it.sign != 0 {
			p.c.Set(x, 0, it.sign, it.signStyle.On(theme.Band))
			x += 2
		}
		x = p.c.Text(x, 0, it.nameStyle.On(theme.Band), it.name)
		if d := it.detail(level[i]); d != "" {
			x = p.c.Text(x+1, 0, quiet.On(theme.Band), d)
		}
		x += gap
	}
}

func (s *status) detail(level int) string {
	level = min(level, len(s.details))
	if level <= 0 {
		return ""
	}
	return s.details[level-1]
}

func (p *page) statusWidth(items []status, level []int, gap int) int {
	n := 0
	for i := range items {
		it := &items[i]
		if it.name == "" {
			continue
		}
		if n > 0 {
			n += gap
		}
		if it.sign != 0 {
			n += 2
		}
		n += canvas.TextWidth(it.name)
		if d := it.detail(level[i]); d != "" {
			n += 1 + canvas.TextWidth(d)
		}
	}
	return n
}

func (p *page) portStatus() status {
	port, d := &p.s.Port, &p.s.Device
	st := status{sign: '●', signStyle: good, name: port.Name, nameStyle: text}
	switch port.State {
	case "":
		if port.Name == "" {
			return status{sign: '○', signStyle: quiet, name: "no port", nameStyle: quiet}
		}
		st.sign, st.signStyle, st.details = '○', quiet, []string{"opening"}
	case "open", "back":
		name := d.Name
		if d.Hello == model.HelloNo {
			name = strings.TrimPrefix(name+", read-only", ", ")
		}
		if name != "" {
			st.details = append(st.details, name)
		}
		if d.FW != "" {
			more := strings.TrimPrefix(name+", fw "+d.FW, ", ")
			if d.IDF != "" {
				more += ", idf " + strings.TrimPrefix(d.IDF, "v")
			}
			st.details = append(st.details, more)
		}
	default: // never without its reason
		st.signStyle = ailing
		word := port.Reason
		if word == "" || word == "other" {
			word = port.State
		}
		st.name += " " + word
	}
	return st
}

func (p *page) peerStatus() status {
	peer, server := &p.s.Peer, &p.s.Server
	if peer.State == "open" {
		st := status{sign: '●', signStyle: good, name: peer.Scheme, nameStyle: text}
		if st.name == "" {
			st.name = "ws"
		}
		from := hostOf(peer.Address)
		if colo := p.s.Path.Colo; colo != "" {
			from = colo
		}
		if from != "" {
			st.details = append(st.details, from)
			if rtt := p.s.Path.RTTUS; rtt.Known() {
				st.details = append(st.details, from+", "+ms(rtt)+" ms")
			}
		}
		return st
	}
	switch server.State {
	case "listening":
		return status{sign: '○', signStyle: quiet, name: "ws", nameStyle: quiet,
			details: []string{portOf(server.URL), portOf(server.URL) + ", no device"}}
	case "failed":
		return status{sign: '●', signStyle: ailing, name: "no server", nameStyle: text}
	}
	return status{}
}

func (p *page) recStatus() status {
	rec := &p.s.Recording
	switch rec.State {
	case "on":
		name := rec.Dir[strings.LastIndexAny(rec.Dir, `/\`)+1:]
		st := status{name: "rec", nameStyle: text}
		since := clock(p.s.NowUS - p.s.StartUS)
		st.details = []string{since, strings.TrimPrefix(name+" "+since, " ")}
		if rec.Bytes > 0 {
			st.details = append(st.details, st.details[1]+", "+size(rec.Bytes))
		}
		return st
	case "failed":
		return status{sign: '●', signStyle: ailing, name: "rec stopped", nameStyle: text}
	}
	return status{}
}

// lossStatus tells what linktop itself had to let go.
func (p *page) lossStatus() status {
	var n int64
	for _, v := range p.s.Counts.Losses {
		n += v
	}
	if n == 0 {
		return status{}
	}
	return status{sign: '✗', signStyle: ailing, name: grouped(n) + " lost", nameStyle: text,
		details: []string{"in linktop"}}
}

// size is bytes in the largest unit that keeps a whole part.
func size(bytes int64) string {
	if bytes < 999_950 {
		return kb(model.Some(bytes)) + " KB"
	}
	return tenths((bytes+50_000)/100_000) + " MB"
}

// hostOf is the address without its port.
func hostOf(address string) string {
	if i := strings.LastIndexByte(address, ':'); i > 0 && strings.Count(address, ":") == 1 {
		return address[:i]
	}
	return address
}

// portOf is ":8765" of a URL.
func portOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		return host[i:]
	}
	return host
}
