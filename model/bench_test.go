package model

import "testing"

func benchFrame(i int64) *Event {
	us := 200_000 + i*7919%100_000
	return &Event{HostUS: 1_000_000 + i*300_000, Body: &Frame{Seq: Some(i), Opcode: Some(OpBinary), PayloadBytes: Some(4096),
		PollUS: Some(us - 12_000), MaskUS: Some(400), HeaderUS: Some(800), PayloadUS: Some(9000), TotalUS: Some(us), Ret: Some(4096)}}
}

// byHistory runs one operation on states that hold few and many frames, and
// logs how much more it costs with many.
func byHistory(b *testing.B, op func(s *State, i int64)) {
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
				op(&s, held+i)
			}
			per[name] = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		})
	}
	if base := per["held=1000"]; base > 0 {
		b.Logf("with 100,000 frames it costs %.1f times what it does with 1,000", per["held=100000"]/base)
	}
}

func BenchmarkApplyFrame(b *testing.B) {
	byHistory(b, func(s *State, i int64) { s.Apply(benchFrame(i)) })
}

func BenchmarkSnapshot(b *testing.B) {
	byHistory(b, func(s *State, _ int64) { s.Snapshot(0) })
}
