package model

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// hostile fills a value with what no device should say.
func hostile(rng *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Int64, reflect.Int:
		extremes := []int64{0, 1, -1, 2, 100, 4096, 1 << 20, math.MaxInt32, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, -4096}
		v.SetInt(extremes[rng.IntN(len(extremes))])
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.String:
		words := []string{"", "open", "closed", "lost", "failed", "off", "device", "lt #1 set frame=1 burst= idle", "lt #2 set =", "upgrade", "websocket",
			"busy", "lost", "on", "x", "torn", "garbage", "range", "brownout"}
		v.SetString(words[rng.IntN(len(words))])
	case reflect.Pointer:
		if rng.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			hostile(rng, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				hostile(rng, v.Field(i))
			}
		}
	case reflect.Map:
		if v.Type() == reflect.TypeFor[map[string]string]() && rng.IntN(2) == 0 {
			v.Set(reflect.ValueOf(map[string]string{"proto": "1", "frame": "99999999999999999999", "rev": "-5", "burst": "9223372036854775807", "caps": ",,,"}))
		}
	}
}

// Whatever a device, a client or a damaged recording says, the state stands:
// no panic, and no work that grows with a number they chose.
func TestHostileEvents(t *testing.T) {
	var makers []func() Body
	for _, make := range bodies {
		makers = append(makers, make)
	}
	start := time.Now()
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var s State
		us := int64(1_700_000_000_000_000)
		for range 1500 {
			body := makers[rng.IntN(len(makers))]()
			hostile(rng, reflect.ValueOf(body).Elem())
			us += rng.Int64N(400_000)
			e := Event{HostUS: us, DevUS: Some(rng.Int64N(1 << 40)), Body: body}
			if rng.IntN(50) == 0 {
				e.HostUS = rng.Int64()
			}
			s.Apply(&e)
			if rng.IntN(20) == 0 {
				s.Snapshot(us)
			}
		}
		s.Snapshot(us)
		s.Snapshot(math.MaxInt64)
	}
	if took := time.Since(start); took > 2*time.Minute {
		t.Errorf("60,000 events took %v", took)
	}
}
