package model

import (
	"fmt"
	"strconv"
)

func (f *facts) pathLoss() Judgement {
	j := Judgement{ID: "path_loss", Name: "loss on the path", Basis: "did"}
	longest := f.total.Max.Value()
	retrans := f.snap.Path.Retrans
	j.Numbers = fmt.Sprintf("%s segments retransmitted, longest frame %s ms, n %d", retrans, ms(f.total.Max), f.total.N)
	switch {
	case retrans.Known() && retrans.Value() == 0:
		j.Verdict, j.Evidence = No, "0 retransmitted"
	case retrans.Known():
		j.Verdict, j.Evidence = Partly, retrans.String()+" retransmitted"
		if longest >= 1_000_000 {
			j.Verdict = Yes
		}
	case longest >= 1_000_000:
		// lwIP's first time-out is 1.5 s, in ticks of 250 ms.
		j.Verdict, j.Basis, j.Evidence = Partly, "fits", "longest frame "+ms(f.total.Max)
		j.Missing = "a count of retransmissions"
	default:
		j.Evidence, j.Missing = "device does not count", "a count of retransmissions"
	}
	return j
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

// minIdles is how many pauses a verdict on idle recovery needs.
const minIdles = 3

func (f *facts) windowRecovers() Judgement {
	j := Judgement{ID: "window_recovers", Name: "idle recovery", Basis: "did"}
	var best *condition
	for _, c := range f.s.conditions {
		if c.idlePoll.n >= minIdles && c.busyPoll.n >= minIdles && (best == nil || c.idlePoll.n > best.idlePoll.n) {
			best = c
		}
	}
	if best == nil {
		j.Evidence, j.Missing = "no pauses yet: try b", fmt.Sprintf("%d frames after an idle pause", minIdles)
		return j
	}
	after, busy := best.idlePoll.quantile(0.5), best.busyPoll.quantile(0.5)
	j.Evidence = "poll " + ms(after) + ", else " + ms(busy)
	j.Numbers = fmt.Sprintf("poll P50 %s ms after a pause (n %d), else %s ms (n %d), %s", ms(after), best.idlePoll.n,
		ms(busy), best.busyPoll.n, best.settings.Title())
	switch {
	case busy.Value() < pollCycleUS:
		j.Verdict, j.Evidence = No, "poll short anyway"
	case after.Value()*10 <= busy.Value():
		j.Verdict = Yes
	case after.Value()*2 <= busy.Value():
		j.Verdict = Partly
	default:
		j.Verdict = No
	}
	return j
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

func (f *facts) uartLimited() Judgement {
	j := Judgement{ID: "uart_limited", Name: "serial line", Basis: "did"}
	use := f.snap.Serial.Share()
	if !use.Known() {
		j.Evidence, j.Missing = "not measured", "a serial port with a baud rate"
		return j
	}
	percent := int(use.Value()*100 + 0.5)
	j.Evidence = strconv.Itoa(percent) + " % of " + f.snap.Serial.Baud.String() + " baud"
	j.Numbers = fmt.Sprintf("%s of %d bytes/s", f.snap.Serial.PerSecond, f.snap.Serial.Baud.Value()/10)
	switch {
	case percent >= 90:
		j.Verdict = Yes
	case percent >= 70:
		j.Verdict = Partly
	default:
		j.Verdict = No
	}
	return j
}

func (f *facts) wifiOrReset() Judgement {
	j := Judgement{ID: "wifi_or_reset", Name: "Wi-Fi or reset", Basis: "did"}
	if f.snap.Serial.Bytes == 0 && f.s.counts.LogLines == 0 {
		j.Evidence, j.Missing = "no serial log", "the device's serial log"
		return j
	}
	switch t := f.s.troubleUS; {
	case t > 0 && t >= f.snap.NowUS-last10US:
		j.Verdict, j.Evidence = Yes, strconv.FormatInt((f.snap.NowUS-t)/1_000_000, 10)+" s ago"
	case t > 0 && t >= f.s.setting.sinceUS && f.s.setting.sinceUS > 0:
		j.Verdict, j.Evidence = Partly, "once under these settings"
	default:
		j.Verdict, j.Evidence = No, "none seen"
	}
	return j
}
