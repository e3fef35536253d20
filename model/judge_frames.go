package model

import (
	"fmt"
)

func (f *facts) settingLimited() Judgement {
	j := Judgement{ID: "setting_limited", Name: "pauses set", Basis: "fits"}
	set := f.snap.Settings
	pace, burst, idle := set.PaceMS.Value(), set.BurstFrames.Value(), set.IdleMS.Value()
	if pace == 0 && (burst == 0 || idle == 0) {
		if !set.Known() {
			j.Evidence, j.Missing = "settings unknown", "a firmware that tells its settings"
			return j
		}
		j.Verdict, j.Evidence, j.Basis = No, "none set", "did"
		return j
	}
	if keeps, known := f.snap.keepsUp(); known && keeps {
		j.Verdict, j.Evidence, j.Basis = No, "keeps up", "did"
		return j
	}
	if f.total.N < minFrames || !f.snap.Rate.Sends.Known() || f.w.N == 0 {
		return f.few(j)
	}
	// One cycle: what is sent, and how much of its time is pause.
	frames, pause := int64(1), pace
	if burst > 0 {
		frames, pause = burst, idle+(burst-1)*pace
	}
	busyMS := frames * f.w.MeanTotalUS.Value() / 1000
	cycle := busyMS + pause
	allows := frames * (f.w.PayloadBytes / int64(f.w.N)) * 1000 / max(1, cycle)
	j.Numbers = fmt.Sprintf("%d B every %d ms allow %d B/s, of which %d ms are pause; sends %s B/s, n %d",
		frames*f.w.PayloadBytes/int64(f.w.N), cycle, allows, pause, f.snap.Rate.Sends, f.w.N)
	j.Evidence = fmt.Sprintf("%d ms of every %d", pause, cycle)
	fits := within(f.snap.Rate.Sends.Value(), allows, 0.2)
	switch {
	case fits && pause*10 >= cycle*7:
		j.Verdict = Yes
	case fits && pause*10 >= cycle*2:
		j.Verdict = Partly
	default:
		j.Verdict = No
	}
	return j
}

func within(v, want int64, share float64) bool {
	return float64(v) >= float64(want)*(1-share) && float64(v) <= float64(want)*(1+share)
}

// smallFrames compares conditions that differ in frame size alone.
func (f *facts) smallFrames() Judgement {
	j := Judgement{ID: "small_frame_overhead", Name: "small frames", Basis: "did"}
	var small, large *SettingWindow
	for i := range f.snap.BySetting {
		w := &f.snap.BySetting[i]
		same := w.Settings
		same.FrameBytes = f.snap.Settings.FrameBytes
		if w.N < minFrames || same != f.snap.Settings.Condition() || !w.Settings.FrameBytes.Known() {
			continue
		}
		if small == nil || w.Settings.FrameBytes.Value() < small.Settings.FrameBytes.Value() {
			small = w
		}
		if large == nil || w.Settings.FrameBytes.Value() > large.Settings.FrameBytes.Value() {
			large = w
		}
	}
	if small == nil || small == large {
		j.Evidence, j.Missing = "one size seen: try 1–4", fmt.Sprintf("%d frames of a second size", minFrames)
		return j
	}
	a, b := perKB(small), perKB(large)
	j.Evidence = fmt.Sprintf("ms/KB %.0f → %.0f", a, b)
	pa, pb := small.Parts[PartTotal].P95.Value(), large.Parts[PartTotal].P95.Value()
	j.Numbers = fmt.Sprintf("%s B P95 %s ms n %d, %s B P95 %s ms n %d", small.Settings.FrameBytes, ms(Some(pa)), small.N,
		large.Settings.FrameBytes, ms(Some(pb)), large.N)
	switch {
	case small.SentOfProduced.Known() && small.SentOfProduced.Value() >= keepsUpRatio:
		j.Verdict, j.Evidence = No, small.Settings.FrameBytes.String()+" B keeps up too"
	case a < 10 || b > a*0.8:
		j.Verdict = No
	case large.SentOfProduced.Known() && large.SentOfProduced.Value() >= keepsUpRatio:
		j.Verdict = Yes
	default:
		j.Verdict = Partly
	}
	return j
}

// perKB is P95 of total ÷ mean payload, ms per KB of 1024 bytes.
func perKB(w *SettingWindow) float64 {
	if w.N == 0 || w.PayloadBytes == 0 {
		return 0
	}
	kb := float64(w.PayloadBytes) / float64(w.N) / 1024
	return float64(w.Parts[PartTotal].P95.Value()) / 1000 / kb
}

func (f *facts) headerSplit() Judgement {
	j := Judgement{ID: "header_split", Name: "header apart", Basis: "did"}
	h := f.w.Parts[PartHeader]
	if h.N < minFrames {
		j.Evidence, j.Missing = fmt.Sprintf("%d of %d frames", h.N, minFrames), "header times of more frames"
		return j
	}
	j.Evidence = "header P95 " + ms(h.P95) + " ms"
	j.Numbers = fmt.Sprintf("header P95 %s of total P95 %s ms, n %d", ms(h.P95), ms(f.total.P95), h.N)
	v, total := h.P95.Value(), max(1, f.total.P95.Value())
	switch {
	case v >= 20_000 && v*5 >= total:
		j.Verdict = Yes
	case v >= 10_000 && v*10 >= total:
		j.Verdict = Partly
	default:
		j.Verdict = No
	}
	return j
}

// fastUS: a frame that takes less is fast, whatever it did.
const fastUS = 30_000

func (f *facts) firstFrameOnly() Judgement {
	j := Judgement{ID: "first_frame_only", Name: "first frame only", Basis: "did"}
	if f.total.N < minFrames {
		return f.few(j)
	}
	first, later := f.s.first.TotalUS, f.total.P50
	j.Numbers = fmt.Sprintf("first %s ms, later P50 %s P95 %s ms, n %d", ms(first), ms(later), ms(f.total.P95), f.total.N)
	switch {
	case later.Value() >= fastUS:
		j.Verdict, j.Evidence = No, "later P50 "+ms(later)+" ms"
	case !first.Known():
		j.Evidence, j.Missing = "start not seen", "a connection seen from its start"
	case first.Value() >= 3*max(later.Value(), fastUS/3):
		j.Verdict, j.Evidence = Yes, "first "+ms(first)+", later "+ms(later)
	default:
		j.Verdict, j.Evidence = No, "first "+ms(first)+" ms too"
	}
	return j
}
