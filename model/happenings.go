package model

import "strings"

// mark notes an event worth a line.
func (s *State) mark(hostUS int64, asked bool, text string) {
	s.marks.add(Mark{HostUS: hostUS, Asked: asked, Text: text}, keptMarks)
}

// line keeps a line of the log of either side.
func (s *State) line(hostUS int64, side, level, tag, text string) {
	const longest = 400
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	s.log.add(LogLine{hostUS, side, level, tag, text}, keptLines)
}

func (s *State) applyLog(e *Event, l *Log) {
	s.counts.LogLines++
	if l.Traced {
		return
	}
	s.line(e.HostUS, "device", l.Level, string(l.Tag), string(l.Text))
}

func (s *State) applyBoot(e *Event, b *Boot) {
	c := *b
	first := s.device.Boots == 0 && s.counts.Frames == 0
	s.device.LastBoot, s.device.LastBootUS = &c, e.HostUS
	s.device.Boots++
	s.device.Hello = HelloUnknown
	s.nextFirst, s.lastFrame = true, lastFrame{}
	s.toggles, s.pending = nil, nil
	s.tank = tank{}
	s.newConnection()
	s.useSettings(e.HostUS, Settings{})
	s.marked = false
	if !first {
		s.troubleUS = e.HostUS
	}
	s.mark(e.HostUS, b.Reason == "software" || b.Reason == "usb", "reset, "+BootWords(b.Reason))
}

// BootWords is a boot reason in plain words.
func BootWords(reason string) string {
	switch reason {
	case "power_on":
		return "power on"
	case "brownout":
		return "power dip"
	case "software":
		return "by software"
	case "usb":
		return "by USB"
	case "deep_sleep":
		return "from deep sleep"
	case "external":
		return "by its pin"
	case "unknown", "":
		return "cause unknown"
	}
	return reason
}

func (s *State) applyWiFi(e *Event, w *WiFi) {
	was := s.device.WiFi
	s.device.WiFi = w.State
	if w.State == was {
		return
	}
	switch w.State {
	case "lost":
		s.troubleUS = e.HostUS
		s.mark(e.HostUS, false, "Wi-Fi lost, "+orElse(w.Meaning, "reason "+w.Reason.String()))
	case "got_ip":
		s.mark(e.HostUS, false, "Wi-Fi connected")
	}
}

const (
	maxFaults = 100        // different ones remembered
	repeatUS  = 60_000_000 // pause after which a fault is news again
)

func (s *State) applyFault(e *Event, f *Fault) {
	s.counts.Faults++
	if f.Area == "websocket" && strings.Contains(f.Code, "upgrade") {
		s.peers.upgrades++
	}
	// A fault that repeats is one event worth a line.
	if s.faults == nil || len(s.faults) > maxFaults {
		s.faults = map[string]int64{}
	}
	last, seen := s.faults[f.Meaning]
	s.faults[f.Meaning] = e.HostUS
	if !seen || e.HostUS-last > repeatUS {
		s.mark(e.HostUS, false, f.Meaning)
	}
}

func (s *State) applyPort(e *Event, p *Port) {
	s.port = *p
	switch p.State {
	case "lost":
		s.device.Hello = HelloUnknown
		s.lastFrame = lastFrame{}
		s.mark(e.HostUS, false, p.Name+" lost")
	case "back":
		s.mark(e.HostUS, false, p.Name+" back")
	case "failed":
		s.device.Hello = HelloUnknown
	}
}

// serialUse measures the rate of the serial line between two accounts.
type serialUse struct {
	SerialUse
	samples []serialSample
}

type serialSample struct{ hostUS, bytes int64 }

// serialReachUS is how far back the serial rate reaches.
const serialReachUS = 5_000_000

func (s *State) applySerial(e *Event, b *Serial) {
	u := &s.serial
	u.Bytes, u.LostBytes, u.Baud = b.Bytes, b.LostBytes, b.Baud
	if len(u.samples) == 0 || u.samples[len(u.samples)-1].bytes != b.Bytes {
		u.LastUS = e.HostUS
		u.samples = append(u.samples, serialSample{e.HostUS, b.Bytes})
	}
	for len(u.samples) > 2 && u.samples[0].hostUS < e.HostUS-serialReachUS {
		u.samples = u.samples[1:]
	}
	if b.ReadOnly {
		s.device.Hello = HelloNo
	} else if s.device.Hello == HelloNo {
		s.device.Hello = HelloUnknown
	}
}

func (u *serialUse) at(nowUS int64) SerialUse {
	out := u.SerialUse
	out.PerSecond = 0
	if n := len(u.samples); n >= 2 {
		from, to := u.samples[0], u.samples[n-1]
		if nowUS-to.hostUS > serialReachUS {
			out.PerSecond = Some(0)
		} else if us := to.hostUS - from.hostUS; us > 0 {
			out.PerSecond = Some((to.bytes - from.bytes) * 1_000_000 / us)
		}
	}
	return out
}
