package model

import "math/bits"

// bins is a histogram of times in µs: bins of 1 µs up to 128 µs, then 64 bins an
// octave, so that a bin is at most 1.6 % wide. The zero value is empty.
type bins struct{ counts []int32 }

const (
	fineBins   = 128
	octaveBins = 64
)

func binIndex(us int64) int {
	v := int64(clamp32(us))
	if v < fineBins {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - 7
	return fineBins + (shift-1)*octaveBins + int(v>>shift) - octaveBins
}

// binEdges is the inverse of binIndex: the times low ≤ v < high of one bin.
func binEdges(i int) (low, high int64) {
	if i < fineBins {
		return int64(i), int64(i) + 1
	}
	shift := (i-fineBins)/octaveBins + 1
	low = int64((i-fineBins)%octaveBins+octaveBins) << shift
	return low, low + 1<<shift
}

func (b *bins) add(us int64) {
	i := binIndex(us)
	for len(b.counts) <= i {
		b.counts = append(b.counts, 0)
	}
	b.counts[i]++
}

// drop takes out one time that was added.
func (b *bins) drop(us int64) {
	if i := binIndex(us); i < len(b.counts) {
		b.counts[i]--
	}
}

// all are the non-empty bins, ascending.
func (b *bins) all() []Bin {
	var out []Bin
	for i, n := range b.counts {
		if n > 0 {
			low, high := binEdges(i)
			out = append(out, Bin{low, high, int(n)})
		}
	}
	return out
}
