package virtual

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The model is held against traces of real lwIP with ESP-IDF's settings over
// the same paths, 12 s each: 5760-byte send buffer, one write costing 2 ms +
// 1.9 ms/KiB. An audio_sr a second, which those runs lacked, is in ours.
func TestPathAgainstLwIP(t *testing.T) {
	type band struct{ low, high float64 }
	near := func(v, by float64) band { return band{v - by, v + by} }
	for name, c := range map[string]struct {
		rtt     int
		set     string
		ratio   band // sent ÷ produced
		poll50  band // ms
		poll95  band
		write95 band
	}{
		"4 ms keeps up, 1024":        {4, "frame=1024", band{0.97, 1}, near(0, 1), near(0, 2), near(4, 1)},
		"4 ms keeps up, 4096":        {4, "frame=4096", band{0.97, 1}, near(0, 1), near(0, 2), near(9, 2)},
		"150 ms, 1024":               {150, "frame=1024", near(0.692, 0.07), band{0, 90}, band{70, 160}, band{0, 90}},
		"150 ms, 2048":               {150, "frame=2048", near(0.765, 0.07), band{90, 160}, near(150, 15), band{0, 20}},
		"285 ms, 1024":               {285, "frame=1024", near(0.356, 0.04), band{0, 60}, near(266, 25), near(4, 3)},
		"285 ms, 2048":               {285, "frame=2048", near(0.401, 0.05), band{0, 290}, near(287, 15), near(6, 4)},
		"285 ms, 4096":               {285, "frame=4096", near(0.507, 0.04), near(285, 15), near(291, 15), near(40, 8)},
		"285 ms, 4096, burst":        {285, "frame=4096 burst=4 idle=1000", near(0.329, 0.05), near(275, 30), near(291, 15), near(38, 10)},
		"285 ms, 4096, pacing":       {285, "frame=4096 pace=300", near(0.469, 0.04), near(0, 1), band{0, 45}, band{9, 45}},
		"285 ms, 4096, sndbuf 11520": {285, "frame=4096 sndbuf=11520", band{0.93, 1}, band{20, 200}, band{150, 300}, near(9, 3)},
		"285 ms, 1024, sndbuf 11520": {285, "frame=1024 sndbuf=11520", near(0.705, 0.07), band{0, 40}, near(176, 30), band{3, 150}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, Options{RTT: time.Duration(c.rtt) * time.Millisecond, Seed: 1})
				defer l.stop()
				l.start(c.set)
				time.Sleep(13500 * time.Millisecond)
				frames := l.frames()
				r := l.server.last("audio_sr")
				if len(frames) < 20 || r == nil {
					t.Fatalf("%d frames, report %v", len(frames), r)
				}
				for _, v := range []struct {
					what string
					got  float64
					want band
				}{
					{"sent/produced", r["sent_bytes"].(float64) / r["produced_bytes"].(float64), c.ratio},
					{"poll P50", percentile(frames, "p", .5), c.poll50},
					{"poll P95", percentile(frames, "p", .95), c.poll95},
					{"payload write P95", percentile(frames, "w", .95), c.write95},
					{"header write P95", percentile(frames, "h", .95), near(2, 1)},
				} {
					if v.got < v.want.low || v.got > v.want.high {
						t.Errorf("%s = %.3f, want %.3f–%.3f", v.what, v.got, v.want.low, v.want.high)
					}
				}
				if len(l.server.seen().uneven) > 0 {
					t.Errorf("reports that did not agree with what arrived: %q", l.server.seen().uneven)
				}
			})
		})
	}
}

// A burst's first frame finds the buffer empty after an idle of more than a
// round trip.
func TestFirstFrameAfterIdleDoesNotPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{Trace: traceShort})
		defer l.stop()
		l.start("frame=4096 burst=4 idle=1000")
		time.Sleep(20 * time.Second)
		first := l.printed("after_idle_first: ")
		if len(first) < 5 {
			t.Fatalf("%d frames marked as first after an idle", len(first))
		}
		for _, line := range first {
			if !strings.Contains(line, "/p0/") {
				t.Errorf("%s: want p0", line)
			}
		}
	})
}

// The path's own rate shows where it is below what the buffer allows.
func TestDrainLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{RTT: 40 * time.Millisecond, Drain: 13000})
		defer l.stop()
		l.start("")
		time.Sleep(5 * time.Second)
		from := l.server.last("audio_sr")
		time.Sleep(20 * time.Second)
		to := l.server.last("audio_sr")
		rate := (to["sent_bytes"].(float64) - from["sent_bytes"].(float64)) / (to["t_ms"].(float64) - from["t_ms"].(float64)) * 1000
		if rate < 12300 || rate > 13000 {
			t.Errorf("sends %.0f B/s over a path of 13000 B/s", rate)
		}
	})
}

// Two devices of one seed behave alike to the byte.
func TestSeedRepeats(t *testing.T) {
	run := func() (lines string) {
		synctest.Test(t, func(t *testing.T) {
			l := newLab(t, Options{Seed: 7})
			defer l.stop()
			l.start("")
			time.Sleep(5 * time.Second)
			lines = strings.Join(l.printed("LT w"), "\n")
		})
		return lines
	}
	if a, b := run(), run(); a != b || a == "" {
		t.Errorf("two runs of one seed differ:\n%.400s\n\n%.400s", a, b)
	}
}
