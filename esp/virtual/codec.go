package virtual

// Codecs, by the names of `lt set codec=`.
const (
	codecPCM16 = "pcm16" // 16 kHz, 16 bit
	codecPCM8k = "pcm8k" // 8 kHz, 16 bit: half the bytes
	codecADPCM = "adpcm" // 16 kHz, IMA, 4 bit: a quarter
)

// encoder turns 16-bit samples into the bytes of a codec. Its state runs on
// from call to call, so that the stream has no headers and is exactly 4:1.
type encoder struct {
	predictor, index int
}

// encode appends the samples to dst; their number must be even.
func (e *encoder) encode(dst []byte, codec string, samples []int16) []byte {
	switch codec {
	case codecPCM8k:
		for i := 0; i+1 < len(samples); i += 2 {
			v := (int(samples[i]) + int(samples[i+1])) / 2
			dst = append(dst, byte(v), byte(v>>8))
		}
	case codecADPCM:
		for i := 0; i+1 < len(samples); i += 2 {
			dst = append(dst, e.nibble(samples[i])|e.nibble(samples[i+1])<<4)
		}
	default:
		for _, v := range samples {
			dst = append(dst, byte(v), byte(v>>8))
		}
	}
	return dst
}

// nibble codes one sample: sign and three bits of the difference from the
// predicted one, in steps of the current step size (IMA ADPCM, 1992).
func (e *encoder) nibble(sample int16) byte {
	step := imaStep[e.index]
	diff := int(sample) - e.predictor
	var code byte
	if diff < 0 {
		code, diff = 8, -diff
	}
	for bit, part := byte(4), step; bit > 0; bit, part = bit>>1, part>>1 {
		if diff >= part {
			code |= bit
			diff -= part
		}
	}
	e.follow(code)
	return code
}

// follow does what the decoder will do with the code.
func (e *encoder) follow(code byte) int {
	step := imaStep[e.index]
	delta := step >> 3
	if code&4 != 0 {
		delta += step
	}
	if code&2 != 0 {
		delta += step >> 1
	}
	if code&1 != 0 {
		delta += step >> 2
	}
	if code&8 != 0 {
		delta = -delta
	}
	e.predictor = max(-32768, min(32767, e.predictor+delta))
	e.index = max(0, min(len(imaStep)-1, e.index+imaMove[code&7]))
	return e.predictor
}

var imaMove = [8]int{-1, -1, -1, -1, 2, 4, 6, 8}

var imaStep = [89]int{
	7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
	107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796,
	876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871,
	5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623,
	27086, 29794, 32767,
}
