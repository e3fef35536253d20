package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ParseSettings reads the key=value words of an answer or of an `LT cfg` line.
// Keys it does not know, and values that are no number where one is due, are
// left out.
func ParseSettings(fields map[string]string) Settings {
	num := func(key string) Opt {
		v, err := strconv.ParseInt(fields[key], 10, 64)
		if err != nil {
			return 0
		}
		return Some(v)
	}
	return Settings{
		Rev: num("rev"), FrameBytes: num(KeyFrame), BurstFrames: num(KeyBurst), IdleMS: num(KeyIdle),
		PaceMS: num(KeyPace), Agg: fields[KeyAgg], Codec: fields[KeyCodec], SndBufBytes: num(KeySndBuf),
	}
}

// Pairs splits `a=1 b=2` into its pairs.
func Pairs(line string) map[string]string {
	out := map[string]string{}
	for _, w := range strings.Fields(line) {
		if key, value, ok := strings.Cut(w, "="); ok {
			out[key] = value
		}
	}
	return out
}

// toggleOf groups what one toggle of the desk stands for.
func toggleOf(key string) string {
	if key == KeyIdle {
		return KeyBurst
	}
	return key
}

// asked is what a change asks of one toggle, as the desk names it.
func asked(toggle string, words map[string]string) string {
	value := words[toggle]
	switch {
	case toggle == KeyBurst && value == "":
		return "idle " + words[KeyIdle]
	case toggle == KeyBurst && value != "0" && words[KeyIdle] != "":
		return value + "/" + words[KeyIdle]
	case value == "0":
		return "off"
	}
	return value
}

func (s *State) applyCommand(e *Event, c *Command) {
	_, change, ok := strings.Cut(c.Line, " set ")
	if !ok {
		if strings.HasSuffix(c.Line, " hello") && s.device.Hello == HelloUnknown {
			s.device.Hello = HelloAsked
		}
		return
	}
	if _, again := s.pending[c.N]; again {
		return
	}
	words := Pairs(change)
	if s.pending == nil {
		s.pending, s.toggles = map[int64][]string{}, map[string]Toggle{}
	}
	var keys []string
	for key := range maps.Keys(words) {
		key = toggleOf(key)
		if slices.Contains(keys, key) {
			continue
		}
		s.toggles[key] = Toggle{State: ToggleAsked, Asked: asked(key, words), AskedUS: e.HostUS}
		keys = append(keys, key)
	}
	s.pending[c.N] = keys
}

func (s *State) applyAnswer(e *Event, a *Answer) {
	if a.Fields["proto"] != "" && a.TookUS.Known() { // asked for
		s.applyHello(a)
	}
	keys, ok := s.pending[a.N]
	if !ok {
		return
	}
	delete(s.pending, a.N)
	for _, key := range keys {
		t := s.toggles[key]
		t.TookUS = a.TookUS
		if a.OK {
			t.State, t.Reason = ToggleConfirmed, ""
		} else {
			t.State, t.Reason = ToggleRefused, refusal(a)
		}
		s.toggles[key] = t
		s.markToggle(e.HostUS, key, t)
	}
	if set := ParseSettings(a.Fields); a.OK && set.Known() && !s.marked {
		s.useSettings(e.HostUS, set)
	}
}

// unansweredUS is how long a change may stay without an end before it counts as
// lost: a command with its retry ends within 3 s.
const unansweredUS = 10_000_000

// togglesAt are the toggles as they look at a time; a change whose end was never
// told is not waited for any more.
func (s *State) togglesAt(nowUS int64) map[string]Toggle {
	out := maps.Clone(s.toggles)
	for key, t := range out {
		if t.State == ToggleAsked && nowUS-t.AskedUS > unansweredUS {
			t.State, t.Reason = ToggleRefused, "its answer was not seen"
			out[key] = t
		}
	}
	return out
}

func (s *State) markToggle(hostUS int64, key string, t Toggle) {
	name := map[string]string{KeyPace: "pacing", KeyAgg: "aggregate", KeySndBuf: "send buffer"}[key]
	text := orElse(name, key) + " " + t.Asked
	if t.State == ToggleRefused {
		s.mark(hostUS, true, text+" refused: "+t.Reason)
		return
	}
	s.mark(hostUS, true, text+" in "+strconv.FormatFloat(float64(t.TookUS.Value())/1000, 'f', 1, 64)+" ms")
}

// refusal says in plain words why a command was not carried out.
func refusal(a *Answer) string {
	key := a.Fields["key"]
	switch a.Code {
	case "range":
		if a.Fields["min"] != "" {
			return key + " takes " + a.Fields["min"] + "–" + a.Fields["max"]
		}
		return key + " out of range"
	case "unsupported":
		return strings.TrimSpace(key + " not in this firmware")
	case "unknown":
		return strings.TrimSpace(key + " unknown to this firmware")
	case "busy":
		return "the device is busy"
	case "state":
		return "not possible now"
	case "parse":
		return "not understood"
	case "checksum":
		return "damaged on the way, twice"
	case "timeout":
		return "no answer in time"
	case "gone":
		return "no device is reached"
	case "readonly":
		return "the firmware is read-only"
	}
	return orElse(a.Code, "refused")
}

func (s *State) applyHello(a *Answer) {
	d := &s.device
	if !a.OK {
		return
	}
	d.Hello = HelloYes
	d.FW, d.IDF, d.Chip, d.ID = a.Fields["fw"], a.Fields["idf"], a.Fields["chip"], a.Fields["id"]
	d.Caps = strings.FieldsFunc(a.Fields["caps"], func(r rune) bool { return r == ',' })
	if set := ParseSettings(a.Fields); set.Known() && !s.settings.Known() {
		s.settings = set
	}
}
