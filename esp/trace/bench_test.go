package trace_test

import (
	"bytes"
	"fmt"
	"testing"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// output is what a firmware prints: long and compact lines, and some words.
func output(frames int) []byte {
	var b bytes.Buffer
	for i := range frames {
		fmt.Fprintf(&b, "I (%d) IDF_WS_WRITE_TRACE: seq=%d opcode=0x2 payload_len=4096 header_len=8 ws_parent_poll_ms=163 mask_ms=0 "+
			"header_write_ms=1 payload_write_ms=9 total_ms=175 ret=4096\r\n", 1000+i, 2*i)
		fmt.Fprintf(&b, "I (%d) IDF_PARENT_WRITE_TRACE: seq=%d kind=ssl len=4096 poll_ms=0 write_ms=9 total_ms=9 ret=4096 errno=0\r\n", 1000+i, i)
		fmt.Fprintf(&b, "LT w s=%d o=2 n=4096 p=163012 m=410 h=812 w=9034 t=173990 r=4096\r\n", 2*i+1)
		fmt.Fprintf(&b, "LT p s=%d k=ssl n=4096 p=12 w=9001 t=9020 r=4096 e=0\r\n", i)
		fmt.Fprintf(&b, "LT t s=%d free=1656 q=9 fly=4104 cwnd=8640 ssthresh=65535 wnd=65160 rtt=285012 rto=0 fast=0\r\n", 2*i+1)
	}
	return b.Bytes()
}

func TestTraceLinesAllocateNothing(t *testing.T) {
	p := output(20)
	d := trace.New()
	frames := 0
	count := func(e *model.Event) {
		if _, ok := e.Body.(*model.Frame); ok {
			frames++
		}
	}
	d.Feed(1, p, count)
	if frames != 40 {
		t.Fatalf("%d frames, want 40", frames)
	}
	for name, size := range map[string]int{"whole": len(p), "in parts of 100": 100} {
		got := testing.AllocsPerRun(50, func() {
			for rest := p; len(rest) > 0; {
				n := min(size, len(rest))
				d.Feed(1, rest[:n], count)
				rest = rest[n:]
			}
		})
		// Each run begins its numbers anew, as a reset device does.
		if got != 0 {
			t.Errorf("%s: %v allocations for 100 trace lines", name, got)
		}
	}
}

func BenchmarkDecoder(b *testing.B) {
	long, compact := output(200), []byte(nil)
	for _, l := range bytes.SplitAfter(long, []byte("\n")) {
		if bytes.HasPrefix(l, []byte("LT ")) {
			compact = append(compact, l...)
		}
	}
	text := bytes.Repeat([]byte("I (8123) app_main: ring buffer at 12 of 64 KiB (19 %), heap 182340\r\n"), 200)
	for name, p := range map[string][]byte{"mixed": long, "compact": compact, "log": text} {
		b.Run(name, func(b *testing.B) {
			d := trace.New()
			events := 0
			count := func(*model.Event) { events++ }
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				d.Feed(1, p, count)
			}
			if events == 0 {
				b.Fatal("nothing decoded")
			}
		})
	}
}
