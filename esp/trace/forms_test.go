package trace_test

import (
	"slices"
	"strings"
	"testing"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// told is what console output gives, without the lines themselves.
func told(out string) (got []string) {
	for _, e := range decode([]byte(out)) {
		if e.Body.Kind() != "log" {
			got = append(got, line(&e))
		}
	}
	return got
}

const (
	longFrame   = "IDF_WS_WRITE_TRACE: seq=4 opcode=0x2 payload_len=4096 header_len=8 ws_parent_poll_ms=163 mask_ms=0 header_write_ms=1 payload_write_ms=9 total_ms=175 ret=4096"
	longFrameIs = "frame seq=4 op=2 n=4096 t=175000 p=163000 m=0 h=1000 w=9000 other=2000 r=4096"
	longParent  = "IDF_PARENT_WRITE_TRACE: seq=9 kind=ssl len=4096 poll_ms=0 write_ms=9 total_ms=9 ret=4096 errno=0"
	parentIs    = "parent seq=9 k=ssl n=4096 p=0 w=9000 t=9000 r=4096 e=0"
	compact     = "LT w s=4 o=2 n=4096 p=163012 m=410 h=812 w=9034 t=175002 r=4096"
	compactIs   = "frame seq=4 op=2 n=4096 t=175002 p=163012 m=410 h=812 w=9034 other=1734 r=4096"
)

func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"long, bare":               {longFrame, []string{longFrameIs}},
		"long, behind a header":    {"I (8123) " + longFrame, []string{longFrameIs}},
		"long, no time":            {"I " + longFrame, []string{longFrameIs}},
		"long, no tag before it":   {"D (00:00:08.123) " + longFrame, []string{longFrameIs}},
		"long, date":               {"I (26-11-30 10:16:36.102) " + longFrame, []string{longFrameIs}},
		"long, epoch":              {"I (1795601795571) " + longFrame, []string{longFrameIs}},
		"long, coloured":           {"\x1b[0;32mI (8) " + longFrame + "\x1b[0m", []string{longFrameIs}},
		"long, coloured, header 2": {"\x1b[0;32mI (8) \x1b[1m" + longFrame + "\x1b[0m", []string{longFrameIs}},
		"long, under a prompt":     {"linktop> I (8) " + longFrame, []string{longFrameIs}},
		"long, µs": {"I (8) " + strings.ReplaceAll(longFrame, "_ms", "_us"),
			[]string{"frame seq=4 op=2 n=4096 t=175 p=163 m=0 h=1 w=9 other=2 r=4096"}},
		"long, other order": {"I (8) IDF_WS_WRITE_TRACE: ret=4096 total_ms=175 payload_write_ms=9 header_write_ms=1 mask_ms=0 ws_parent_poll_ms=163 header_len=8 payload_len=4096 opcode=0x2 seq=4",
			[]string{longFrameIs}},
		"long, unknown keys kept": {"I (8) " + longFrame + " heap=182340 task=ws", []string{longFrameIs + " extra=heap=182340 task=ws"}},
		"long, FIN bit":           {"I (8) " + strings.Replace(longFrame, "0x2", "0x82", 1), []string{strings.Replace(longFrameIs, "op=2", "op=130", 1)}},
		"short write": {"I (8) " + strings.Replace(longFrame, "ret=4096", "ret=1440", 1),
			[]string{strings.Replace(longFrameIs, "r=4096", "r=1440", 1)}},
		"failed write": {"I (8) " + strings.Replace(longFrame, "ret=4096", "ret=-1", 1),
			[]string{strings.Replace(longFrameIs, "r=4096", "r=-1", 1)}},
		"parent":                  {"I (8) " + longParent, []string{parentIs}},
		"parent, failed":          {"I (8) " + strings.Replace(longParent, "ret=4096 errno=0", "ret=-1 errno=113", 1), []string{strings.Replace(parentIs, "r=4096 e=0", "r=-1 e=113", 1)}},
		"compact":                 {compact, []string{compactIs}},
		"compact, prompt":         {"linktop> " + compact, []string{compactIs}},
		"compact, header":         {"I (8) lt: " + compact, []string{compactIs}},
		"compact, unknown":        {compact + " q=3", []string{compactIs + " extra=q=3"}},
		"parent compact":          {"LT p s=9 k=tcp n=4096 p=12 w=9001 t=9020 r=4096 e=0", []string{"parent seq=9 k=tcp n=4096 p=12 w=9001 t=9020 r=4096 e=0"}},
		"tcp":                     {"LT t s=41 free=1656 q=9 fly=4104 cwnd=8640 ssthresh=65535 wnd=65160 rtt=285012 rto=0 fast=0", []string{"tcp"}},
		"settings":                {"LT cfg rev=12 frame=4096 burst=0 idle=0 pace=0 agg=off codec=pcm16", []string{"settings rev=12 frame=4096 burst=0 idle=0"}},
		"short":                   {"s3:t14/p0/w10 s4:t175/p163/w9", []string{"frame seq=3 t=14000 p=0 w=10000 other=4000", "frame seq=4 t=175000 p=163000 w=9000 other=3000"}},
		"short, no parts":         {"s3:t14", []string{"frame seq=3 t=14000"}},
		"short, header":           {"I (12) ws: s3:t14/p0/w10", []string{"frame seq=3 t=14000 p=0 w=10000 other=4000"}},
		"answer":                  {"LT #7 ok rev=3", []string{"answer n=7 ok=true"}},
		"answer, prompt":          {"linktop> LT #7 ok rev=3", []string{"answer n=7 ok=true"}},
		"answer, echo":            {"linktop> lt #7 helloLT #7 ok rev=3", []string{"answer n=7 ok=true"}},
		"answer, refused":         {"LT #9 err code=range key=frame min=256 max=16384", []string{"answer n=9 ok=false code=range key=frame min=256 max=16384"}},
		"two that stick together": {"I (8) " + longFrame + "I (9) " + longParent, []string{longFrameIs, parentIs}},
		"compact that stick":      {compact + compact[:5] + strings.Replace(compact[5:], "s=4", "s=5", 1), []string{compactIs, strings.Replace(compactIs, "seq=4", "seq=5", 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(c.in + "\r\n"); !slices.Equal(got, c.want) {
				t.Errorf("%s\ntold\n  %s\nwant\n  %s", c.in, strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

// nmea is a line with its checksum, as the device protocol defines it.
func nmea(line string) string {
	const hex = "0123456789ABCDEF"
	sum := byte(0)
	for _, c := range []byte(strings.Join(strings.Fields(line), " ")) {
		sum ^= c
	}
	return line + " *" + hex[sum>>4:sum>>4+1] + hex[sum&15:sum&15+1]
}

func TestChecksums(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want string
	}{
		"frame":    {compact, compactIs},
		"blanks":   {strings.Replace(compact, " o=", "   o=", 1), compactIs},
		"parent":   {"LT p s=9 k=ssl n=8 p=0 w=1 t=1 r=8 e=0", "parent seq=9 k=ssl n=8 p=0 w=1 t=1 r=8 e=0"},
		"settings": {"LT cfg rev=12 frame=4096", "settings rev=12 frame=4096"},
		"answer":   {"LT #7 ok rev=3", "answer n=7 ok=true"},
		"tcp":      {"LT t s=41 free=1656 q=9", "tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			right := nmea(c.line)
			if got := told(right + "\r\n"); !slices.Equal(got, []string{c.want}) {
				t.Errorf("%q gives %v, want %s", right, got, c.want)
			}
			// One damaged digit.
			wrong := strings.Replace(right, "=", "=1", 1)
			if c.line == "LT #7 ok rev=3" {
				wrong = strings.Replace(right, "=3", "=4", 1)
			}
			got := told(wrong + "\r\n")
			if !slices.Equal(got, []string{"damage what=torn"}) {
				t.Errorf("%q gives %v", wrong, got)
			}
			if a, ok := trace.ParseAnswer([]byte(wrong)); ok {
				t.Errorf("%q is read as %+v", wrong, a)
			}
		})
	}
}

func TestRevision(t *testing.T) {
	got := told("LT cfg rev=12 frame=4096\r\n" + compact + "\r\n" +
		"ESP-ROM:esp32s3-20210327\r\nrst:0xc (RTC_SW_CPU_RST),boot:0x8\r\nI (27) boot: ESP-IDF v5.5.3 2nd stage bootloader\r\n" + compact + "\r\n")
	want := []string{"settings rev=12 frame=4096", compactIs + " rev=12", "boot reason=software code=0xc RTC_SW_CPU_RST idf=v5.5.3", compactIs}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// TestDamaged: what cannot be read for certain gives no numbers.
func TestDamaged(t *testing.T) {
	for name, in := range map[string]string{
		"cut":                   "I (8) " + longFrame[:80],
		"cut in a value":        "LT w s=4 o=2 n=4096 p=1630",
		"a byte turned":         strings.Replace(compact, "p=163012", "p=1630\x012", 1),
		"keys run into another": "I (836) IDF_WS_WRITE_TRACE: seq=12 opcode=0x2 paylo_parent_poll_ms=1 mask_ms=0 header_write_ms=0 payload_write_ms=4 total_ms=5 ret=4096",
	} {
		t.Run(name, func(t *testing.T) {
			got := told("I (1) " + strings.Replace(longFrame, "seq=4", "seq=3", 1) + "\r\n" + in + "\r\nI (9) app: on\r\n")
			torn := slices.Contains(got, "damage what=torn")
			frames := 0
			for _, g := range got {
				if strings.HasPrefix(g, "frame") {
					frames++
				}
			}
			if !torn || frames != 1 {
				t.Errorf("told %q", got)
			}
		})
	}
}

func TestTextIsSafe(t *testing.T) {
	in := "I (5) ui: \x1b]0;title\x07\x1b[2J\x1b[31mred\x00\x08\x7f end \x9b31m \u009b31m \u202eevil\u2028 \xff\xfe 开始 \x1bPq\x1b\\ \x1b[\r\n" +
		"\x1b]52;c;cm0=\x07I (6) x\x1b[31my: a=\x1b[0m\r\n" +
		"LT #7 ok fw=\x1b[31mred\x07 id=\xff\r\n" + compact + " x=\x1b]0;t\x07\xff\r\nLT cfg rev=1 codec=\x9bx agg=\u0085\r\n" +
		"Guru Meditation Error: Core  0 panic'ed (\x1b[2Jx\xff).\r\nBacktrace: 0x4\x1b[31m:0x3\xff\r\nrst:0x1 (\x1b[5mPOWER\xffON),boot:0x8\r\n"
	events := decode([]byte(in))
	checkText(t, events)
	for _, want := range []string{"red", "开始"} {
		if !slices.ContainsFunc(events, func(e model.Event) bool {
			l, ok := e.Body.(*model.Log)
			return ok && strings.Contains(l.Text.String(), want)
		}) {
			t.Errorf("%q is lost", want)
		}
	}
	for i := range events {
		if l, ok := events[i].Body.(*model.Log); ok && (strings.Contains(l.Text.String(), "[31m") || strings.Contains(l.Text.String(), "title")) {
			t.Errorf("a sequence is left as text: %q", l.Text)
		}
	}
}
