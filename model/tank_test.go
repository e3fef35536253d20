package model

import "testing"

func TestLowWater(t *testing.T) {
	// 2881 and 5760 are what lwIP was measured to use at these sizes.
	for size, want := range map[int64]int64{5760: 2881, 11520: 5760, 2881: 2880, 1440: 1439} {
		if got := LowWater(size); got != want {
			t.Errorf("low water of %d B is %d, want %d", size, got, want)
		}
	}
}

func TestTankIsEstimatedFromSizesAndWaits(t *testing.T) {
	us := int64(1_000_000)
	write := func(tank *tank, bytes, poll, payload int64) int64 {
		us += (poll + payload + 2) * 1000
		tank.sent(us, &Frame{PayloadBytes: Some(bytes), HeaderBytes: Some(8), PollUS: Some(poll * 1000),
			PayloadUS: Some(payload * 1000), TotalUS: Some((poll + payload + 2) * 1000)})
		return tank.figures().FreeBytes.Value()
	}
	var tk tank
	if f := tk.figures(); f.FreeBytes.Known() || f.SndBufBytes != 5760 || f.LowWaterBytes != 2881 {
		t.Errorf("before the first frame: %+v", f)
	}
	// The first frame finds the buffer empty: 5760 − 4104.
	if got := write(&tk, 4096, 0, 9); got != 1656 {
		t.Errorf("free after the first frame: %d, want 1656", got)
	}
	// Each further one waits until two segments are acknowledged, then more if
	// it was written without a wait.
	for i := range 20 {
		if got := write(&tk, 4096, 285, 9); got < 0 || got > 1656 {
			t.Errorf("frame %d: free %d, a 4104-byte frame leaves at most 1656", i, got)
		}
	}
	// After a pause longer than the rate needs to empty it, it is empty again.
	us += 2_000_000
	if got := write(&tk, 4096, 0, 9); got != 1656 {
		t.Errorf("free after a pause and a frame: %d, want 1656", got)
	}
	tk.told(us, 4520)
	if f := tk.figures(); !f.Measured || f.FreeBytes.Value() != 4520 {
		t.Errorf("what the device tells must win: %+v", f)
	}
	us += 3_000_000
	write(&tk, 4096, 0, 9)
	if f := tk.figures(); f.Measured {
		t.Error("an old word of the device must not stand for now")
	}
}
