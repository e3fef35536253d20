package tui

import (
	"maps"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/live"
	"dev.local/linktop/tui/theme"
)

const (
	// shrinkAfterUS is how long a smaller scale must have been enough.
	shrinkAfterUS = 10_000_000
	// pressedFor bounds how long a key's own note stands when the session does
	// not take the change up.
	pressedFor = 3 * time.Second
	// askedFor is how long the screen follows a change without an answer. A
	// command ends before; its end may be among what a flood let go.
	askedFor = 10 * time.Second
	// tickEvery is how often ages are redrawn while a change waits.
	tickEvery = 100 * time.Millisecond
)

// screen is the program's state: a snapshot, and what keys made of it.
type screen struct {
	session Session
	look    *theme.Look
	now     func() time.Time

	w, h   int
	latest *model.Snapshot
	snap   *model.Snapshot // shown; older than latest while frozen
	frozen bool
	help   bool
	asking func() // what a yes does, nil without a question

	pressed map[string]press
	values  live.Values
	adjust  string

	scaleUS, neededUS int64 // what the bars span, and when that was last needed
	ticking           bool

	canvas canvas.Canvas
	buf    []byte
	text   string
	stale  bool
}

// press is a change asked for by a key that no snapshot shows yet.
type press struct {
	toggle model.Toggle
	before model.Toggle
}

func newScreen(s Session, look *theme.Look, now func() time.Time) *screen {
	m := &screen{
		session: s, look: look, now: now, stale: true,
		values: live.Values{Burst: 4, IdleMS: 1000, PaceMS: 300, AggMS: 200},
		adjust: model.KeyBurst, pressed: map[string]press{},
	}
	m.snap = s.Snapshot()
	m.latest = m.snap
	m.adopt(&model.Settings{}, &m.snap.Settings)
	return m
}

// tick redraws ages.
type tick struct{}

func (m *screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case changed:
		m.take(msg.snap)
	case tea.KeyMsg:
		if m.keys(msg) {
			return tea.Quit
		}
	case tick:
		m.ticking = false
		m.expire()
	}
	return m.age()
}

// resize draws for a terminal of w by h cells. Terminals claim any size up to
// 65535 by 65535, which no memory holds: more than these is left empty.
func (m *screen) resize(w, h int) {
	const widest, highest = 1000, 400
	w, h = min(max(w, 0), widest), min(max(h, 0), highest)
	if m.w != w || m.h != h {
		m.w, m.h, m.stale = w, h, true
	}
}

// take looks at a newer snapshot.
func (m *screen) take(s *model.Snapshot) {
	if s == nil || s.Version == m.latest.Version {
		return
	}
	before := m.latest
	m.latest = s
	for key, p := range m.pressed {
		if s.Toggles[key] != p.before {
			delete(m.pressed, key)
			m.stale = true
		}
	}
	m.adopt(&before.Settings, &s.Settings)
	if !m.frozen {
		m.snap, m.stale = s, true
		return
	}
	if s.Counts.Frames != before.Counts.Frames || !maps.Equal(s.Toggles, before.Toggles) {
		m.stale = true
	}
}

// adopt makes values that are newly in force those that the keys switch on.
func (m *screen) adopt(before, now *model.Settings) {
	if now.BurstFrames != before.BurstFrames || now.IdleMS != before.IdleMS {
		if n := now.BurstFrames.Value(); n > 0 {
			m.values.Burst, m.values.IdleMS = n, now.IdleMS.Or(m.values.IdleMS)
		}
	}
	if n := now.PaceMS.Value(); now.PaceMS != before.PaceMS && n > 0 {
		m.values.PaceMS = n
	}
}

// expire takes back the notes of keys that led to nothing.
func (m *screen) expire() {
	for key, p := range m.pressed {
		if m.now().UnixMicro()-p.toggle.AskedUS > pressedFor.Microseconds() {
			delete(m.pressed, key)
		}
	}
	m.stale = true
}

// age ticks as long as the screen tells how long ago something was asked, and
// no longer.
func (m *screen) age() tea.Cmd {
	if m.ticking || !m.waiting() {
		return nil
	}
	m.ticking = true
	return tea.Tick(tickEvery, func(time.Time) tea.Msg { return tick{} })
}

func (m *screen) waiting() bool {
	if len(m.pressed) > 0 {
		return true
	}
	for _, t := range m.latest.Toggles {
		if t.State == model.ToggleAsked && m.now().UnixMicro()-t.AskedUS < askedFor.Microseconds() {
			return true
		}
	}
	return false
}

// view is the picture; the same one as before when nothing changed.
func (m *screen) view() string {
	if !m.stale {
		return m.text
	}
	m.stale = false
	snap := m.snap
	if m.frozen { // what keys do is still told
		s := *snap
		s.Toggles = m.latest.Toggles
		snap = &s
	}
	m.rescale()
	v := live.View{
		Look: m.look, NowUS: m.now().UnixMicro(), Frozen: m.frozen,
		Newer:  max(m.latest.Counts.Frames-m.snap.Counts.Frames, 0),
		Values: m.values, Adjust: m.adjust, ScaleUS: m.scaleUS, Help: m.help,
	}
	if len(m.pressed) > 0 {
		v.Pressed = make(map[string]model.Toggle, len(m.pressed))
		for key, p := range m.pressed {
			v.Pressed[key] = p.toggle
		}
	}
	if m.asking != nil {
		v.Question = "Reset the device by its serial lines?"
	}
	m.canvas.Reset(m.w, m.h)
	live.Draw(&m.canvas, snap, &v)
	m.buf = m.canvas.Append(m.buf[:0], m.look.Palette)
	m.text = string(m.buf)
	return m.text
}

// rescale lets the bars' scale grow at once and shrink only when less was enough
// for a while, so that the eye can compare.
func (m *screen) rescale() {
	need := live.Scale(m.snap, m.w, m.h)
	now := m.snap.NowUS
	switch {
	case need >= m.scaleUS:
		m.scaleUS, m.neededUS = need, now
	case need >= m.scaleUS*9/10:
		m.neededUS = now
	case now-m.neededUS > shrinkAfterUS:
		m.scaleUS, m.neededUS = need, now
	}
}
