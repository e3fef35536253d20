package theme

import (
	"fmt"
	"strconv"

	"dev.local/linktop/tui/canvas"
)

// The colours by meaning. Bars are those of Okabe and Ito, which colour-blind
// eyes tell apart; no meaning is carried by colour alone.
const (
	Text canvas.Color = iota // on the plain ground; as a background: the ground
	Strong
	Quiet
	Axis
	Grid
	Band     // background of title and desk
	Selected // background of what is chosen
	Inverse  // text on Good and Bad
	OnLimit  // text on Limit

	// A frame's parts, as bars: plain, the other shade, and a grid line on both.
	Poll
	PollAlt
	PollGrid
	Header
	HeaderAlt
	HeaderGrid
	Write
	WriteAlt
	WriteGrid
	Other
	OtherAlt
	OtherGrid
	// As text.
	PollText
	HeaderText
	WriteText
	OtherText

	Good
	Limit
	LimitText
	Bad
	Levels // filled steps
	Rates  // thin lines

	numColours
)

// spelling is one colour in every depth, dark and light. 16-colour entries are
// SGR parameters of the foreground; a background adds 10.
type spelling struct {
	hex [2]uint32
	x   [2]int // of the 256; 0 is the terminal's own
	a   [2]int // of the 16; 0 is the terminal's own
}

var spellings = [numColours]spelling{
	Text:     {[2]uint32{0xc9d0d9, 0x33383e}, [2]int{252, 237}, [2]int{0, 0}},
	Strong:   {[2]uint32{0xf4f6f8, 0x14171a}, [2]int{255, 234}, [2]int{0, 0}},
	Quiet:    {[2]uint32{0x8b95a2, 0x656c74}, [2]int{246, 242}, [2]int{0, 0}},
	Axis:     {[2]uint32{0x6e7783, 0x7d8389}, [2]int{243, 102}, [2]int{90, 90}},
	Grid:     {[2]uint32{0x2b323c, 0xdcddd8}, [2]int{236, 253}, [2]int{90, 90}},
	Band:     {[2]uint32{0x1a1f27, 0xeeeeea}, [2]int{234, 255}, [2]int{0, 0}},
	Selected: {[2]uint32{0x39424f, 0xcfd2d0}, [2]int{238, 252}, [2]int{0, 0}},
	Inverse:  {[2]uint32{0x111419, 0xfbfbf8}, [2]int{233, 255}, [2]int{30, 97}},
	OnLimit:  {[2]uint32{0x111419, 0x14171a}, [2]int{233, 234}, [2]int{30, 30}},

	Poll:       {[2]uint32{0xe69f00, 0xe69f00}, [2]int{178, 178}, [2]int{33, 33}},
	PollAlt:    {[2]uint32{0xcf8f00, 0xf0b02b}, [2]int{172, 214}, [2]int{33, 33}},
	PollGrid:   {[2]uint32{0xa87400, 0xb88000}, [2]int{94, 136}, [2]int{30, 30}},
	Header:     {[2]uint32{0xcc79a7, 0xcc79a7}, [2]int{175, 175}, [2]int{35, 35}},
	HeaderAlt:  {[2]uint32{0xb76d96, 0xd995bb}, [2]int{132, 182}, [2]int{35, 35}},
	HeaderGrid: {[2]uint32{0x95587a, 0xa36186}, [2]int{96, 132}, [2]int{30, 30}},
	Write:      {[2]uint32{0x56b4e9, 0x56b4e9}, [2]int{74, 74}, [2]int{36, 34}},
	WriteAlt:   {[2]uint32{0x4da2d2, 0x79c4ee}, [2]int{68, 117}, [2]int{36, 34}},
	WriteGrid:  {[2]uint32{0x3f83aa, 0x4590ba}, [2]int{24, 67}, [2]int{30, 30}},
	Other:      {[2]uint32{0x7d8590, 0xa0a6ac}, [2]int{102, 248}, [2]int{90, 90}},
	OtherAlt:   {[2]uint32{0x707882, 0xb4b9bd}, [2]int{243, 250}, [2]int{90, 90}},
	OtherGrid:  {[2]uint32{0x5b6169, 0x80858a}, [2]int{239, 245}, [2]int{30, 30}},

	PollText:   {[2]uint32{0xe69f00, 0x946200}, [2]int{178, 94}, [2]int{33, 33}},
	HeaderText: {[2]uint32{0xd98bb6, 0x9c4274}, [2]int{175, 132}, [2]int{35, 35}},
	WriteText:  {[2]uint32{0x56b4e9, 0x00639b}, [2]int{74, 24}, [2]int{36, 34}},
	OtherText:  {[2]uint32{0x9aa3ae, 0x656c74}, [2]int{248, 242}, [2]int{90, 90}},

	Good:      {[2]uint32{0x1fb58a, 0x007a59}, [2]int{36, 29}, [2]int{32, 32}},
	Limit:     {[2]uint32{0xf0e442, 0xf0e442}, [2]int{221, 221}, [2]int{93, 33}},
	LimitText: {[2]uint32{0xf0e442, 0x7a6200}, [2]int{221, 94}, [2]int{93, 33}},
	Bad:       {[2]uint32{0xe8702a, 0xb54a00}, [2]int{166, 130}, [2]int{31, 31}},
	Levels:    {[2]uint32{0x7b8593, 0x9aa0a6}, [2]int{102, 247}, [2]int{0, 0}},
	Rates:     {[2]uint32{0xaab3be, 0x7b828a}, [2]int{249, 244}, [2]int{0, 0}},
}

// ground is the plain background. With 256 colours or fewer it is left to the
// terminal; in true colour it is painted, so that text stays readable where the
// theme was guessed wrong.
var ground = [2]uint32{0x111419, 0xfbfbf8}

func palette(t Theme, d Depth) *canvas.Palette {
	p := &canvas.Palette{Attrs: true}
	if d == Colors0 {
		return p
	}
	for i, s := range spellings {
		switch d {
		case Truecolor:
			p.FG[i], p.BG[i] = "38;2;"+rgb(s.hex[t]), "48;2;"+rgb(s.hex[t])
		case Colors256:
			p.FG[i], p.BG[i] = "38;5;"+strconv.Itoa(s.x[t]), "48;5;"+strconv.Itoa(s.x[t])
		case Colors16:
			if s.a[t] != 0 {
				p.FG[i], p.BG[i] = strconv.Itoa(s.a[t]), strconv.Itoa(s.a[t]+10)
			}
		}
	}
	p.BG[Text] = ""
	switch d {
	case Truecolor:
		p.BG[Text] = "48;2;" + rgb(ground[t])
	case Colors16:
		p.FGAttr[Strong] = canvas.Bold
		p.BGAttr[Selected] = canvas.Reverse
		p.BG[Levels], p.BG[Rates] = "47", "47"
	}
	return p
}

func rgb(v uint32) string { return fmt.Sprintf("%d;%d;%d", v>>16, v>>8&0xff, v&0xff) }
