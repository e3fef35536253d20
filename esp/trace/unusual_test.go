package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// TestOtherFirmware: a firmware with keys of its own is read once it is seen to
// print that way; lines that lack a key the others have are damage.
func TestOtherFirmware(t *testing.T) {
	few := func(seq int) string {
		return fmt.Sprintf("I (8) IDF_WS_WRITE_TRACE: seq=%d payload_len=4096 ws_parent_poll_ms=1 payload_write_ms=2 total_ms=4 ret=4096", seq)
	}
	all := func(seq int) string {
		return "I (8) " + strings.Replace(longFrame, "seq=4", fmt.Sprint("seq=", seq), 1)
	}
	without := func(seq int) string { return strings.Replace(all(seq), " mask_ms=0", "", 1) }
	spliced := func(seq int) string { return strings.Replace(all(seq), "payload_len=4096 header_len", "paylo_len", 1) }
	for name, c := range map[string]struct {
		in   []string
		want string // f a frame, t a torn line
	}{
		"few keys from the start":        {[]string{few(1), few(2), few(3)}, "fff"},
		"few keys, then one fewer":       {[]string{few(1), strings.Replace(few(2), " payload_len=4096", "", 1), few(3)}, "ftf"},
		"a key missing once":             {[]string{all(1), without(2), all(3)}, "ftf"},
		"a key missing from now on":      {[]string{all(1), without(2), without(3), without(4), without(5)}, "fttff"},
		"missing now and then":           {[]string{all(1), without(2), all(3), without(4), all(5), without(6)}, "ftftft"},
		"keys run into another, at once": {[]string{spliced(1), all(2)}, "tf"},
		"decimals":                       {[]string{strings.Replace(all(1), "total_ms=175", "total_ms=175.25", 1)}, "f"},
		"no number":                      {[]string{strings.Replace(all(1), "total_ms=175", "total_ms=17x", 1), all(2)}, "tf"},
		"more sent than asked":           {[]string{all(1), strings.Replace(all(2), "ret=4096", "ret=40960", 1)}, "ft"},
		"parts exceed the total":         {[]string{all(1), strings.Replace(all(2), "total_ms=175", "total_ms=17", 1)}, "ft"},
		"no trace at all":                {[]string{"I (8) IDF_WS_WRITE_TRACE: on"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, l := range told(strings.Join(c.in, "\r\n") + "\r\n") {
				switch {
				case strings.HasPrefix(l, "frame"):
					got += "f"
				case l == "damage what=torn":
					got += "t"
				default:
					t.Errorf("told %q", l)
				}
			}
			if got != c.want {
				t.Errorf("frames and torn lines %q, want %q", got, c.want)
			}
		})
	}
}

func TestHostToolPrefixes(t *testing.T) {
	for _, prefix := range []string{
		"[22:26:06:818] ", "[15:02:18]", "[2026-02-18 12:16:17.558] ", "2026-02-18 12:16:17.558 ", "12:16:17.558 -> ",
		"12:16:17.558 > ", "[2026-02-18T12:16:17.558Z] ", "2026-02-18T12:16:17,558+01:00 | ", "[12:16:17.558]# ",
	} {
		for _, l := range []string{"I (4450) a: one", "[  4450][I][a] one", "I (00:00:04.450) a: one"} {
			e := decode([]byte(prefix + l + "\n"))
			if len(e) != 1 || line(&e[0]) != "log =I a|one" || e[0].DevUS != model.Some(4_450_000) {
				t.Errorf("%q gives %q", prefix+l, line(&e[0]))
			}
		}
		if got := told(prefix + compact + "\n"); !slices.Equal(got, []string{compactIs}) {
			t.Errorf("%q gives %q", prefix+compact, got)
		}
	}
	for _, l := range []string{"12 bottles", "[ok] done", "10:30 tea", "[12:16:17] no header behind it"} {
		if e := decode([]byte(l + "\n")); len(e) != 1 || line(&e[0]) != "log |"+l {
			t.Errorf("%q gives %v", l, e)
		}
	}
}

// TestTroubleKinds: failures of each area, in plain words.
func TestTroubleKinds(t *testing.T) {
	for in, want := range map[string]string{
		"E (9) audio: malloc failed for 4096 bytes":                                             "heap",
		"E (9) wifi_init: Failed to allocate RX buffer":                                         "heap",
		"CORRUPT HEAP: Bad head at 0x3fcb1234. Expected 0xabba1234 got 0x00000000":              "heap",
		"W (9) audio_tx: ring buffer overflow, dropped 640 bytes":                               "audio",
		"E (9) esp-tls: couldn't get hostname for :gw: getaddrinfo() returns 202, addrinfo=0x0": "socket",
		"E (9) esp-tls-mbedtls: mbedtls_ssl_setup returned -0x7F00":                             "tls",
		"E (9) transport_base: tcp_write error, errno=Connection reset by peer":                 "socket",
		"W (9) transport_base: Poll timeout or error, errno=Success, fd=54, timeout_ms=5000":    "websocket",
		"E (9) transport_ws: Sec-WebSocket-Accept not found":                                    "websocket",
		"Command returned by nobody":                                                            "",
		"I (9) audio: allocation failed is only a word here":                                    "",
		"E (9) app: something else":                                                             "",
	} {
		var got []string
		for _, e := range decode([]byte(in + "\r\n")) {
			if f, ok := e.Body.(*model.Fault); ok {
				got = append(got, f.Area)
				if f.Meaning == "" || strings.Contains(f.Meaning, "not known") {
					t.Errorf("%q means %q", in, f.Meaning)
				}
			}
		}
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%q is a fault of %q, want %q", in, got, want)
		}
	}
}

// TestQuietConsole: what a Flush tells is told once.
func TestQuietConsole(t *testing.T) {
	var got []string
	keep := func(e *model.Event) { got = append(got, line(e)) }
	for name, c := range map[string]struct {
		in   []string // with a Flush after each
		want []string
	}{
		"reset with a pause before the bootloader": {
			[]string{rom + rst("0x15 (USB_UART_CHIP_RESET)"), "entry 0x403c8924\r\n", "I (27) boot: ESP-IDF v5.5.3 2nd stage bootloader\r\n", app},
			[]string{"boot reason=usb code=0x15 USB_UART_CHIP_RESET"},
		},
		"panic, and the console gone for a while": {
			[]string{"abort() was called at PC 0x42008e3b on core 0\r\n", "Rebooting...\r\n", "", rom + rst("0xc (RTC_SW_CPU_RST)") + loader},
			[]string{"panic core=0 cause=abort() pc=0x42008e3b backtrace=0", "boot reason=panic code=0xc RTC_SW_CPU_RST idf=v5.5.3"},
		},
		"brownout, and nothing of the ROM": {
			[]string{"E BOD: Brownout detector was triggered\r\n", "", app},
			[]string{"boot reason=brownout"},
		},
		"text without an end": {[]string{"loading", " a", "", "", "b\r\n"}, nil},
		"failure": {
			[]string{"E (9) transport_ws: Error transport_poll_write(0)\r\n"},
			[]string{"fault area=websocket code=poll timeout"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got = nil
			d := trace.New()
			for _, in := range c.in {
				d.Feed(1, []byte(in), keep)
				d.Flush(1, keep)
			}
			d.Close(1, keep)
			logs := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return !strings.HasPrefix(l, "log") })
			rest := slices.DeleteFunc(got, func(l string) bool { return strings.HasPrefix(l, "log") })
			if !slices.Equal(rest, c.want) {
				t.Errorf("told %q, want %q", rest, c.want)
			}
			if name == "text without an end" && !slices.Equal(logs, []string{"log |loading a", "log |b"}) {
				t.Errorf("lines %q", logs)
			}
		})
	}
}

// TestAfterGarbageWithoutEnd: the trace line that ends a line too long to be
// one is not lost.
func TestAfterGarbageWithoutEnd(t *testing.T) {
	for name, noise := range map[string]string{"text": strings.Repeat("x", 300<<10), "garbage": strings.Repeat("\x80\x00", 50<<10)} {
		if got, want := told(noise+"I (8) "+longFrame+"\r\n"), []string{"damage what=overlong", longFrameIs}; !slices.Equal(got, want) {
			t.Errorf("%s: told %q, want %q", name, got, want)
		}
	}
}

func TestChecksumIsAppended(t *testing.T) {
	for _, l := range []string{"lt #8 set frame=4096", "  lt   #9  hello ", compact} {
		full := trace.AppendChecksum([]byte(l))
		if want := nmea(l); string(full) != want {
			t.Errorf("%q, want %q", full, want)
		}
		if trace.Checksum(full) != trace.Checksum([]byte(l)) {
			t.Errorf("%q: the checksum counts itself", full)
		}
	}
}

func TestParseSettings(t *testing.T) {
	got, ok := trace.ParseSettings([]byte("rev=12 frame=4096 burst=4 idle=1000 pace=0 agg=wait=200,max=frame codec=pcm16 sndbuf=5760 more=1"))
	want := model.Settings{Rev: model.Some(12), FrameBytes: model.Some(4096), BurstFrames: model.Some(4), IdleMS: model.Some(1000),
		PaceMS: model.Some(0), Agg: "wait=200,max=frame", Codec: "pcm16", SndBufBytes: model.Some(5760)}
	if !ok || got != want {
		t.Errorf("read %+v, %t, want %+v", got, ok, want)
	}
	if s, ok := trace.ParseSettings([]byte("proto=1 fw=x")); ok {
		t.Errorf("no settings are read as %+v", s)
	}
}
