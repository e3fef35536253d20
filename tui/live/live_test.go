package live

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
	"dev.local/linktop/tui/internal/sample"
	"dev.local/linktop/tui/theme"
)

var (
	update  = flag.Bool("update", false, "write the golden files of testdata anew")
	colored = flag.String("ansi", "", "also write each picture with its colours into this directory")
)

func viewOf(s *model.Snapshot, look *theme.Look, w, h int) *View {
	return &View{
		Look: look, NowUS: s.NowUS, Values: Values{Burst: 4, IdleMS: 1000, PaceMS: 300, AggMS: 200},
		Adjust: model.KeyBurst, ScaleUS: Scale(s, w, h),
	}
}

func TestPictures(t *testing.T) {
	dark := theme.New(theme.Dark, theme.Truecolor, false)
	asked := sample.Far(24)
	asked.Toggles = map[string]model.Toggle{
		model.KeyFrame: {State: model.ToggleAsked, Asked: "2048", AskedUS: asked.NowUS - 300_000},
		model.KeyPace:  {State: model.ToggleRefused, Asked: "9000", Reason: "pace takes 0–5000"},
		model.KeyCodec: {State: model.ToggleConfirmed, Asked: "pcm16", TookUS: model.Some(9_000)},
	}
	readOnly := sample.Far(24)
	readOnly.Device.Hello, readOnly.Settings, readOnly.Toggles = model.HelloNo, model.Settings{}, nil
	few := sample.Far(7)
	few.Path.RTTUS, few.Path.RTTSource, few.Path.RTTSeries, few.Path.Tank.Measured = 0, "", nil, false
	silent := sample.Busy()
	silent.Port = model.Port{State: "open", Name: "/dev/ttyACM0", Baud: model.Some(115200)}
	silent.Headline.Badge = model.Silent
	silent.Headline.Long.What = "/dev/ttyACM0 is open, but the device says nothing."
	silent.Headline.Short = silent.Headline.Long
	for _, c := range []struct {
		name string
		s    *model.Snapshot
		look *theme.Look
		w, h int
		more func(*View)
	}{
		{"far-120x36", sample.Far(24), dark, 120, 36, nil},
		{"far-80x24", sample.Far(24), dark, 80, 24, nil},
		{"far-200x60", sample.Far(41), dark, 200, 60, nil},
		{"far-light-120x36", sample.Far(24), theme.New(theme.Light, theme.Truecolor, false), 120, 36, nil},
		{"far-256-120x36", sample.Far(24), theme.New(theme.Dark, theme.Colors256, false), 120, 36, nil},
		{"far-16-120x36", sample.Far(24), theme.New(theme.Dark, theme.Colors16, false), 120, 36, nil},
		{"far-none-120x36", sample.Far(24), theme.New(theme.None, theme.Colors0, false), 120, 36, nil},
		{"far-ascii-80x24", sample.Far(24), theme.New(theme.None, theme.Colors0, true), 80, 24, nil},
		{"far-ascii-200x60", sample.Far(41), theme.New(theme.None, theme.Colors0, true), 200, 60, nil},
		{"near-80x24", sample.Near(), dark, 80, 24, nil},
		{"near-120x36", sample.Near(), dark, 120, 36, nil},
		{"busy-80x24", sample.Busy(), dark, 80, 24, nil},
		{"tls-80x24", withTLS(sample.Busy()), dark, 80, 24, nil},
		{"busy-120x36", sample.Busy(), dark, 120, 36, nil},
		{"silent-80x24", silent, dark, 80, 24, nil},
		{"asked-120x36", asked, dark, 120, 36, func(v *View) { v.Adjust = model.KeyIdle }},
		{"asked-80x24", asked, dark, 80, 24, nil},
		{"readonly-120x36", readOnly, dark, 120, 36, nil},
		{"readonly-80x24", readOnly, dark, 80, 24, nil},
		{"few-100x30", few, dark, 100, 30, nil},
		{"frozen-120x36", sample.Far(24), dark, 120, 36, func(v *View) { v.Frozen, v.Newer = true, 17 }},
		{"help-120x36", sample.Far(24), dark, 120, 36, func(v *View) { v.Help = true }},
		{"help-80x24", sample.Far(24), dark, 80, 24, func(v *View) { v.Help = true }},
		{"question-80x24", sample.Far(24), dark, 80, 24, func(v *View) { v.Question = "Reset the device by its serial lines?" }},
		{"small-60x16", sample.Far(24), dark, 60, 16, nil},
		{"small-40x10", sample.Far(24), dark, 40, 10, nil},
		{"tiny-30x5", sample.Far(24), dark, 30, 5, nil},
		{"start-80x24", &model.Snapshot{}, dark, 80, 24, nil},
		{"far-300x80", sample.Far(41), dark, 300, 80, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := viewOf(c.s, c.look, c.w, c.h)
			if c.more != nil {
				c.more(v)
			}
			cv := canvas.New(c.w, c.h)
			Draw(cv, c.s, v)
			if *colored != "" {
				if err := os.WriteFile(filepath.Join(*colored, c.name+".ansi"), cv.Append(nil, c.look.Palette), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden(t, c.name, cv.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run go test ./tui/live -update and look at what it wrote", err)
	}
	if got+"\n" != string(want) {
		t.Errorf("the picture differs from %s.\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

func withTLS(s *model.Snapshot) *model.Snapshot {
	s.Server.URL = "wss://192.168.1.20:8765/audio"
	s.Server.Fingerprint = strings.Repeat("9C:85:CE:6C:", 8)[:32*3-1]
	return s
}
