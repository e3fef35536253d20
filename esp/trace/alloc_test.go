package trace_test

import (
	"strings"
	"testing"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// TestEveryFormAllocatesNothing: also what is not read the short way.
func TestEveryFormAllocatesNothing(t *testing.T) {
	for name, l := range map[string]string{
		"coloured":    "\x1b[0;32mI (8) " + longFrame + "\x1b[0m",
		"µs":          "I (8) " + strings.ReplaceAll(longFrame, "_ms", "_us"),
		"more keys":   "I (8) " + longFrame + " heap=182340 task=ws",
		"other order": "I (8) IDF_WS_WRITE_TRACE: ret=4096 total_ms=175 payload_write_ms=9 header_write_ms=1 mask_ms=0 ws_parent_poll_ms=163 header_len=8 payload_len=4096 opcode=0x2 seq=4",
		"checksum":    nmea(compact),
		"host time":   "[22:26:06:818] I (4480) " + longFrame,
		"prompt":      "linktop> " + compact,
		"short":       "s3:t14/p0/w10 s4:t175/p163/w9",
		"few keys":    "I (8) IDF_WS_WRITE_TRACE: seq=1 ws_parent_poll_ms=1 payload_write_ms=2 total_ms=4",
		"date":        "I (26-11-30 10:16:36.102) " + longFrame,
	} {
		t.Run(name, func(t *testing.T) {
			p := []byte(l + "\r\n")
			d := trace.New()
			frames := 0
			count := func(e *model.Event) {
				if e.Body.Kind() == "frame" {
					frames++
				}
			}
			d.Feed(1, p, count)
			if got := testing.AllocsPerRun(50, func() { d.Feed(1, p, count) }); got != 0 {
				t.Errorf("%v allocations a line", got)
			}
			if frames < 50 {
				t.Errorf("%d frames", frames)
			}
		})
	}
}
