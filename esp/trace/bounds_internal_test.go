package trace

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"dev.local/linktop/model"
)

// TestMemoryIsBounded: whatever is printed, what a decoder keeps stays below
// 128 KiB.
func TestMemoryIsBounded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	for name, p := range map[string][]byte{
		"noise":         noise,
		"no line end":   bytes.ReplaceAll(bytes.ReplaceAll(noise, []byte("\n"), []byte("x")), []byte("\r"), []byte("\x80")),
		"torn traces":   bytes.Repeat([]byte("I (8) IDF_WS_WRITE_TRACE: seq=1 "+string(bytes.Repeat([]byte("x=1 "), 500))+"\n"), 500),
		"headers":       bytes.Repeat([]byte("I (1) "), 170<<10),
		"string starts": bytes.Repeat([]byte("\x1b]"), 512<<10),
		"failures":      bytes.Repeat([]byte("E (9) transport_ws: Error transport_poll_write(0)\n"), 20<<10),
		"upgrades":      bytes.Repeat([]byte("E (9) transport_ws: Error read response for Upgrade header\nHost: a\nHost: b\n"), 10<<10),
	} {
		t.Run(name, func(t *testing.T) {
			d := New()
			for rest := p; len(rest) > 0; {
				n := min(len(rest), 1+rnd.IntN(5000))
				d.Feed(1, rest[:n], func(*model.Event) {})
				rest = rest[n:]
			}
			kept := 0
			for _, b := range [][]byte{d.lines.part, d.lines.tail, d.clean, d.extra, d.held.text, d.trouble.detail, d.trouble.tag,
				d.echo, d.crash.cause, d.crash.pc} {
				kept += cap(b)
			}
			if kept > 128<<10 {
				t.Errorf("%d bytes are kept", kept)
			}
		})
	}
}
