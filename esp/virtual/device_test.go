package virtual

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Device, trace and server agree on 10,000 frames.
func TestCountersAgree(t *testing.T) {
	for name, o := range map[string]Options{
		"keeps up":         {RTT: time.Millisecond, Rate: 270_000, FreeCPU: true, Baud: -1},
		"does not keep up": {RTT: 20 * time.Millisecond, Rate: 400_000, FreeCPU: true, Baud: -1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, o)
				defer l.stop()
				l.start("frame=256")
				for range 120 {
					time.Sleep(time.Second)
					if r := l.server.last("audio_sr"); r != nil && r["sent_frames"].(float64) >= 10_000 {
						break
					}
				}
				l.ask("stop")
				time.Sleep(5 * time.Second)
				stat := words(l.ask("stat"))
				traced, bytes := int64(0), int64(0)
				seq := int64(0)
				for _, f := range l.frames() {
					traced++
					bytes += f["r"]
					if f["s"] <= seq {
						t.Fatalf("frame %d follows %d", f["s"], seq)
					}
					seq = f["s"]
				}
				if l.server.seen().frames < 10_000 || traced != l.server.seen().frames || bytes != l.server.seen().bytes {
					t.Errorf("traced %d frames, %d bytes; server has %d, %d", traced, bytes, l.server.seen().frames, l.server.seen().bytes)
				}
				if stat["sent_frames"] != itoa(l.server.seen().frames) || stat["sent_bytes"] != itoa(l.server.seen().bytes) {
					t.Errorf("device says %s frames, %s bytes; server has %d, %d", stat["sent_frames"], stat["sent_bytes"], l.server.seen().frames, l.server.seen().bytes)
				}
				if len(l.server.seen().uneven) > 0 {
					t.Errorf("reports that did not agree with what had arrived: %q", l.server.seen().uneven)
				}
				if stat["lost_lines"] != "0" {
					t.Errorf("%s console lines lost", stat["lost_lines"])
				}
			})
		})
	}
}

func words(answer string) map[string]string {
	m := map[string]string{}
	for w := range strings.FieldsSeq(answer) {
		key, value, _ := strings.Cut(w, "=")
		m[key] = value
	}
	return m
}

func itoa(n int64) string { b, _ := json.Marshal(n); return string(b) }

// A ring that overflows drops whole pieces and accounts for every byte.
func TestRingOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{})
		defer l.stop()
		l.start("")
		time.Sleep(15 * time.Second)
		s := words(l.ask("stat"))
		n := func(key string) (v int64) { json.Unmarshal([]byte(s[key]), &v); return v }
		if n("dropped_bytes") == 0 || n("drop_count") == 0 || n("ringbuf_ms") < 1800 {
			t.Fatalf("nothing was dropped: %v", s)
		}
		if left := n("produced_bytes") - n("sent_bytes") - n("dropped_bytes"); left/32 != n("ringbuf_ms") {
			t.Errorf("produced − sent − dropped = %d bytes, %d ms; the ring holds %d ms", left, left/32, n("ringbuf_ms"))
		}
		if rate := float64(n("produced_bytes")) / 14.4; rate < 26500 || rate > 28000 {
			t.Errorf("produces %.0f B/s, want about 27400", rate)
		}
		warned := l.printed("W (")
		if len(warned) < 5 || len(warned) > 14 {
			t.Errorf("%d warnings in 15 s, want about one a second: %q", len(warned), warned)
		}
	})
}

func TestReboot(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*lab)
		code string
	}{
		"command": {func(l *lab) {
			if got := l.ask("reboot"); got != "ok" {
				l.t.Errorf("reboot: %s", got)
			}
		}, "rst:0xc (RTC_SW_CPU_RST),boot:0x8 (SPI_FAST_FLASH_BOOT)"},
		"reset line": {func(l *lab) {
			if err := l.console.Reset(); err != nil {
				l.t.Error(err)
			}
		}, "rst:0x15 (USB_UART_CHIP_RESET),boot:0x8 (SPI_FAST_FLASH_BOOT)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, Options{RTT: 20 * time.Millisecond})
				defer l.stop()
				if time.Sleep(time.Second); len(l.printed("rst:0x1 (POWERON)")) != 1 {
					t.Error("no power-on boot log")
				}
				l.start("frame=1024 burst=4 idle=100")
				time.Sleep(3 * time.Second)
				c.do(l)
				time.Sleep(2 * time.Second)
				l.fromLast("ESP-ROM:")
				if len(l.printed(c.code)) != 1 {
					t.Errorf("no %q in %q", c.code, l.printed("rst:"))
				}
				if cfg := l.printed("LT cfg "); len(cfg) != 1 || !strings.HasPrefix(cfg[0], "LT cfg rev=1 frame=4096 burst=0 idle=0 pace=0 agg=off codec=pcm16") {
					t.Errorf("settings after a reset: %q", cfg)
				}
				// The URL is kept: it streams again, counting from 1.
				if f := l.frames(); len(f) == 0 || f[0]["s"] != 2 {
					t.Errorf("frames after a reset: %v", f[:min(1, len(f))])
				}
				if l.server.seen().conns != 2 || l.server.count("session_start") != 2 {
					t.Errorf("%d connections, %d sessions, want 2 of each", l.server.seen().conns, l.server.count("session_start"))
				}
				if l.server.seen().query != "token=abc" {
					t.Errorf("the URL's query reached the server as %q", l.server.seen().query)
				}
			})
		})
	}
}

func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{RTT: 30 * time.Millisecond, Name: "bench-3"})
		defer l.stop()
		l.start("")
		time.Sleep(4 * time.Second)
		first := l.server.seen().texts[0]
		for key, want := range map[string]any{"type": "session_start", "device": "bench-3", "fw": "linktop-probe/1.0.0", "format": "pcm_s16le",
			"rate": 16000.0, "channels": 1.0, "frame_bytes": 4096.0, "scheme": "ws"} {
			if first[key] != want {
				t.Errorf("session_start: %s = %v, want %v", key, first[key], want)
			}
		}
		r := l.server.last("audio_sr")
		for _, key := range []string{"seq", "t_ms", "produced_bytes", "sent_bytes", "sent_frames", "dropped_bytes", "drop_count", "ringbuf_ms",
			"ringbuf_max_ms", "rtt_ms", "rssi", "heap"} {
			if _, ok := r[key].(float64); !ok {
				t.Errorf("audio_sr has no %s: %v", key, r)
			}
		}
		if r["seq"] != 3.0 || r["rtt_ms"].(float64) < 29 {
			t.Errorf("third report: %v", r)
		}
		// A run: the session ends, another begins, and ends by itself.
		if got := l.ask("start run=r3 dur=2000"); got != "ok run=r3 dur=2000" {
			t.Fatal(got)
		}
		time.Sleep(time.Second)
		if got := l.ask("start run=r4"); got != "err code=busy run=r3" {
			t.Error(got)
		}
		time.Sleep(2 * time.Second)
		if end := l.server.last("session_end"); end["reason"] != "done" || l.server.last("session_start")["run"] != "r3" {
			t.Errorf("after a run: %v, %v", l.server.last("session_start"), end)
		}
		// It stays connected, and silent until the next start.
		before := l.server.seen().total
		time.Sleep(3 * time.Second)
		if got := l.ask("stat"); !strings.HasPrefix(got, "ok ws=up") || l.server.seen().total != before {
			t.Errorf("%d frames after the end of the run; %s", l.server.seen().total-before, got)
		}
		if got := l.ask("start"); got != "ok run= dur=0" {
			t.Error(got)
		}
		time.Sleep(time.Second)
		if got := l.ask("stop"); got != "ok" {
			t.Error(got)
		}
		time.Sleep(time.Second)
		if got := l.ask("stop"); got != "err code=state stream=off" {
			t.Error(got)
		}
		if l.server.seen().total == before || l.server.last("session_end")["reason"] != "stop" || l.server.seen().conns != 1 {
			t.Errorf("start and stop: %v", l.server.last("session_end"))
		}
	})
}

func TestTraceForms(t *testing.T) {
	for form, want := range map[string][]string{
		"compact": {"LT w s=", "LT p s=", "LT t s="},
		"full":    {"I (", "LT t s="},
		"short":   {"s2:t"},
		"off":     nil,
	} {
		t.Run(form, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, Options{RTT: 10 * time.Millisecond, Trace: form})
				defer l.stop()
				l.start("")
				time.Sleep(3 * time.Second)
				for _, prefix := range want {
					if len(l.printed(prefix)) == 0 {
						t.Errorf("no %q line", prefix)
					}
				}
				full := 0
				for _, line := range l.printed("I (") {
					if strings.Contains(line, "IDF_WS_WRITE_TRACE: seq=2 opcode=0x2 payload_len=4096 header_len=8 ws_parent_poll_ms=0 ") {
						full++
					}
				}
				if full != map[string]int{"full": 1}[form] {
					t.Errorf("%d full lines of frame 2", full)
				}
				if form == "off" && len(l.printed("LT w"))+len(l.printed("LT p"))+len(l.printed("LT t")) > 0 {
					t.Error("traces although off")
				}
				if l.server.seen().frames == 0 {
					t.Error("no frames")
				}
			})
		})
	}
}

// With aggregation, what is there goes out once the oldest byte waited enough.
func TestAggregation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{RTT: 4 * time.Millisecond})
		defer l.stop()
		l.start("frame=4096 agg=wait=60,max=frame")
		time.Sleep(5 * time.Second)
		frames := l.frames()
		if len(frames) < 50 {
			t.Fatalf("%d frames in 4.4 s, want about 70", len(frames))
		}
		for _, f := range frames[1:] {
			if f["n"] < 1000 || f["n"] > 2800 || f["n"]%2 != 0 {
				t.Errorf("a frame of %d bytes, want 60 to 80 ms of audio", f["n"])
			}
		}
		l.ask("set codec=adpcm agg=off")
		time.Sleep(time.Second)
		from := words(l.ask("stat"))
		time.Sleep(10 * time.Second)
		to := words(l.ask("stat"))
		var a, b int64
		json.Unmarshal([]byte(from["produced_bytes"]), &a)
		json.Unmarshal([]byte(to["produced_bytes"]), &b)
		if rate := float64(b-a) / 10.02; rate < 6700 || rate > 7000 {
			t.Errorf("ADPCM makes %.0f B/s, want 6850", rate)
		}
	})
}
