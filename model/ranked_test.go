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
	}
}

func TestBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var b bins
	held := map[int64]int{}
	n := 0
	for range 5000 {
		v := rng.Int64N(int64(1) << (1 + rng.IntN(30)))
		b.add(v)
		held[v]++
		n++
		if rng.IntN(4) == 0 {
			b.drop(v)
			held[v]--
			n--
		}
	}
	last := int64(0)
	for _, bin := range b.all() {
		if bin.LowUS < last || bin.HighUS <= bin.LowUS {
			t.Fatalf("bin %d–%d after %d", bin.LowUS, bin.HighUS, last)
		}
		if bin.LowUS >= fineBins && float64(bin.HighUS-bin.LowUS) > 0.0157*float64(bin.LowUS) {
			t.Errorf("bin %d–%d is wider than 1.6 %%", bin.LowUS, bin.HighUS)
		}
		last = bin.HighUS
		in := 0
		for v, times := range held {
			if v >= bin.LowUS && v < bin.HighUS {
				in += times
			}
		}
		if in != bin.N {
			t.Errorf("bin %d–%d counts %d, want %d", bin.LowUS, bin.HighUS, bin.N, in)
		}
		n -= bin.N
	}
	if n != 0 {
		t.Errorf("%d values are in no bin", n)
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
