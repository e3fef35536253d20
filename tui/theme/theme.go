// Package theme holds the colours and glyphs of the screens, and chooses those
// that suit a terminal.
//
// The terminal is never asked: an answer may not come, or come as key presses.
// What its environment says decides, and flags overrule that.
package theme

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"dev.local/linktop/tui/canvas"
)

// Theme is the colours for one kind of background.
type Theme int

// The themes.
const (
	Dark Theme = iota
	Light
	None // no colours
)

// Depth is how many colours a terminal shows.
type Depth int

// The depths.
const (
	Colors0 Depth = iota
	Colors16
	Colors256
	Truecolor
)

// Look is all that drawing and writing need to know of a terminal.
type Look struct {
	Theme   Theme
	Depth   Depth
	ASCII   bool // glyphs of ASCII alone
	Palette *canvas.Palette
}

// Plain tells that meaning is to be carried by letters and brackets: colours or
// block glyphs are missing.
func (l *Look) Plain() bool { return l.ASCII || l.Depth == Colors0 }

// New is a look put together by hand.
func New(t Theme, d Depth, ascii bool) *Look {
	if t == None {
		d = Colors0
	}
	return &Look{t, d, ascii, palette(t, d)}
}

// Choose reads the flags --theme and --glyphs ("" is "auto") and, where they
// leave it open, the environment: NO_COLOR, TERM, COLORTERM, COLORFGBG, and the
// locale.
func Choose(theme, glyphs string, environ []string) (*Look, error) {
	env := func(name string) string {
		for i := len(environ) - 1; i >= 0; i-- {
			if v, ok := strings.CutPrefix(environ[i], name+"="); ok {
				return v
			}
		}
		return ""
	}
	var t Theme
	switch theme {
	case "", "auto":
		t = background(env("COLORFGBG"))
		if env("NO_COLOR") != "" {
			t = None
		}
	case "dark":
		t = Dark
	case "light":
		t = Light
	case "none":
		t = None
	default:
		return nil, fmt.Errorf("theme %q is not known: use auto, dark, light or none", theme)
	}
	var ascii bool
	switch glyphs {
	case "", "auto":
		ascii = poorGlyphs(env)
	case "blocks":
	case "ascii":
		ascii = true
	default:
		return nil, fmt.Errorf("glyphs %q are not known: use auto, blocks or ascii", glyphs)
	}
	d := depth(environ)
	if d == Colors0 && (theme == "dark" || theme == "light") && env("TERM") != "dumb" {
		d = Colors16 // asked for by name
	}
	look := New(t, d, ascii)
	if env("TERM") == "dumb" {
		look.Palette.Attrs = false
	}
	return look, nil
}

// background reads COLORFGBG, "foreground;background" or with a word between
// the two, in the 16 colours: 7 and 15 are light, as xterm, rxvt and konsole
// set it. Dark where it says nothing.
func background(fgbg string) Theme {
	switch fgbg[strings.LastIndexByte(fgbg, ';')+1:] {
	case "7", "15":
		if strings.Contains(fgbg, ";") {
			return Light
		}
	}
	return Dark
}

func depth(environ []string) Depth {
	switch p := colorprofile.Env(environ); {
	case p >= colorprofile.TrueColor:
		return Truecolor
	case p == colorprofile.ANSI256:
		return Colors256
	case p == colorprofile.ANSI:
		return Colors16
	}
	return Colors0
}

// poorGlyphs tells terminals that lack the block elements: the Linux console
// and dumb terminals, and a locale that is set to something but UTF-8.
func poorGlyphs(env func(string) string) bool {
	if term := env("TERM"); term == "dumb" || term == "linux" {
		return true
	}
	if runtime.GOOS == "windows" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(env(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}
