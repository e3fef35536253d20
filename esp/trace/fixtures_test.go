package trace_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dev.local/linktop/model"
)

const (
	powerOn  = "boot reason=power_on code=0x1 POWERON idf=v5.5.3"
	frame4k  = "op=2 n=4096 t=9000 p=0 m=0 h=0 w=9000 other=0 r=4096"
	upgraded = "fault area=websocket code=upgrade"
)

// TestFixtures: what is told beside the lines themselves.
func TestFixtures(t *testing.T) {
	for name, want := range map[string][]string{
		"01-continuous.log": {
			powerOn,
			"frame seq=3 op=2 n=4096 t=14000 p=0 m=0 h=0 w=10000 other=4000 r=4096",
			"parent seq=5 k=ssl n=8 p=0 w=0 t=0 r=8 e=0",
			"parent seq=6 k=ssl n=4096 p=0 w=10000 t=10000 r=4096 e=0",
			"frame seq=4 op=2 n=4096 t=175000 p=163000 m=0 h=1000 w=9000 other=2000 r=4096",
			"frame seq=5 op=2 n=4096 t=298000 p=285000 m=0 h=1000 w=9000 other=3000 r=4096",
			"frame seq=6 op=2 n=4096 t=262000 p=249000 m=0 h=1000 w=9000 other=3000 r=4096",
			"frame seq=7 op=2 n=4096 t=295000 p=282000 m=0 h=1000 w=9000 other=3000 r=4096",
		},
		"02-short-form.log": {
			"frame seq=3 t=14000 p=0 w=10000 other=4000",
			"frame seq=4 t=175000 p=163000 w=9000 other=3000",
			"frame seq=5 t=298000 p=285000 w=9000 other=4000",
			"frame seq=7 t=15000 p=0 w=10000 other=5000 idle",
			"frame seq=13 t=14000 p=0 w=10000 other=4000 idle",
			"frame seq=21 t=14000 p=0 w=10000 other=4000 idle",
		},
		"03-compact-us.log": {
			"settings rev=12 frame=4096 burst=0 idle=0",
			"frame seq=41 op=2 n=4096 t=173990 p=163012 m=410 h=812 w=9034 other=722 r=4096 rev=12",
			"parent seq=81 k=ssl n=8 p=11 w=790 t=812 r=8 e=0",
			"parent seq=82 k=ssl n=4096 p=12 w=9001 t=9030 r=4096 e=0",
			"settings rev=13 frame=1024 burst=4 idle=1000",
			"frame seq=42 op=2 n=1024 t=2900 p=40 m=104 h=300 w=2400 other=56 r=1024 rev=13",
		},
		"04-timestamps.log": {
			"boot reason=brownout",
			"frame seq=8 " + frame4k, "frame seq=9 " + frame4k, "frame seq=10 " + frame4k,
		},
		"05-colour.log": {
			"frame seq=4 op=2 n=4096 t=175000 p=163000 m=0 h=1000 w=9000 other=2000 r=4096",
			"fault area=websocket code=poll timeout",
		},
		"06-torn-and-glued.log": {
			"frame seq=4 " + frame4k,
			"frame seq=5 op=2 n=4096 t=5000 p=2000 m=0 h=0 w=3000 other=0 r=4096 repaired",
			"frame seq=6 " + frame4k,
			"damage what=torn",
			"boot reason=watchdog code=0x7 TG0WDT_SYS_RST idf=v5.5.3",
			"frame seq=1 " + frame4k,
		},
		"07-bytes-lost.log": {
			"frame seq=11 " + frame4k,
			"damage what=torn",
			"damage what=lost from=13 to=13",
			"frame seq=14 " + frame4k,
			"frame seq=15 " + frame4k,
			"damage what=lost from=16 to=18",
			"frame seq=19 " + frame4k,
		},
		"08-brownout-as-0x3.log": {"wifi state=connected", "boot reason=brownout code=0x3 RTC_SW_SYS_RST idf=v5.5.3"},
		"09-panic.log": {
			"frame seq=88 " + frame4k,
			"panic core=1 cause=LoadProhibited pc=0x42011a2e backtrace=3",
			"boot reason=panic code=0xc RTC_SW_CPU_RST idf=v5.5.3",
		},
		"10-wifi-loss.log":      {"wifi state=lost reason=200", "fault area=socket code=errno 113"},
		"11-upgrade-failed.log": {upgraded, upgraded},
		"12-tls.log":            {"fault area=tls code=-0x7200", "fault area=tls code=-0x6C00"},
		"14-garbage.log":        {"damage what=garbage", "frame seq=21 " + frame4k, "frame seq=22 " + frame4k},
		"15-repl.log":           {"answer n=7 ok=true caps=frame,burst,pace,trace", "answer n=8 ok=false code=range key=frame min=256 max=16384", "fault area=console"},
		"16-arduino.log":        {"wifi state=lost reason=15", "fault area=socket code=errno 11", "fault area=tls code=-0x0050"},
		"17-host-tool-prefix.log": {
			"frame seq=31 op=2 n=4096 t=21000 p=12000 m=0 h=0 w=9000 other=0 r=4096",
			"frame seq=32 op=2 n=4096 t=22000 p=13000 m=0 h=0 w=9000 other=0 r=4096",
			"frame seq=33 op=2 n=4096 t=23000 p=14000 m=0 h=0 w=9000 other=0 r=4096",
		},
		"13-poll-write-timeout.log": {
			"fault area=websocket code=poll timeout", "fault area=websocket code=poll timeout",
			"frame seq=301 op=2 n=4096 t=5000000 p=5000000 m=0 h=0 w=0 other=0 r=0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			events := decode(fixture(t, name))
			checkText(t, events)
			var got []string
			for i := range events {
				l := line(&events[i])
				if strings.HasPrefix(l, "log") {
					continue
				}
				if f, ok := events[i].Body.(*model.Fault); ok && strings.Contains(f.Code, "upgrade") {
					l = upgraded
				}
				if l == "damage what=garbage" && len(got) > 0 && slices.Contains(got, l) {
					continue // its lines are counted by TestGarbage
				}
				if f, ok := events[i].Body.(*model.Fault); ok && f.Area == "console" {
					l = "fault area=console"
				}
				got = append(got, l)
			}
			if !slices.Equal(got, want) {
				t.Errorf("told\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		})
	}
}

func TestFixtureTexts(t *testing.T) {
	for _, c := range []struct{ file, level, tag, text string }{
		{"05-colour.log", "E", "transport_ws", "Error transport_poll_write(0)"},
		{"05-colour.log", "W", "ring", "94%"},
		{"05-colour.log", "D", "ring", "plain"},
		{"06-torn-and-glued.log", "W", "wifi", "m f null"},
		{"06-torn-and-glued.log", "", "", "mic gain 24 dB"},
		{"14-garbage.log", "I", "ui", "开始录音"},
		{"15-repl.log", "I", "audio", "tick"},
		{"16-arduino.log", "W", "WiFiGeneric.cpp:1061", "_eventCallback(): Reason: 15 - 4WAY_HANDSHAKE_TIMEOUT"},
		{"04-timestamps.log", "I", "net_task", "header without a time"},
		{"04-timestamps.log", "E", "BOD", "Brownout detector was triggered"},
	} {
		e := logged(decode(fixture(t, c.file)), c.text)
		if e == nil {
			t.Errorf("%s: no line %q", c.file, c.text)
			continue
		}
		if l := e.Body.(*model.Log); l.Level != c.level || l.Tag.String() != c.tag {
			t.Errorf("%s: %q has level %q and tag %q, want %q and %q", c.file, c.text, l.Level, l.Tag, c.level, c.tag)
		}
	}
}

func TestFixtureTimes(t *testing.T) {
	events := decode(fixture(t, "04-timestamps.log"))
	for _, c := range []struct {
		text      string
		dev, wall model.Opt
	}{
		{"header without a time", 0, 0},
		{"ms since boot", model.Some(90_000_000), 0},
		{"system time", model.Some(90_000_000), 0},
		{"full date", 0, model.Some(1_796_033_795_571_000)},
		{"epoch ms", 0, model.Some(1_795_601_795_571_000)},
		{"just before the 32-bit wrap", model.Some(4_294_967_290_000), 0},
		{"just after it", model.Some((1<<32 + 14) * 1000), 0},
	} {
		e := logged(events, c.text)
		if e == nil {
			t.Errorf("no line %q", c.text)
		} else if e.DevUS != c.dev || e.DevWallUS != c.wall {
			t.Errorf("%s: at %v, %v, want %v, %v", c.text, e.DevUS, e.DevWallUS, c.dev, c.wall)
		}
	}
	var frames []model.Event
	for _, e := range events {
		if e.Body.Kind() == "frame" {
			frames = append(frames, e)
		}
	}
	if len(frames) != 3 || frames[0].DevUS != model.Some(91_090_000) || !frames[1].DevWallUS.Known() ||
		frames[2].DevUS.Known() || frames[2].DevWallUS.Known() {
		t.Errorf("frames have other times: %+v", frames)
	}
}

func TestFixtureWords(t *testing.T) {
	bodies := func(file, kind string) (out []model.Body) {
		for _, e := range decode(fixture(t, file)) {
			if e.Body.Kind() == kind {
				out = append(out, e.Body)
			}
		}
		return out
	}
	has := func(text string, words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(text), w) })
	}
	if w := bodies("10-wifi-loss.log", "wifi"); len(w) != 1 || !has(w[0].(*model.WiFi).Meaning, "beacon") {
		t.Errorf("Wi-Fi loss: %+v", w)
	}
	if f := bodies("12-tls.log", "fault"); len(f) != 2 || !has(f[0].(*model.Fault).Meaning, "is it tls") ||
		!has(f[1].(*model.Fault).Meaning, "closed", "cut") {
		t.Errorf("TLS faults: %+v", f)
	}
	f := bodies("11-upgrade-failed.log", "fault")
	if len(f) != 2 {
		t.Fatalf("upgrades: %+v", f)
	}
	if d := f[0].(*model.Fault).Detail.String(); has(d, "host:", "get /", "connection:") {
		t.Errorf("the first upgrade failure has %q", d)
	}
	for _, w := range []string{"GET /audio HTTP/1.1", "Connection: Upgrade", "Sec-WebSocket-Key:"} {
		if d := f[1].(*model.Fault).Detail; !bytes.Contains(d, []byte(w)) {
			t.Errorf("the second upgrade failure lacks %q: %q", w, d)
		}
	}
	if b := bodies("09-panic.log", "panic"); len(b) != 1 || !strings.HasPrefix(b[0].(*model.Panic).Backtrace[0], "0x42011a2b") {
		t.Errorf("panic: %+v", b)
	}
}

func TestGarbage(t *testing.T) {
	p := fixture(t, "14-garbage.log")
	events := decode(p)
	var bytes int64
	for _, e := range events {
		if d, ok := e.Body.(*model.Damage); ok && d.What == "garbage" {
			bytes += d.Bytes.Value()
		}
	}
	var bad int64
	for rest := p; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		rest = rest[n:]
	}
	if bytes < bad || bytes > int64(len(p)) {
		t.Errorf("%d bytes of garbage are told; %d are no UTF-8", bytes, bad)
	}
}

func TestFixtureTraced(t *testing.T) {
	for _, name := range []string{"01-continuous.log", "03-compact-us.log", "17-host-tool-prefix.log", "15-repl.log"} {
		events := decode(fixture(t, name))
		traced, gave := 0, 0
		for _, e := range events {
			switch b := e.Body.(type) {
			case *model.Log:
				if b.Traced {
					traced++
				}
			case *model.Frame, *model.Parent, *model.TCP, *model.Settings, *model.Answer:
				gave++
			}
		}
		if traced != gave {
			t.Errorf("%s: %d lines are marked as traced, %d gave an event", name, traced, gave)
		}
	}
}
