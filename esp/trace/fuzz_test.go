package trace_test

import (
	"slices"
	"testing"

	"dev.local/linktop/esp/trace"
)

// FuzzDecoder: no input stops the decoder, reaches a terminal as more than
// text, or gives other events when it arrives in other parts.
func FuzzDecoder(f *testing.F) {
	for _, p := range everything(f) {
		if len(p) < 4096 {
			f.Add(p, uint8(7))
		}
	}
	f.Add([]byte("LT #7 ok proto=1 fw=x *00\r"), uint8(1))
	f.Add([]byte("s3:t14/p0/w10 | s4:t1/p0/w1\x1b[0;3"), uint8(2))
	f.Fuzz(func(t *testing.T, p []byte, cut uint8) {
		checkText(t, decode(p))
		size := int(cut)
		whole := decodeIn(p, func() int { return len(p) })
		if parts := decodeIn(p, func() int { return size }); !slices.Equal(parts, whole) {
			t.Errorf("cut at every %d:\n%q\nwhole:\n%q", size, parts, whole)
		}
	})
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte("linktop> LT #7 ok proto=1 fw=linktop-probe/1.0.0"))
	f.Add([]byte("LT #9 err code=range key=frame min=256 max=16384 *5A"))
	f.Fuzz(func(t *testing.T, p []byte) {
		a, ok := trace.ParseAnswer(p)
		if ok && a == nil || ok && a.N < 0 || ok && !a.OK && a.Code == "" {
			t.Errorf("%q gives %+v", p, a)
		}
	})
}
