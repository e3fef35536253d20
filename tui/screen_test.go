package tui

import (
	"context"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/internal/sample"
	"dev.local/linktop/tui/theme"
)

// fake is a session whose state tests set, and which notes what keys ask.
type fake struct {
	mu      sync.Mutex
	snap    *model.Snapshot
	asked   []string
	changed chan struct{}
	panics  bool
}

func newFake(s *model.Snapshot) *fake { return &fake{snap: s, changed: make(chan struct{}, 1)} }

func (f *fake) Snapshot() *model.Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("set to panic")
	}
	return f.snap
}

func (f *fake) Changed() <-chan struct{} { return f.changed }

func (f *fake) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("set to panic")
	}
	f.asked = append(f.asked, what)
}

func (f *fake) Set(words string) { f.note(words) }
func (f *fake) Reset()           { f.note("reset") }
func (f *fake) PointHere()       { f.note("point") }

// put makes a changed copy of the state the newest.
func (f *fake) put(change func(*model.Snapshot)) *model.Snapshot {
	f.mu.Lock()
	s := *f.snap
	s.Version++
	change(&s)
	f.snap = &s
	f.mu.Unlock()
	select {
	case f.changed <- struct{}{}:
	default:
	}
	return &s
}

// clockAt is a clock that tests move.
type clockAt struct{ t time.Time }

func (c *clockAt) now() time.Time { return c.t }

func testScreen(s *model.Snapshot) (*screen, *fake, *clockAt) {
	f, c := newFake(s), &clockAt{time.UnixMicro(s.NowUS)}
	m := newScreen(f, theme.New(theme.Dark, theme.Colors256, false), c.now)
	m.update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return m, f, c
}

func typed(keys string) tea.KeyMsg {
	switch keys {
	case " ":
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	case "tab":
		return tea.KeyMsg{Type: tea.KeyTab}
	case "esc":
		return tea.KeyMsg{Type: tea.KeyEsc}
	case "ctrl+c":
		return tea.KeyMsg{Type: tea.KeyCtrlC}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(keys)}
}

func plain(m *screen) string { return ansi.Strip(m.view()) }

func TestKeysAskTheDevice(t *testing.T) {
	on := func(s *model.Snapshot) {
		s.Settings.BurstFrames, s.Settings.IdleMS, s.Settings.PaceMS = model.Some(8), model.Some(500), model.Some(20)
		s.Settings.Agg, s.Settings.Codec = "wait=200,max=frame", "adpcm"
	}
	for name, c := range map[string]struct {
		set  func(*model.Snapshot)
		keys []string
		want string
	}{
		"frames":                   {nil, []string{"1", "2", "3", "4"}, "frame=1024|frame=2048|frame=4096|frame=8192"},
		"fast typing":              {nil, []string{"1b"}, "frame=1024|burst=4 idle=1000"},
		"burst on":                 {nil, []string{"b"}, "burst=4 idle=1000"},
		"burst off":                {on, []string{"b"}, "burst=0"},
		"twice is back":            {nil, []string{"b", "b"}, "burst=4 idle=1000|burst=0"},
		"pacing on":                {nil, []string{"p"}, "pace=300"},
		"pacing off":               {on, []string{"p"}, "pace=0"},
		"aggregation on":           {nil, []string{"a"}, "agg=wait=200,max=frame"},
		"aggregation off":          {on, []string{"a"}, "agg=off"},
		"codec":                    {nil, []string{"c", "c", "c"}, "codec=pcm8k|codec=adpcm|codec=pcm16"},
		"codec goes round":         {on, []string{"c"}, "codec=pcm16"},
		"values wait for a toggle": {nil, []string{"]", "]", "b"}, "burst=8 idle=1000"},
		"values in force":          {on, []string{"]"}, "burst=12 idle=500"},
		"idle":                     {on, []string{"tab", "["}, "burst=8 idle=300"},
		"pace":                     {on, []string{"tab", "tab", "]"}, "pace=50"},
		"toggle chooses pace":      {nil, []string{"p", "["}, "pace=300|pace=250"},
		"to the least":             {on, []string{"[", "[", "[", "[", "[", "[", "[", "["}, "burst=6 idle=500|burst=4 idle=500|burst=3 idle=500|burst=2 idle=500|burst=1 idle=500|burst=1 idle=500|burst=1 idle=500|burst=1 idle=500"},
		"point here":               {nil, []string{"u"}, "point"},
		"reset asks":               {nil, []string{"R"}, ""},
		"reset yes":                {nil, []string{"R", "y"}, "reset"},
		"reset no":                 {nil, []string{"R", "n", "y"}, ""},
		"question takes keys":      {nil, []string{"R", "1", "y"}, "reset"},
		"read-only":                {func(s *model.Snapshot) { s.Device.Hello = model.HelloNo }, []string{"1", "b", "u", "]"}, ""},
		"unknown keys":             {nil, []string{"x", "\x00", "é"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := sample.Far(24)
			if c.set != nil {
				c.set(s)
			}
			m, f, _ := testScreen(s)
			for _, k := range c.keys {
				m.update(typed(k))
				m.view()
			}
			if got := strings.Join(f.asked, "|"); got != c.want {
				t.Errorf("asked for %q, want %q", got, c.want)
			}
		})
	}
}

func TestQuit(t *testing.T) {
	for _, k := range []string{"q", "ctrl+c"} {
		m, _, _ := testScreen(sample.Far(24))
		if cmd := m.update(typed(k)); cmd == nil || cmd() != tea.Quit() {
			t.Errorf("%s does not quit", k)
		}
	}
	m, _, _ := testScreen(sample.Far(24))
	m.update(typed("R"))
	if cmd := m.update(typed("q")); cmd != nil || m.asking != nil {
		t.Error("q answers a question by leaving")
	}
}

func TestAskedIsShownAtOnceAndThenWhatBecameOfIt(t *testing.T) {
	m, f, c := testScreen(sample.Far(24))
	if cmd := m.update(typed("2")); cmd == nil {
		t.Error("nothing ticks while a change waits")
	}
	if got := plain(m); !strings.Contains(got, "… asked 0.0 s ago") {
		t.Errorf("the key is not shown:\n%s", got)
	}
	c.t = c.t.Add(300 * time.Millisecond)
	if cmd := m.update(tick{}); cmd == nil {
		t.Error("ticking stopped too early")
	}
	if got := plain(m); !strings.Contains(got, "… asked 0.3 s ago") {
		t.Errorf("the age stands still:\n%s", got)
	}
	m.update(changed{f.put(func(s *model.Snapshot) {
		s.Settings.FrameBytes = model.Some(2048)
		s.Toggles = map[string]model.Toggle{model.KeyFrame: {State: model.ToggleConfirmed, Asked: "2048", TookUS: model.Some(14_000)}}
	})})
	if got := plain(m); !strings.Contains(got, "✓ 2048 in 14 ms") {
		t.Errorf("the answer is not shown:\n%s", got)
	}
	if cmd := m.update(tick{}); cmd != nil {
		t.Error("ticks although nothing waits")
	}
}

func TestAPressThatLeadsToNothingIsTakenBack(t *testing.T) {
	m, _, c := testScreen(sample.Far(24))
	m.update(typed("2"))
	c.t = c.t.Add(pressedFor + time.Second)
	if cmd := m.update(tick{}); cmd != nil {
		t.Error("still ticking")
	}
	if got := plain(m); strings.Contains(got, "asked") {
		t.Errorf("still waiting:\n%s", got)
	}
}

// The end of a command may be among what a flood let go.
func TestAChangeThatNobodyEndsIsNotFollowedForever(t *testing.T) {
	m, f, c := testScreen(sample.Far(24))
	f.put(func(s *model.Snapshot) {
		s.Toggles = map[string]model.Toggle{model.KeyFrame: {State: model.ToggleAsked, Asked: "1024", AskedUS: c.t.UnixMicro()}}
	})
	if m.update(changed{f.Snapshot()}) == nil {
		t.Error("does not tick while a change waits")
	}
	c.t = c.t.Add(askedFor + time.Second)
	if m.update(tick{}) != nil {
		t.Error("still ticking")
	}
}

func TestAnySizeATerminalClaimsIsDrawn(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {65535, 1}, {1, 65535}, {65535, 65535}, {-1, -1}} {
		m, _, _ := testScreen(sample.Far(24))
		m.update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if n := len(m.view()); n > 8<<20 {
			t.Errorf("%v: a picture of %d bytes", size, n)
		}
	}
}

func TestFreeze(t *testing.T) {
	m, f, _ := testScreen(sample.Far(24))
	m.update(typed(" "))
	m.update(changed{f.put(func(s *model.Snapshot) {
		s.Counts.Frames += 17
		s.Rate.Sends = model.Some(99_900)
	})})
	got := plain(m)
	if !strings.Contains(got, "FROZEN") || !strings.Contains(got, "17 newer frames") || strings.Contains(got, "99.9 KB/s") {
		t.Errorf("frozen screen:\n%s", got)
	}
	m.update(typed(" "))
	if got := plain(m); !strings.Contains(got, "99.9 KB/s") || strings.Contains(got, "FROZEN") {
		t.Errorf("screen that goes on:\n%s", got)
	}
}

func TestHelp(t *testing.T) {
	m, _, _ := testScreen(sample.Far(24))
	m.update(typed("?"))
	if got := plain(m); !strings.Contains(got, "freeze the screen") {
		t.Errorf("no help:\n%s", got)
	}
	m.update(typed("esc"))
	if got := plain(m); strings.Contains(got, "freeze the screen") {
		t.Errorf("help stays:\n%s", got)
	}
}

func TestNothingIsDrawnWithoutAChange(t *testing.T) {
	m, f, c := testScreen(sample.Far(24))
	m.view()
	c.t = c.t.Add(time.Hour)
	m.update(changed{f.Snapshot()})
	m.update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.update(typed("x"))
	if m.stale {
		t.Error("would draw again although nothing changed")
	}
}

func TestScaleGrowsAtOnceAndShrinksLate(t *testing.T) {
	m, f, _ := testScreen(sample.Far(24))
	m.view()
	before := m.scaleUS
	at := func(sec, longest int64) int64 {
		m.update(changed{f.put(func(s *model.Snapshot) {
			s.NowUS = sample.StartUS + sec*1_000_000
			fr := s.Frames[len(s.Frames)-1]
			fr.TotalUS = model.Some(longest)
			s.Frames = []model.TimedFrame{fr}
			s.Setting = model.Window{}
		})})
		m.view()
		return m.scaleUS
	}
	if got := at(10, 900_000); got != 900_000 || got <= before {
		t.Errorf("scale is %d after a frame of 900 ms", got)
	}
	if got := at(15, 20_000); got != 900_000 {
		t.Errorf("scale shrank to %d after 5 s", got)
	}
	if got := at(21, 20_000); got != 100_000 {
		t.Errorf("scale is %d after 11 s of short frames", got)
	}
}

// Any keys at any sizes: no panic, and a picture within the terminal.
func TestRandomKeysAtRandomSizes(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	keys := []string{"1", "2", "3", "4", "b", "p", "a", "c", "[", "]", "u", "R", "y", "n", "?", " ", "tab", "esc", "x", "1b[]"}
	states := []*model.Snapshot{sample.Far(41), sample.Near(), sample.Busy(), {}}
	for range 60 {
		m, f, c := testScreen(states[r.Intn(len(states))])
		var done []string
		for range 25 {
			switch r.Intn(4) {
			case 0:
				m.update(tea.WindowSizeMsg{Width: 1 + r.Intn(400), Height: 1 + r.Intn(120)})
			case 1:
				other := states[r.Intn(len(states))]
				m.update(changed{f.put(func(s *model.Snapshot) { v := s.Version; *s = *other; s.Version = v })})
			default:
				k := keys[r.Intn(len(keys))]
				done = append(done, k)
				m.update(typed(k))
			}
			c.t = c.t.Add(time.Second / 3)
			lines := strings.Split(m.view(), "\n")
			if len(lines) > m.h {
				t.Fatalf("after %q: %d lines on %d rows", done, len(lines), m.h)
			}
			for _, l := range lines {
				if n := ansi.StringWidth(l); n > m.w {
					t.Fatalf("after %q: %d columns on %d", done, n, m.w)
				}
			}
		}
	}
}

func TestFeedIsLimitedAndFirstIsImmediate(t *testing.T) {
	f := newFake(sample.Far(24))
	ctx, cancel := context.WithCancel(context.Background())
	sent := make(chan time.Time, 1000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		feed(ctx, f, func(tea.Msg) { sent <- time.Now() })
	}()
	start := time.Now()
	for time.Since(start) < 500*time.Millisecond {
		f.put(func(*model.Snapshot) {})
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	// 30 a second, and the one at the start; slower machines send fewer.
	if n, most := len(sent), int(time.Since(start)/feedEvery)+2; n < 2 || n > most {
		t.Errorf("%d snapshots in %v", n, time.Since(start))
	}
}

func BenchmarkView(b *testing.B) {
	m, _, _ := testScreen(sample.Far(41))
	b.ReportAllocs()
	for b.Loop() {
		m.stale = true
		m.view()
	}
}

// The answer to a change comes before its mark in the trace: a second press in
// between undoes the change and does not repeat it.
func TestASecondPressBeforeTheMarkUndoes(t *testing.T) {
	m, f, c := testScreen(sample.Far(24))
	m.update(typed("b"))
	m.update(changed{f.put(func(s *model.Snapshot) {
		s.SinceUS = c.t.UnixMicro() - 5_000_000
		s.Toggles = map[string]model.Toggle{model.KeyBurst: {State: model.ToggleConfirmed, Asked: "4/1000",
			AskedUS: c.t.UnixMicro(), TookUS: model.Some(200)}}
	})})
	m.update(typed("b"))
	if want := []string{"burst=4 idle=1000", "burst=0"}; !slices.Equal(f.asked, want) {
		t.Errorf("asked %q, want %q", f.asked, want)
	}
}
