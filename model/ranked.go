package model

import (
	"math"
	"slices"
	"sort"
)

// rankBlock is the most values a block of a ranked holds: large enough that
// finding a block is cheap, small enough that moving half of one is.
const rankBlock = 512

// ranked is a multiset of times that knows the value at each rank, exactly, and
// takes and gives up values in time that does not grow with what it holds.
// Values are µs, kept in 32 bits: more than half an hour counts as that.
// The zero value is empty.
type ranked struct {
	n      int
	blocks [][]int32 // ascending, none empty, each at most rankBlock long
}

func clamp32(v int64) int32 { return int32(min(max(v, 0), math.MaxInt32)) }

func (r *ranked) reset() { r.n, r.blocks = 0, nil }

// block is the first block that may hold v: the first whose last value is ≥ v.
func (r *ranked) block(v int32) int {
	return sort.Search(len(r.blocks), func(i int) bool {
		b := r.blocks[i]
		return b[len(b)-1] >= v
	})
}

func (r *ranked) insert(us int64) {
	v := clamp32(us)
	r.n++
	if len(r.blocks) == 0 {
		r.blocks = append(r.blocks, append(make([]int32, 0, 8), v))
		return
	}
	i := min(r.block(v), len(r.blocks)-1)
	b := r.blocks[i]
	at, _ := slices.BinarySearch(b, v)
	b = slices.Insert(b, at, v)
	r.blocks[i] = b
	if len(b) >= rankBlock {
		half := append(make([]int32, 0, rankBlock), b[rankBlock/2:]...)
		r.blocks[i] = b[:rankBlock/2]
		r.blocks = slices.Insert(r.blocks, i+1, half)
	}
}

// remove takes one value equal to us out; the caller vouches that it is there.
func (r *ranked) remove(us int64) {
	v := clamp32(us)
	i := r.block(v)
	if i == len(r.blocks) {
		return
	}
	at, ok := slices.BinarySearch(r.blocks[i], v)
	if !ok {
		return
	}
	r.n--
	r.blocks[i] = slices.Delete(r.blocks[i], at, at+1)
	if len(r.blocks[i]) == 0 {
		r.blocks = slices.Delete(r.blocks, i, i+1)
	}
}

// at is the value of rank k, 1 … n.
func (r *ranked) at(k int) int64 {
	for _, b := range r.blocks {
		if k <= len(b) {
			return int64(b[k-1])
		}
		k -= len(b)
	}
	return 0
}

// quantile is the value by nearest rank: position ⌈q·n⌉ of the sorted samples.
func (r *ranked) quantile(q float64) Opt {
	if r.n == 0 {
		return 0
	}
	k := int(math.Ceil(q*float64(r.n) - 1e-9))
	return Some(r.at(min(max(k, 1), r.n)))
}

func (r *ranked) quantiles() Quantiles {
	return Quantiles{
		N: r.n, P50: r.quantile(0.50), P95: r.quantile(0.95), P99: r.quantile(0.99), Max: r.quantile(1),
	}
}
