package model

import "testing"

func benchFrame(i int64) *Event {
	us := 200_000 + i*7919%100_000
	return &Event{HostUS: 1_000_000 + i*300_000, Body: &Frame{Seq: Some(i), Opcode: Some(OpBinary), PayloadBytes: Some(4096),
		PollUS: Some(us - 12_000), MaskUS: Some(400), HeaderUS: Some(800), PayloadUS: Some(9000), TotalUS: Some(us), Ret: Some(4096)}}
}

// The cost of a frame must not grow with history: the ratio says so.
func BenchmarkApplyFrame(b *testing.B) {
	per := map[string]float64{}
	for name, held := range map[string]int64{"held=1000": 1000, "held=100000": 100_000} {
		b.Run(name, func(b *testing.B) {
			var s State
			for i := range held {
				s.Apply(benchFrame(i))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range int64(b.N) {
				s.Apply(benchFrame(held + i))
			}
			per[name] = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		})
	}
	if base := per["held=1000"]; base > 0 {
		b.Logf("a frame after 100,000 costs %.1f times one after 1,000", per["held=100000"]/base)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	per := map[string]float64{}
	for name, held := range map[string]int64{"held=1000": 1000, "held=100000": 100_000} {
		b.Run(name, func(b *testing.B) {
			var s State
			for i := range held {
				s.Apply(benchFrame(i))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				s.Snapshot(0)
			}
			per[name] = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		})
	}
	if base := per["held=1000"]; base > 0 {
		b.Logf("a snapshot of 100,000 frames costs %.1f times one of 1,000", per["held=100000"]/base)
	}
}
