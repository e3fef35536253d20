package canvas

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

const (
	red Color = iota + 1
	blue
	line
)

func testPalette() *Palette {
	p := &Palette{Attrs: true}
	p.FG[red], p.FG[blue], p.FG[line] = "31", "34", "90"
	p.BG[red], p.BG[blue] = "41", "44"
	return p
}

func TestTextIsClipped(t *testing.T) {
	for name, c := range map[string]struct {
		x    int
		text string
		want string
	}{
		"fits":               {0, "abc", "abc"},
		"cut":                {0, "abcdefgh", "abcd…"},
		"begins outside":     {-2, "abcdefgh", "cdef…"},
		"wide":               {0, "日本", "日本"},
		"wide cut":           {0, "日本語", "日本…"},
		"wide cut in half":   {1, "日本語", " 日 …"},
		"wide begins before": {-1, "日本", " 本"},
		"escape":             {0, "\x1b[2J", "·[2J"},
		"control":            {0, "a\x00\nb", "a··b"},
		"C1":                 {0, "a\u009bb", "a·b"},
		"combining":          {0, "e\u0301a", "ea"},
		"bidi":               {0, "a\u202eb", "ab"},
		"flag":               {0, "\U0001f1e9\U0001f1ea", "··"},
		"broken":             {0, "a\xffb", "a·b"},
	} {
		t.Run(name, func(t *testing.T) {
			cv := New(5, 1)
			cv.Text(c.x, 0, Style{}, c.text)
			if got := cv.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDrawingOverHalfOfAWideRune(t *testing.T) {
	cv := New(6, 1)
	cv.Text(0, 0, Style{}, "日本語")
	cv.Set(1, 0, 'x', Style{})
	cv.Set(4, 0, 'y', Style{})
	if got, want := cv.String(), " x本y"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASCII(t *testing.T) {
	cv := New(30, 1)
	cv.ASCII = true
	cv.Text(0, 0, Style{}, "– → ≈ ● ◐ ○ ✓ ✗ … ▴ 日 é −5")
	got := cv.String()
	if want := "- > ~ * ~ o + x . ^ ?  ? -5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRenderChangesOnlyWhatDiffers(t *testing.T) {
	cv := New(8, 3)
	cv.Text(0, 0, Style{FG: red}, "ab")
	cv.Text(2, 0, Style{FG: red, Attr: Bold}, "cd")
	cv.Text(4, 0, Style{FG: blue}, "e")
	cv.Text(0, 1, Style{FG: red, BG: blue}, "x")
	cv.Text(1, 1, Style{FG: red}, "y")
	got := string(cv.Append(nil, testPalette()))
	want := "\x1b[31mab\x1b[1mcd\x1b[0;34me\x1b[0m\n\x1b[31;44mx\x1b[0;31my\x1b[0m\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRenderPaintsTheGround(t *testing.T) {
	p := testPalette()
	p.BG[0] = "100"
	cv := New(3, 2)
	cv.Text(0, 0, Style{}, "a")
	if got, want := string(cv.Append(nil, p)), "\x1b[100ma  \x1b[0m\n\x1b[100m   \x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoAttributesOnADumbTerminal(t *testing.T) {
	cv := New(3, 1)
	cv.Text(0, 0, Style{FG: red, Attr: Bold | Underline}, "a")
	if got := string(cv.Append(nil, &Palette{})); got != "a" {
		t.Errorf("got %q", got)
	}
}

func row(w int, segs []Segment, b Bars) *Canvas {
	cv := New(w, 1)
	b.Row(cv, 0, 0, w, segs)
	return cv
}

func TestBarCells(t *testing.T) {
	p := func(end int) Segment { return Segment{End: end, Color: red, Grid: line, Letter: 'p'} }
	w := func(end int) Segment { return Segment{End: end, Color: blue, Grid: line, Letter: 'w'} }
	h := func(end int) Segment { return Segment{End: end, Color: line, Letter: 'h'} }
	for name, c := range map[string]struct {
		segs []Segment
		bars Bars
		want string
		at   int
		cell Cell
	}{
		"whole":                 {[]Segment{p(16)}, Bars{}, "██", 0, Cell{'█', Style{FG: red}}},
		"an eighth":             {[]Segment{p(9)}, Bars{}, "█▏", 1, Cell{'▏', Style{FG: red}}},
		"border in a cell":      {[]Segment{p(11), w(24)}, Bars{}, "█▍█", 1, Cell{'▍', Style{FG: red, BG: blue}}},
		"end keeps exact":       {[]Segment{p(9), w(15)}, Bars{}, "█▉", 1, Cell{'▉', Style{FG: blue}}},
		"largest keeps":         {[]Segment{p(13), w(15)}, Bars{}, "█▉", 1, Cell{'▉', Style{FG: red}}},
		"a part of nothing":     {[]Segment{p(8), h(8), w(16)}, Bars{}, "██", 1, Cell{'█', Style{FG: blue}}},
		"three in a cell":       {[]Segment{p(3), h(4), w(8)}, Bars{}, "▍", 0, Cell{'▍', Style{FG: red, BG: blue}}},
		"grid on a bar":         {[]Segment{p(24)}, Bars{Every: 2, Grid: line}, "██▏ ▏", 2, Cell{'▏', Style{FG: line, BG: red}}},
		"grid beside a bar":     {[]Segment{p(8)}, Bars{Every: 2, Grid: line}, "█ ▏ ▏", 2, Cell{'▏', Style{FG: line}}},
		"letters":               {[]Segment{p(13), w(30)}, Bars{Letters: true}, "ppww", 1, Cell{'p', Style{FG: red}}},
		"a letter for a sliver": {[]Segment{p(1)}, Bars{Letters: true}, "p", 0, Cell{'p', Style{FG: red}}},
		"nothing":               {[]Segment{p(0)}, Bars{}, "", 0, Cell{' ', Style{}}},
	} {
		t.Run(name, func(t *testing.T) {
			cv := row(5, c.segs, c.bars)
			if got := cv.String(); got != c.want {
				t.Errorf("drew %q, want %q", got, c.want)
			}
			if got := cv.At(c.at, 0); got != c.cell {
				t.Errorf("cell %d is %c %+v, want %c %+v", c.at, got.Rune, got.Style, c.cell.Rune, c.cell.Style)
			}
		})
	}
}

// The end of a bar is exact to an eighth, whatever it is made of.
func TestBarEndIsExact(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const w = 20
	for range 2000 {
		var segs []Segment
		end := 0
		for i := range 1 + r.Intn(4) {
			end += r.Intn(60)
			segs = append(segs, Segment{End: end, Color: Color(1 + i)})
		}
		cv := row(w, segs, Bars{})
		got := 0
		for x := range w {
			cell := cv.At(x, 0)
			if cell.Rune == ' ' {
				break
			}
			if cell.BG != 0 {
				got += 8 // the second colour fills the rest
				continue
			}
			for n, g := range lefts {
				if g == cell.Rune {
					got += n
				}
			}
		}
		if want := min(end, w*8); got != want {
			t.Fatalf("%v ends at %d eighths, want %d: %s", segs, got, want, cv)
		}
	}
}

func TestColumn(t *testing.T) {
	cv := New(1, 3)
	Bars{}.Column(cv, 0, 2, 3, []Segment{{End: 11, Color: red}, {End: 20, Color: blue}})
	want := []Cell{{'▄', Style{FG: blue}}, {'▃', Style{FG: red, BG: blue}}, {'█', Style{FG: red}}}
	for y, c := range want {
		if got := cv.At(0, y); got != c {
			t.Errorf("row %d is %c %+v, want %c %+v", y, got.Rune, got.Style, c.Rune, c.Style)
		}
	}
}

func TestThin(t *testing.T) {
	for halves, want := range map[int]string{-3: "────", 0: "────", 1: "╸───", 4: "━━──", 5: "━━╸─", 99: "━━━━"} {
		cv := New(4, 1)
		cv.Thin(0, 0, 4, halves, Style{}, &Style{})
		if got := cv.String(); got != want {
			t.Errorf("%d halves: %q, want %q", halves, got, want)
		}
	}
}

// No line is wider than the grid, for terminals and for libraries that measure.
func FuzzText(f *testing.F) {
	f.Add("abc日本🇩🇪👍🏽e\u0301\u200d\x1b[31m", int8(-3), uint8(7))
	f.Fuzz(func(t *testing.T, text string, x int8, w uint8) {
		for _, asciiOnly := range []bool{false, true} {
			cv := New(int(w), 2)
			cv.ASCII = asciiOnly
			cv.Text(int(x), 0, Style{FG: red}, text)
			cv.Right(0, 1, int(w), Style{}, text)
			for _, l := range strings.Split(string(cv.Append(nil, testPalette())), "\n") {
				if got := ansi.StringWidth(l); got > int(w) {
					t.Fatalf("%q is %d wide on a grid of %d: %q", text, got, w, l)
				}
				if strings.ContainsAny(ansi.Strip(l), "\x00\x1b\r\n\t") {
					t.Fatalf("control bytes in %q", l)
				}
			}
		}
	})
}
