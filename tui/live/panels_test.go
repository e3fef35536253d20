package live

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/internal/sample"
	"dev.local/linktop/tui/theme"
)

func drawn(s *model.Snapshot, w, h int, more func(*View)) *canvas.Canvas {
	v := viewOf(s, theme.New(theme.Dark, theme.Truecolor, false), w, h)
	if more != nil {
		more(v)
	}
	c := canvas.New(w, h)
	Draw(c, s, v)
	return c
}

// find is where a text begins; the test fails without it.
func find(t *testing.T, c *canvas.Canvas, text string) (x, y int) {
	t.Helper()
	for y, l := range strings.Split(c.String(), "\n") {
		if i := strings.Index(l, text); i >= 0 {
			return utf8.RuneCountInString(l[:i]), y
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, c)
	return 0, 0
}

func TestBarsHaveTheColoursOfTheirParts(t *testing.T) {
	c := drawn(sample.Far(24), 120, 36, nil)
	// Frame 12, an even one: 279 ms poll, 2 header, 54 write on 13 cells a 100 ms.
	_, y := find(t, c, " 12  336  279")
	for x, want := range map[int]canvas.Color{28: theme.Poll, 63: theme.Poll, 66: theme.Write, 70: theme.Write} {
		if got := c.At(x, y).FG; got != want {
			t.Errorf("column %d has colour %d, want %d", x, got, want)
		}
	}
	if got := c.At(41, y); got.Rune != '▏' || got.FG != theme.PollGrid || got.BG != theme.Poll {
		t.Errorf("grid line on the bar is %c %+v", got.Rune, got.Style)
	}
	if got := c.At(30, y-1).FG; got != theme.PollAlt {
		t.Errorf("the neighbour has colour %d, want the other shade", got)
	}
}

func TestValuesThatMatterStandOut(t *testing.T) {
	c := drawn(sample.Far(24), 120, 36, nil)
	for text, want := range map[string]canvas.Style{
		"DEGRADED":       {FG: theme.OnLimit, BG: theme.Limit, Attr: canvas.Bold},
		"buffer-limited": {FG: theme.LimitText, Attr: canvas.Bold},
		"29 KB":          {FG: theme.Bad, Attr: canvas.Bold},
		"334   336":      {FG: theme.Strong, Attr: canvas.Bold},
		"94 %":           {FG: theme.Strong, Attr: canvas.Bold},
	} {
		x, y := find(t, c, text)
		if got := c.At(x, y).Style; got != want {
			t.Errorf("%q looks like %+v, want %+v", text, got, want)
		}
	}
}

func TestP95OfFewFramesIsMarked(t *testing.T) {
	c := drawn(sample.Far(19), 120, 36, nil)
	find(t, c, "n 19, below 20: P95 is the max")
	_, y := find(t, c, "total  ")
	if got := c.At(2+p95End-1, y).Attr; got&canvas.Bold != 0 {
		t.Error("the P95 of 19 frames is as bold as a reliable one")
	}
	c = drawn(sample.Far(20), 120, 36, nil)
	if strings.Contains(c.String(), "below 20") {
		t.Error("20 frames are called too few")
	}
	if got := c.At(2+p95End-1, y).Attr; got&canvas.Bold == 0 {
		t.Error("the P95 of 20 frames is not bold")
	}
}

func TestUnknownIsADash(t *testing.T) {
	s := sample.Far(24)
	s.Rate, s.Ring, s.Path = model.Rate{}, model.Ring{CapacityBytes: model.RingBytes}, model.Path{}
	c := drawn(s, 120, 36, nil)
	for _, row := range []string{"makes    ", "sends    ", "server gets", "backlog", "dropped", "round trip    ", "report echo", "buffer free", "retransmitted"} {
		x, y := find(t, c, row)
		if got := c.At(x+34, y).Rune; got != '–' {
			t.Errorf("%s shows %q where nothing is known", row, got)
		}
	}
}

func TestFailedFrameSaysWhatWasSent(t *testing.T) {
	s := sample.Far(24)
	s.Frames[20].Ret = model.Some(1024)
	find(t, drawn(s, 120, 36, nil), "✗ sent 1024 of 4096")
}

func TestSettingsChangeIsMarkedInTheTrace(t *testing.T) {
	s := sample.Far(24)
	for i := range s.Frames[:15] {
		s.Frames[i].Rev = model.Some(11)
	}
	c := drawn(s, 120, 36, nil)
	x, y := find(t, c, "▸")
	if got := strings.TrimSpace(strings.Split(c.String(), "\n")[y][:20]); !strings.Contains(got, "16") || x != 1 {
		t.Errorf("the mark is at column %d of %q, want column 1 of frame 16", x, got)
	}
}

func TestOverTimeShowsPausesAndSettings(t *testing.T) {
	s := sample.Far(41)
	for i := range s.Frames {
		if i < 20 {
			s.Frames[i].Rev = model.Some(11)
		}
		s.Frames[i].HostUS += int64(i/4) * 1_000_000 // bursts of four
	}
	c := drawn(s, 200, 60, nil)
	find(t, c, "rev 11")
	_, y := find(t, c, "OVER TIME")
	l := []rune(strings.Split(c.String(), "\n")[y+9])
	if got := strings.Count(string(l[50:112]), "████ ████"); got < 3 {
		t.Errorf("bursts do not stand apart: %s", string(l))
	}
}

func TestToggleStates(t *testing.T) {
	s := sample.Far(24)
	find(t, drawn(s, 120, 36, nil), "✓ 4096 in 12 ms")
	s.Toggles = map[string]model.Toggle{model.KeyPace: {State: model.ToggleRefused, Asked: "9000", Reason: "no"}}
	c := drawn(s, 120, 36, func(v *View) {
		v.Pressed = map[string]model.Toggle{model.KeyFrame: {State: model.ToggleAsked, Asked: "2048", AskedUS: s.NowUS - 300_000}}
	})
	find(t, c, "… asked 0.3 s ago")
	find(t, c, "✗ no")
	find(t, c, "pacing 9000: no")
	x, y := find(t, c, "4096  8192")
	if got := c.At(x, y); got.BG != theme.Selected || got.Attr&canvas.Bold == 0 {
		t.Errorf("what is in force looks like %+v", got.Style)
	}
	if got := c.At(x-5, y).FG; got != theme.LimitText {
		t.Errorf("what is asked for has colour %d", got)
	}
}

func TestReadOnlyFirmwareIsSaidToBe(t *testing.T) {
	s := sample.Far(24)
	s.Device.Hello = model.HelloNo
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		c := drawn(s, size[0], size[1], nil)
		find(t, c, readOnly)
		if strings.Contains(c.String(), "[ ]") {
			t.Errorf("%v: keys without effect are listed", size)
		}
	}
}

func TestNeverDropped(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {60, 14}, {79, 23}, {80, 24}, {100, 30}, {120, 36}, {200, 60}, {400, 120}} {
		c := drawn(sample.Far(24), size[0], size[1], nil)
		for _, text := range []string{"DEGRADED", "The device sends 51 %", "27.4 KB/s", "13.9 KB/s", "94 %", "29 KB", "q quit"} {
			find(t, c, text)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{ms(0), "–"}, {ms(model.Some(0)), "0"}, {ms(model.Some(400)), "0.4"}, {ms(model.Some(2000)), "2"},
		{ms(model.Some(9940)), "9.9"}, {ms(model.Some(9960)), "10"}, {ms(model.Some(163_012)), "163"}, {ms(model.Some(163_600)), "164"},
		{ms(model.Some(123_000_000)), "123s"},
		{kb(0), "–"}, {kb(model.Some(27_449)), "27.4"}, {kb(model.Some(0)), "0.0"}, {kb(model.Some(1_440_000)), "1440"},
		{wholeKB(model.Some(0)), "0"}, {wholeKB(model.Some(29_400)), "29"}, {wholeKB(model.Some(4096)), "4.1"}, {wholeKB(0), "–"},
		{percent(51, 100), "51"}, {percent(999, 1000), "99.9"}, {percent(99_999, 100_000), "99.9"}, {percent(100, 100), "100"},
		{percent(994, 1000), "99.4"}, {percent(1, 0), "–"}, {percent(989, 1000), "99"},
		{grouped(99_999), "99999"}, {grouped(100_000), "100,000"}, {grouped(1_234_567), "1,234,567"}, {grouped(-123_456), "-123,456"},
		{clock(8_900_000), "00:08"}, {clock(3_723_000_000), "1:02:03"}, {clock(-5), "00:00"},
		{seconds(1930), "1.9"}, {AggWait("wait=200,max=frame"), "200"}, {AggWait("off"), "off"}, {AggWait(""), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestScaleFits(t *testing.T) {
	for _, w := range []int{25, 46, 84, 200} {
		for us := int64(1); us < 100_000_000; us = us*3/2 + 1 {
			s := scaled(us, w)
			if s.full() < max(us, minScaleUS) {
				t.Errorf("%d µs in %d cells: full width is %d", us, w, s.full())
			}
			if s.eighths(us) > w*8 {
				t.Errorf("%d µs in %d cells: the bar ends at eighth %d", us, w, s.eighths(us))
			}
			if n := w / s.cells; n > 6 || n < 1 {
				t.Errorf("%d µs in %d cells: %d steps", us, w, n)
			}
		}
	}
}

// Whatever the size and the state, a picture is exactly within its canvas.
func TestEverySize(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	looks := []*theme.Look{
		theme.New(theme.Dark, theme.Truecolor, false), theme.New(theme.Light, theme.Colors256, false),
		theme.New(theme.Dark, theme.Colors16, true), theme.New(theme.None, theme.Colors0, false),
	}
	states := []*model.Snapshot{sample.Far(41), sample.Far(3), sample.Near(), sample.Busy(), {}, odd()}
	for i := range 1500 {
		w, h := 1+r.Intn(400), 1+r.Intn(120)
		if i%2 == 0 {
			w, h = 1+r.Intn(130), 1+r.Intn(40)
		}
		s, look := states[r.Intn(len(states))], looks[r.Intn(len(looks))]
		v := viewOf(s, look, w, h)
		v.Frozen, v.Help = r.Intn(4) == 0, r.Intn(4) == 0
		c := canvas.New(w, h)
		Draw(c, s, v)
		lines := strings.Split(string(c.Append(nil, look.Palette)), "\n")
		if len(lines) != h {
			t.Fatalf("%d×%d: %d lines", w, h, len(lines))
		}
		for _, l := range lines {
			if n := ansi.StringWidth(l); n > w {
				t.Fatalf("%d×%d: a line of %d columns: %q", w, h, n, ansi.Strip(l))
			}
		}
	}
}

// odd is a snapshot of extremes and hostile texts.
func odd() *model.Snapshot {
	s := sample.Far(20)
	bad := "日本語\x1b]0;x\x07\u202e👍🏽" + strings.Repeat("long ", 60)
	s.Device.Name, s.Device.Chip, s.Port.Name, s.Path.Colo = bad, bad, bad, bad
	s.Headline.Long.What, s.Headline.Short.What, s.Headline.Short.Sum = bad, bad, strings.Repeat("x", 900)
	s.Why[0].Name, s.Why[1].Evidence, s.Marks[0].Text, s.Log[0].Text = bad, bad, bad, bad
	s.Settings.FrameBytes, s.Settings.Codec = model.Some(1<<62), bad
	s.Path.Tank = model.Tank{SndBufBytes: 1, LowWaterBytes: 99, FreeBytes: model.Some(-5)}
	s.Ring.BacklogMS, s.Ring.DroppedBytes = model.Some(1<<40), model.Some(1<<60)
	s.Frames[3].TotalUS, s.Frames[4].TotalUS, s.Frames[5].PollUS = model.Some(1<<40), 0, model.Some(-7)
	s.Frames[6].Seq, s.Frames[7].Seq = 0, model.Some(1<<60)
	s.Toggles = map[string]model.Toggle{model.KeyCodec: {State: model.ToggleRefused, Asked: bad, Reason: bad}}
	s.Counts.Losses = map[string]int64{"events": 1 << 50}
	return s
}

func BenchmarkDraw(b *testing.B) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"120x36", 120, 36}, {"200x60", 200, 60}} {
		b.Run(size.name, func(b *testing.B) {
			s := sample.Far(41)
			v := viewOf(s, theme.New(theme.Dark, theme.Truecolor, false), size.w, size.h)
			var c canvas.Canvas
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				c.Reset(size.w, size.h)
				Draw(&c, s, v)
				buf = c.Append(buf[:0], v.Look.Palette)
			}
		})
	}
}

func TestADeviceWhoseLinesAreThereIsHeard(t *testing.T) {
	s := &model.Snapshot{Port: model.Port{Name: "sim", State: "open"}}
	find(t, drawn(s, 120, 36, nil), "NOTHING HEARD YET")
	s.Log = []model.LogLine{{Side: "server", Text: "listening"}}
	find(t, drawn(s, 120, 36, nil), "NOTHING HEARD YET")
	s.Log = append(s.Log, model.LogLine{Side: "device", Text: "Calling app_main()"})
	find(t, drawn(s, 120, 36, nil), "NO FRAMES YET")
}

func TestAnEstimateDoesNotTouchWhatPollNeeds(t *testing.T) {
	s := sample.Far(24)
	s.Path.Tank.Measured, s.Path.Tank.FreeBytes = false, model.Some(1656)
	find(t, drawn(s, 120, 36, nil), "needs 2881     ≈1656 B")
}

func TestHelpStandsAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		w, h  int
		plain bool
	}{{"small", 80, 24, false}, {"without colour", 120, 36, true}} {
		t.Run(c.name, func(t *testing.T) {
			cv := drawn(sample.Far(24), c.w, c.h, func(v *View) {
				v.Help = true
				if c.plain {
					v.Look = theme.New(theme.None, theme.Truecolor, false)
				}
			})
			_, y := find(t, cv, "this help")
			line := strings.Split(cv.String(), "\n")[y]
			if got := strings.TrimSpace(line); got != "?        this help" {
				t.Errorf("beside the help stands %q", got)
			}
		})
	}
}
