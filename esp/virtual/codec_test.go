package virtual

import (
	"bytes"
	"testing"
)

// An independent decoder follows the encoder: the tone comes back.
func TestADPCM(t *testing.T) {
	var e encoder
	in := append(tone[:], tone[:]...)
	coded := e.encode(nil, codecADPCM, in)
	if len(coded)*4 != len(in)*2 {
		t.Fatalf("%d bytes of %d samples, want 4:1", len(coded), len(in))
	}
	predictor, index := 0, 0
	var signal, noise float64
	for i, want := range in {
		code := coded[i/2] >> (4 * (i % 2)) & 15
		step := imaStep[index]
		// The reference form: (2·magnitude + 1)·step ÷ 8.
		delta := (2*int(code&7) + 1) * step / 8
		if code&8 != 0 {
			delta = -delta
		}
		predictor = max(-32768, min(32767, predictor+delta))
		index = max(0, min(88, index+imaMove[code&7]))
		if i >= 100 { // the step size has grown to the tone's
			signal += float64(want) * float64(want)
			noise += (float64(want) - float64(predictor)) * (float64(want) - float64(predictor))
		}
	}
	if signal/noise < 100 {
		t.Errorf("signal to noise %.0f, want at least 100 (20 dB)", signal/noise)
	}
}

func TestPCM(t *testing.T) {
	var e encoder
	if got := e.encode(nil, codecPCM16, []int16{1, -2}); !bytes.Equal(got, []byte{1, 0, 0xfe, 0xff}) {
		t.Errorf("pcm16 %x", got)
	}
	if got := e.encode(nil, codecPCM8k, []int16{100, 300, -8, -4}); !bytes.Equal(got, []byte{200, 0, 0xfa, 0xff}) {
		t.Errorf("pcm8k %x", got)
	}
}

func TestRing(t *testing.T) {
	r := newRing(8)
	p := make([]byte, 8)
	next, expect := byte(0), byte(0)
	for i := range 200 {
		n := i % 6
		piece := make([]byte, n)
		for j := range piece {
			piece[j] = next + byte(j)
		}
		fits := n <= 8-r.len()
		if r.push(piece) != fits {
			t.Fatalf("push %d of %d free: want %v", n, 8-r.len(), fits)
		}
		if fits {
			next += byte(n)
		}
		k := r.peek(p[:i%4])
		for _, b := range p[:k] {
			if b != expect {
				t.Fatalf("got %d, want %d", b, expect)
			}
			expect++
		}
		r.drop(k)
	}
}
