package theme

import (
	"runtime"
	"testing"
)

func TestChoose(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows is asked for its colours and has no locale variables")
	}
	for name, c := range map[string]struct {
		theme, glyphs string
		env           []string
		want          Look
	}{
		"xterm":               {"", "", []string{"TERM=xterm-256color"}, Look{Dark, Colors256, false, nil}},
		"truecolor":           {"auto", "auto", []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, Look{Dark, Truecolor, false, nil}},
		"16 colours":          {"", "", []string{"TERM=xterm"}, Look{Dark, Colors16, false, nil}},
		"light":               {"", "", []string{"TERM=xterm-256color", "COLORFGBG=0;15"}, Look{Light, Colors256, false, nil}},
		"light, three words":  {"", "", []string{"TERM=xterm-256color", "COLORFGBG=0;default;15"}, Look{Light, Colors256, false, nil}},
		"dark by COLORFGBG":   {"", "", []string{"TERM=xterm-256color", "COLORFGBG=15;0"}, Look{Dark, Colors256, false, nil}},
		"flag over COLORFGBG": {"dark", "", []string{"TERM=xterm-256color", "COLORFGBG=0;15"}, Look{Dark, Colors256, false, nil}},
		"NO_COLOR":            {"", "", []string{"TERM=xterm-256color", "NO_COLOR=1"}, Look{None, Colors0, false, nil}},
		"NO_COLOR, any value": {"", "", []string{"TERM=xterm-256color", "NO_COLOR=please"}, Look{None, Colors0, false, nil}},
		"flag none":           {"none", "", []string{"TERM=xterm-256color"}, Look{None, Colors0, false, nil}},
		"dumb":                {"", "", []string{"TERM=dumb"}, Look{Dark, Colors0, true, nil}},
		"linux console":       {"", "", []string{"TERM=linux"}, Look{Dark, Colors16, true, nil}},
		"C locale":            {"", "", []string{"TERM=xterm", "LANG=de_DE.UTF-8", "LC_ALL=C"}, Look{Dark, Colors16, true, nil}},
		"UTF-8 locale":        {"", "", []string{"TERM=xterm", "LANG=C.utf8"}, Look{Dark, Colors16, false, nil}},
		"flag ascii":          {"", "ascii", []string{"TERM=xterm"}, Look{Dark, Colors16, true, nil}},
		"flag blocks":         {"", "blocks", []string{"TERM=linux"}, Look{Dark, Colors16, false, nil}},
		"last value counts":   {"", "", []string{"TERM=dumb", "TERM=xterm"}, Look{Dark, Colors16, false, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Choose(c.theme, c.glyphs, c.env)
			if err != nil {
				t.Fatal(err)
			}
			if got.Theme != c.want.Theme || got.Depth != c.want.Depth || got.ASCII != c.want.ASCII {
				t.Errorf("got %+v, want %+v", *got, c.want)
			}
		})
	}
	for _, c := range [][2]string{{"pink", ""}, {"", "emoji"}} {
		if _, err := Choose(c[0], c[1], nil); err == nil {
			t.Errorf("%q was taken", c)
		}
	}
}

func TestEveryColourIsSpelt(t *testing.T) {
	for _, theme := range []Theme{Dark, Light} {
		for _, d := range []Depth{Colors256, Truecolor} {
			p := New(theme, d, false).Palette
			for c := Text; c < numColours; c++ {
				if p.FG[c] == "" || c != Text && p.BG[c] == "" {
					t.Errorf("theme %d, depth %d: colour %d has no spelling", theme, d, c)
				}
			}
		}
	}
}

func TestNoneHasNoColourButBold(t *testing.T) {
	p := New(None, Truecolor, false).Palette
	for c := range p.FG {
		if p.FG[c] != "" || p.BG[c] != "" {
			t.Fatalf("colour %d is spelt %q %q", c, p.FG[c], p.BG[c])
		}
	}
	if !p.Attrs {
		t.Error("bold is gone too")
	}
}
