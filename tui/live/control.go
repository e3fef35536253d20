package live

import (
	"strings"

	"dev.local/linktop/model"
	"dev.local/linktop/tui/canvas"
)

// control is one toggle of the desk.
type control struct {
	setting   string // its key among the toggles
	key, name string
	unit      string
	choices   []string
	now       string // in force, "" when the device has not said
}

// FrameSizes are those that the keys 1 to 4 ask for, bytes.
var FrameSizes = [...]int64{1024, 2048, 4096, 8192}

// Codecs are those that c goes through.
var Codecs = [...]string{"pcm16", "pcm8k", "adpcm"}

// AggWait reads the wait of an aggregation setting, "wait=200,max=frame", as
// text: "200"; "off" stays, "" is unknown.
func AggWait(agg string) string {
	for _, word := range strings.Split(agg, ",") {
		if wait, ok := strings.CutPrefix(word, "wait="); ok {
			return wait
		}
	}
	return agg
}

// controls are the desk's toggles with every choice: those of the keys, and what
// is in force if it is none of them.
func (p *page) controls() [5]control {
	s, v := &p.s.Settings, &p.v.Values
	all := [5]control{
		{setting: model.KeyFrame, key: "1–4", name: "frame", unit: ", bytes"},
		{setting: model.KeyBurst, key: "b", name: "burst", unit: " / idle, ms",
			choices: []string{"off", itoa(v.Burst) + "/" + itoa(v.IdleMS)}},
		{setting: model.KeyPace, key: "p", name: "pacing", unit: ", ms", choices: []string{"off", itoa(v.PaceMS)}},
		{setting: model.KeyAgg, key: "a", name: "aggregate", unit: ", ms", choices: []string{"off", itoa(v.AggMS)}},
		{setting: model.KeyCodec, key: "c", name: "codec", choices: Codecs[:]},
	}
	for _, size := range FrameSizes {
		all[0].choices = append(all[0].choices, itoa(size))
	}
	if s.FrameBytes.Known() {
		all[0].now = itoa(s.FrameBytes.Value())
	}
	if s.BurstFrames.Known() {
		all[1].now = "off"
		if n := s.BurstFrames.Value(); n > 0 {
			all[1].now = itoa(n) + "/" + itoa(s.IdleMS.Value())
		}
	}
	if s.PaceMS.Known() {
		all[2].now = "off"
		if n := s.PaceMS.Value(); n > 0 {
			all[2].now = itoa(n)
		}
	}
	all[3].now, all[4].now = AggWait(s.Agg), s.Codec
	for i := range all {
		c := &all[i]
		known := c.now == ""
		for _, choice := range c.choices {
			known = known || choice == c.now
		}
		if !known {
			c.choices = append(c.choices[:len(c.choices):len(c.choices)], c.now)
		}
	}
	return all
}

// controlWidth is the columns that a control needs.
func (p *page) controlWidth(c *control, full bool) int {
	name := canvas.TextWidth(c.key) + 1 + len(c.name)
	if !full {
		return max(name, len(c.shown())+4)
	}
	choices := 0
	for _, choice := range c.choices {
		choices += len(choice) + 2
	}
	return max(name+len(c.unit), choices)
}

func (c *control) shown() string {
	if c.now == "" {
		return unknown
	}
	return c.now
}
