package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// nearest is nearest rank by its definition, on sorted samples.
func nearest(sorted []int64, q float64) int64 {
	return sorted[max(1, int(math.Ceil(q*float64(len(sorted))-1e-9)))-1]
}

func TestRankedAgainstSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var r ranked
	var held []int64
	for step := range 20_000 {
		if len(held) > 0 && rng.IntN(3) == 0 {
			i := rng.IntN(len(held))
			r.remove(held[i])
			held = slices.Delete(held, i, i+1)
		} else {
			v := rng.Int64N(int64(1 + rng.IntN(400_000)))
			r.insert(v)
			held = append(held, v)
		}
		if step%997 != 0 || len(held) == 0 {
			continue
		}
		sorted := slices.Sorted(slices.Values(held))
		if r.n != len(sorted) {
			t.Fatalf("step %d: holds %d values, want %d", step, r.n, len(sorted))
		}
		for _, q := range []float64{0.01, 0.5, 0.95, 0.99, 1} {
			if got, want := r.quantile(q).Value(), nearest(sorted, q); got != want {
				t.Fatalf("step %d: quantile %v of %d is %d, want %d", step, q, len(sorted), got, want)
			}
		}
		n := 0
		for i, b := range r.bins() {
			n += b.N
			if b.LowUS >= b.HighUS || i > 0 && r.bins()[i-1].HighUS > b.LowUS {
				t.Fatalf("step %d: bins overlap at %d", step, b.LowUS)
			}
			in := 0
			for _, v := range sorted {
				if v >= b.LowUS && v < b.HighUS {
					in++
				}
			}
			if in != b.N {
				t.Fatalf("step %d: bin %d–%d counts %d, want %d", step, b.LowUS, b.HighUS, b.N, in)
			}
		}
		if n != len(sorted) {
			t.Fatalf("step %d: bins count %d of %d", step, n, len(sorted))
		}
	}
}

func TestRankedRemoveOfWhatIsNotThere(t *testing.T) {
	var r ranked
	r.remove(5)
	r.insert(1)
	r.remove(0)
	r.remove(2)
	if r.n != 1 || r.at(1) != 1 {
		t.Errorf("n %d, first %d; want one value 1", r.n, r.at(1))
	}
}

func TestNearestRankSmall(t *testing.T) {
	var r ranked
	for _, v := range []int64{15, 20, 35, 40, 50} {
		r.insert(v)
	}
	for q, want := range map[float64]int64{0.05: 15, 0.3: 20, 0.4: 20, 0.5: 35, 0.95: 50, 1: 50} {
		if got := r.quantile(q).Value(); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
}

func TestOpt(t *testing.T) {
	for _, v := range []int64{0, 1, -1, -80, math.MaxInt32} {
		o := Some(v)
		if !o.Known() || o.Value() != v || o.Or(7) != v {
			t.Errorf("Some(%d) holds %d", v, o.Value())
		}
		b, _ := o.MarshalJSON()
		var back Opt
		if err := back.UnmarshalJSON(b); err != nil || back != o {
			t.Errorf("%d: JSON %s reads back as %v, %v", v, b, back, err)
		}
	}
	var unknown Opt
	if unknown.Known() || unknown.Or(7) != 7 || unknown.String() != "–" {
		t.Error("the zero Opt must be unknown")
	}
}
