package live

import (
	"slices"
	"strings"

	"dev.local/linktop/model"
)

// nothing tells that there are no frames to show: whole when there is nothing
// else either, left when the right column has something to tell.
func (p *page) nothing() (whole, left bool) {
	if len(p.s.Frames) > 0 {
		return false, false
	}
	heard := p.s.Peer.State == "open" || p.s.Rate.Gets.Known() || p.s.Rate.Makes.Known()
	return !heard, heard
}

// reached tells whether there is a device that a key could change.
func (p *page) reached() bool {
	return p.s.Port.State == "open" || p.s.Port.State == "back" || p.s.Peer.State == "open"
}

// heard tells whether the serial line gave anything: its bytes are counted once
// a second, lines and answers are told at once.
func (p *page) heard() bool {
	if p.s.Serial.LastUS != 0 || p.s.Serial.Bytes != 0 || p.s.Device.Hello == model.HelloYes {
		return true
	}
	return slices.ContainsFunc(p.s.Log, func(l model.LogLine) bool { return l.Side == "device" })
}

// explain stands in place of the frames: why there are none, and what to do.
func (p *page) explain(r rect) {
	name, about, steps := p.advise()
	p.title(r.x, r.y, r.right(), name, about)
	y := r.y + 1
	for i, step := range steps {
		if y >= r.bottom() {
			return
		}
		x := r.x
		if len(steps) > 1 {
			p.c.Text(x, y, strong, itoa(int64(i+1)))
		}
		x += 3
		y += p.flow(x, y, min(r.right()-x, 100), r.bottom()-y, span{step, text})
	}
	y++
	if y+2 < r.bottom() {
		y = p.explainServer(rect{r.x, y, r.w, r.bottom() - y})
	}
	if len(p.s.Log) > 0 && r.bottom()-y >= 4 {
		p.log(rect{r.x, y + 1, r.w, min(r.bottom()-y-2, 1+len(p.s.Log))})
	}
}

// advise is what to do about missing frames.
func (p *page) advise() (name, about string, steps []string) {
	port, d := &p.s.Port, &p.s.Device
	where := port.Name
	switch port.State {
	case "failed", "lost":
		if p.s.Headline.Long.Do == "" {
			about = "linktop looks again every second and starts by itself"
		}
		switch port.Reason {
		case "busy":
			steps = []string{"Close the program that holds " + where + ": a serial monitor (idf.py monitor ends with Ctrl+]), a terminal program, another linktop.",
				"Is it hard to find? The system's list of processes names it; unplugging and plugging in again frees the port too."}
		case "forbidden":
			steps = []string{"Do what the line above says, then log in again: groups are read at login."}
		case "missing":
			steps = []string{"Plug the device in. A cable that only charges shows no port.",
				"`linktop ports` lists the ports there are; --port auto takes the one known board."}
		default:
			steps = []string{"Plug the device in again: it is known by its USB identity, whatever the port's name is then.",
				"`linktop ports` lists the ports there are."}
		}
		return "WHAT TO DO", about, steps
	case "":
		if where == "" {
			return "NO SERIAL PORT", "frames are traced on the device's console", []string{
				"Start linktop with --port and the name of a port, or --port auto.",
				"`linktop ports` lists the ports there are.",
				"Without a device, --port sim shows a virtual one."}
		}
		return "OPENING", where, []string{"The port is being opened."}
	}
	if !p.heard() {
		about = "from " + where
		if b := port.Baud; b.Known() {
			about += " at " + b.String() + " baud"
		}
		return "NOTHING HEARD YET", about, []string{
			"The device may be held in reset or wait for a download: R (shift-r) resets it.",
			"Another baud rate is set with --baud.",
			"`linktop ports` tells whether this is the right port."}
	}
	steps = []string{"Frames appear as soon as the firmware writes one to its WebSocket and traces it."}
	switch {
	case d.Hello == model.HelloNo || p.s.Peer.State == "open":
	case d.Hello == model.HelloYes && !d.Has("url"):
		steps = append(steps, "The firmware takes no URL: set this server's address in it.")
	default:
		steps = append(steps, "u points the device at this server.")
	}
	if d.Hello == model.HelloNo {
		steps = append(steps, "The firmware does not answer hello: it is only listened to, and its own trace lines are understood.")
	}
	if g := p.s.Counts.Garbage; g > 0 {
		steps = append(steps, grouped(g)+" bytes could not be read: another baud rate may fit (--baud).")
	}
	return "NO FRAMES YET", "the device prints, but has traced no frame", steps
}

// explainServer tells what the server does meanwhile; it returns the row after.
func (p *page) explainServer(r rect) int {
	sv := &p.s.Server
	if sv.State == "" {
		return r.y
	}
	about := ""
	if st := p.s.Port.State; st == "failed" || st == "lost" {
		about = "it does not need the port"
	}
	p.title(r.x, r.y, r.right(), "SERVER", about)
	y, x := r.y+1, r.x+3
	w := min(r.right()-x, 100)
	switch {
	case sv.State == "failed":
		p.c.Set(r.x, y, '●', ailing)
		return y + p.flow(x, y, w, r.bottom()-y, span{sv.Error, text})
	case p.s.Peer.State == "open":
		p.c.Set(r.x, y, '●', good)
		return y + p.flow(x, y, w, r.bottom()-y, span{"A device is connected from " + hostOf(p.s.Peer.Address) + ".", text})
	default:
		p.c.Set(r.x, y, '●', good)
		y += p.flow(x, y, w, r.bottom()-y, span{"ready at " + beforeQuery(sv.URL), text}, span{"   no device has connected yet", quiet})
		if sv.Fingerprint != "" {
			y += p.flow(x, y, w, r.bottom()-y, span{"certificate SHA-256 " + halves(sv.Fingerprint), quiet})
		}
		if strings.Contains(sv.URL, "token=") {
			y += p.flow(x, y, w, r.bottom()-y, span{"A device that is not on this port needs a token you know: --token.", quiet})
		}
		return y + p.flow(x, y, w, r.bottom()-y,
			span{"When it connects, Rate and Path fill in; Frames need the serial port.", quiet})
	}
}

// halves parts a fingerprint so that it can be broken between lines.
func halves(fingerprint string) string {
	const half = 16*3 - 1 // sixteen bytes with colons between them
	if len(fingerprint) <= half {
		return fingerprint
	}
	return fingerprint[:half] + " " + fingerprint[half+1:]
}
