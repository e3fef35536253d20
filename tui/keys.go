package tui

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/live"
)

// keys handles a key message; it tells whether the program is to end. Keys
// pressed fast, or repeated, arrive together in one message.
func (m *screen) keys(msg tea.KeyMsg) (quit bool) {
	if msg.Type != tea.KeyRunes {
		return m.key(msg.String())
	}
	if msg.Paste || msg.Alt {
		return false
	}
	for _, r := range msg.Runes {
		if m.key(string(r)) {
			return true
		}
	}
	return false
}

func (m *screen) key(k string) (quit bool) {
	if k == "ctrl+c" {
		return true
	}
	if m.asking != nil {
		yes := m.asking
		switch k {
		case "y", "Y":
			m.asking = nil
			yes()
		case "n", "N", "esc", "q":
			m.asking = nil
		}
		m.stale = true
		return false
	}
	switch k {
	case "q":
		return true
	case "?":
		m.help = !m.help
	case "esc":
		m.help = false
	case " ":
		m.freeze()
	case "tab":
		m.adjust = map[string]string{model.KeyBurst: model.KeyIdle, model.KeyIdle: model.KeyPace}[m.adjust]
		if m.adjust == "" {
			m.adjust = model.KeyBurst
		}
	case "u":
		if m.steerable() {
			m.session.PointHere()
		}
	case "R":
		if st := m.latest.Port.State; st == "open" || st == "back" {
			m.asking = m.session.Reset
		}
	default:
		if !m.steerable() || !m.steer(k) {
			return false
		}
	}
	m.stale = true
	return false
}

// steerable tells whether the device takes commands, as far as is known.
func (m *screen) steerable() bool { return m.latest.Device.Hello != model.HelloNo }

func (m *screen) freeze() {
	m.frozen = !m.frozen
	if !m.frozen {
		m.snap = m.latest
	}
}

// steer handles the keys that change the device's settings.
func (m *screen) steer(k string) bool {
	s, v := &m.latest.Settings, &m.values
	switch k {
	case "1", "2", "3", "4":
		size := strconv.FormatInt(live.FrameSizes[k[0]-'1'], 10)
		m.set(model.KeyFrame, size, "frame="+size)
	case "b":
		m.adjustable(model.KeyBurst, model.KeyIdle)
		if m.on(model.KeyBurst, s.BurstFrames.Value() > 0) {
			m.set(model.KeyBurst, "off", "burst=0")
		} else {
			m.setBurst()
		}
	case "p":
		m.adjustable(model.KeyPace)
		if m.on(model.KeyPace, s.PaceMS.Value() > 0) {
			m.set(model.KeyPace, "off", "pace=0")
		} else {
			m.setPace()
		}
	case "a":
		if m.on(model.KeyAgg, s.Agg != "" && s.Agg != "off") {
			m.set(model.KeyAgg, "off", "agg=off")
		} else {
			wait := strconv.FormatInt(v.AggMS, 10)
			m.set(model.KeyAgg, wait, "agg=wait="+wait+",max=frame")
		}
	case "c":
		codec := s.Codec
		if asked, ok := m.asked(model.KeyCodec); ok {
			codec = asked
		}
		next := live.Codecs[0]
		for i, name := range live.Codecs {
			if name == codec {
				next = live.Codecs[(i+1)%len(live.Codecs)]
			}
		}
		m.set(model.KeyCodec, next, "codec="+next)
	case "[":
		m.step(-1)
	case "]":
		m.step(+1)
	default:
		return false
	}
	return true
}

// on is whether a toggle is on, or will be once what was asked is in force.
func (m *screen) on(key string, inForce bool) bool {
	if asked, ok := m.asked(key); ok {
		return asked != "off"
	}
	return inForce
}

// asked is the last change of a toggle that is not in force yet: just pressed,
// on its way, or confirmed with its mark in the trace still to come.
func (m *screen) asked(key string) (string, bool) {
	if p, ok := m.pressed[key]; ok {
		return p.toggle.Asked, true
	}
	t := m.latest.Toggles[key]
	coming := t.State == model.ToggleAsked || t.State == model.ToggleConfirmed && t.AskedUS > m.latest.SinceUS
	return t.Asked, coming
}

// adjustable makes [ and ] change the first of the settings, unless they change
// one of them already.
func (m *screen) adjustable(settings ...string) {
	for _, s := range settings {
		if m.adjust == s {
			return
		}
	}
	m.adjust = settings[0]
}

func (m *screen) setBurst() {
	b, i := strconv.FormatInt(m.values.Burst, 10), strconv.FormatInt(m.values.IdleMS, 10)
	m.set(model.KeyBurst, b+"/"+i, "burst="+b+" idle="+i)
}

func (m *screen) setPace() {
	ms := strconv.FormatInt(m.values.PaceMS, 10)
	m.set(model.KeyPace, ms, "pace="+ms)
}

// set asks the device and notes it, so that the screen shows it at once.
func (m *screen) set(key, asked, words string) {
	m.pressed[key] = press{
		toggle: model.Toggle{State: model.ToggleAsked, Asked: asked, AskedUS: m.now().UnixMicro()},
		before: m.latest.Toggles[key],
	}
	m.session.Set(words)
	m.take(m.session.Snapshot())
}

// The values that [ and ] go through.
var (
	burstSteps = []int64{1, 2, 3, 4, 6, 8, 12, 16, 32, model.MaxBurstFrames}
	idleSteps  = []int64{100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, model.MaxIdleMS}
	paceSteps  = []int64{10, 20, 50, 100, 150, 200, 250, 300, 400, 500, 700, 1000, 2000, model.MaxPaceMS}
)

// step changes the chosen value, and the device's where it is in force.
func (m *screen) step(dir int) {
	s, v := &m.latest.Settings, &m.values
	switch m.adjust {
	case model.KeyBurst:
		v.Burst = stepped(burstSteps, v.Burst, dir)
	case model.KeyIdle:
		v.IdleMS = stepped(idleSteps, v.IdleMS, dir)
	case model.KeyPace:
		v.PaceMS = stepped(paceSteps, v.PaceMS, dir)
		if m.on(model.KeyPace, s.PaceMS.Value() > 0) {
			m.setPace()
		}
		return
	}
	if m.on(model.KeyBurst, s.BurstFrames.Value() > 0) {
		m.setBurst()
	}
}

// stepped is the next larger or smaller step from v, v itself at the end.
func stepped(steps []int64, v int64, dir int) int64 {
	if dir > 0 {
		for _, s := range steps {
			if s > v {
				return s
			}
		}
		return v
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i] < v {
			return steps[i]
		}
	}
	return v
}
