package model

import (
	"fmt"
	"slices"
	"strconv"
)

// minFrames is the fewest frames a verdict may rest on: below it, P95 is the
// maximum.
const minFrames = 20

// minReports is the fewest seconds of reports a share may rest on.
const minReports = 3

// keepsUpRatio is the share of produced audio that counts as keeping up.
const (
	keepsUpPercent = 98
	keepsUpRatio   = keepsUpPercent / 100.0
)

// facts are the numbers that hypotheses are judged by.
type facts struct {
	s       *State
	snap    *Snapshot
	w       Window
	poll    Quantiles
	payload Quantiles
	total   Quantiles
	ratio   Ratio // sent ÷ produced under these settings
	reports int
	rttUS   int64 // 0 = unknown
	idleUS  int64 // round trip without queueing in the path; 0 = unknown
	ownRTT  bool  // the round trip comes from elsewhere than poll itself
}

func judge(s *State, snap *Snapshot) []Judgement {
	f := facts{
		s: s, snap: snap, w: snap.Setting,
		poll: snap.Setting.Parts[PartPoll], payload: snap.Setting.Parts[PartPayload], total: snap.Setting.Parts[PartTotal],
		ratio: snap.Rate.SentOfProduced, reports: len(s.reports.vals),
		rttUS: snap.Path.RTTUS.Value(), ownRTT: snap.Path.RTTSource == "device TCP",
		idleUS: snap.Path.IdleRTTUS.Value(),
	}
	if f.reports < minReports {
		f.ratio = Ratio{}
	}
	out := []Judgement{
		f.bufferLimited(), f.settingLimited(), f.pathBackpressure(), f.serverSlow(), f.pathLoss(),
		f.smallFrames(), f.windowRecovers(), f.headerSplit(), f.firstFrameOnly(), f.uartLimited(), f.wifiOrReset(),
	}
	slices.SortStableFunc(out, func(a, b Judgement) int { return rank(a.Verdict) - rank(b.Verdict) })
	return out
}

// rank orders verdicts as they are shown: yes, partly, no, open.
func rank(v Verdict) int { return [...]int{Open: 3, No: 2, Partly: 1, Yes: 0}[v] }

// keepsUp tells whether the device sends all it makes; known says whether that
// can be told at all.
func (f *facts) keepsUp() (keeps, known bool) {
	return f.ratio.Value() >= keepsUpRatio, f.ratio.Known()
}

// queues tells whether the path holds what is sent: its round trip under load is
// half as long again as without. Jitter and a delayed ACK (40 ms) stay below
// that on the paths where a send buffer of 5760 bytes matters.
func (f *facts) queues() bool { return f.idleUS > 0 && f.rttUS*2 > f.idleUS*3+2*delayedACKUS }

// delayedACKUS is how long Linux holds the ACK of a single segment.
const delayedACKUS = 40_000

// few is the open verdict for want of frames.
func (f *facts) few(j Judgement) Judgement {
	j.Verdict = Open
	j.Evidence = fmt.Sprintf("%d of %d frames", f.w.N, minFrames)
	j.Missing = "more frames under these settings"
	return j
}

func (f *facts) bufferLimited() Judgement {
	j := Judgement{ID: "buffer_limited", Name: "send buffer", Basis: "fits"}
	if keeps, known := f.keepsUp(); known && keeps {
		j.Verdict, j.Evidence, j.Basis = No, "keeps up", "did"
		return j
	}
	if f.poll.N < minFrames {
		return f.few(j)
	}
	if f.rttUS == 0 {
		if f.poll.P95.Value() < pollCycleUS {
			j.Verdict, j.Evidence = No, "poll P95 "+ms(f.poll.P95)
			return j
		}
		j.Evidence, j.Missing = "RTT unknown", "the device's round trip to its TCP peer"
		return j
	}
	// Under lwIP's low water the buffer turns over between half and all of its
	// bytes a round trip (measured traces of 1024 to 4096 B: 0.47 to 0.72).
	perRTT := f.snap.Rate.Sends.Value() * f.rttUS / 1_000_000
	buf := f.snap.Path.Tank.SndBufBytes
	ratio := float64(f.poll.P95.Value()) / float64(f.rttUS)
	j.Numbers = fmt.Sprintf("poll P50 %s P95 %s ms, RTT %s ms (%s), %d B a round trip of a %d B buffer, n %d",
		ms(f.poll.P50), ms(f.poll.P95), ms(Some(f.rttUS)), f.snap.Path.RTTSource, perRTT, buf, f.poll.N)
	switch {
	case ratio < 0.5:
		j.Verdict, j.Evidence = No, "poll "+ms(f.poll.P95)+" < RTT "+ms(Some(f.rttUS))
	case !f.snap.Rate.Sends.Known():
		j.Verdict, j.Evidence = Open, "rate not known yet"
		j.Missing = "a few seconds of byte counts"
	case f.queues():
		// The buffer limits at most what the idle round trip lets it carry.
		j.Verdict, j.Evidence = No, "RTT grows under load"
		if f.snap.Rate.Sends.Value()*f.idleUS/1_000_000*10 >= buf*4 {
			j.Verdict, j.Evidence = Partly, "idle RTT "+ms(Some(f.idleUS))
		}
	case ratio <= 1.3 && perRTT*10 >= buf*4 && perRTT <= buf:
		j.Verdict, j.Evidence = Yes, f.pollAgainstRTT()
		if !f.ownRTT {
			j.Verdict, j.Missing = Partly, "the device's own RTT: this one is read from poll"
			j.Evidence = "RTT read from poll itself"
		} else if f.idleUS == 0 {
			j.Verdict, j.Missing = Partly, "a round trip without load (after a pause: b), to tell a slow path"
		}
	case perRTT*10 < buf*4 || ratio > 1.3:
		j.Verdict, j.Evidence = No, strconv.FormatInt(perRTT, 10)+" B a round trip"
	default:
		j.Verdict, j.Evidence = Partly, strconv.FormatInt(perRTT, 10)+" B a round trip"
	}
	return j
}

// pollAgainstRTT quotes the percentile of poll that is the round trip: P50 for
// frames that each wait for one, else P95.
func (f *facts) pollAgainstRTT() string {
	poll := f.poll.P50
	if float64(poll.Value()) < 0.8*float64(f.rttUS) {
		poll = f.poll.P95
	}
	return "poll " + ms(poll) + " ≈ RTT " + ms(Some(f.rttUS))
}

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
	if keeps, known := f.keepsUp(); known && keeps {
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

func (f *facts) pathBackpressure() Judgement {
	j := Judgement{ID: "path_backpressure", Name: "slow path", Basis: "fits"}
	if keeps, known := f.keepsUp(); known && keeps {
		j.Verdict, j.Evidence, j.Basis = No, "keeps up", "did"
		return j
	}
	if f.poll.N < minFrames {
		return f.few(j)
	}
	waits := max(f.poll.P95.Value(), f.payload.P95.Value())
	j.Numbers = fmt.Sprintf("poll P95 %s, payload P95 %s ms, RTT %s ms, idle %s ms, n %d; no LAN control run",
		ms(f.poll.P95), ms(f.payload.P95), ms(f.snap.Path.RTTUS), ms(f.snap.Path.IdleRTTUS), f.poll.N)
	switch {
	case waits < pollCycleUS:
		j.Verdict, j.Evidence = No, "waits P95 "+ms(Some(waits))
	case f.rttUS == 0 || !f.ownRTT:
		j.Evidence, j.Missing = "RTT unknown", "the device's own round trip, to tell a slow path from a full buffer"
	case f.queues():
		j.Verdict, j.Evidence = Yes, "RTT "+ms(Some(f.idleUS))+" → "+ms(Some(f.rttUS))+" loaded"
		j.Missing = "a LAN control run"
	case f.poll.P50.Value()*10 > f.rttUS*13:
		j.Verdict, j.Evidence = Yes, "poll "+ms(f.poll.P50)+" > RTT "+ms(Some(f.rttUS))
		j.Missing = "a LAN control run"
	default:
		j.Verdict, j.Evidence = No, "waits end with the RTT"
	}
	return j
}

func (f *facts) serverSlow() Judgement {
	j := Judgement{ID: "server_slow", Name: "server", Basis: "did"}
	got := f.snap.Rate.ReceivedOfSent
	if !got.Known() || f.reports < minReports {
		j.Evidence, j.Missing = "no reports yet", "reports of a connected device"
		return j
	}
	j.Evidence = "gets " + share(got) + " of sent"
	j.Numbers = fmt.Sprintf("%d of %d bytes received over %d reports", got.Num, got.Den, f.reports)
	switch v := got.Value(); {
	case v >= 0.99:
		j.Verdict = No
	case v < keepsUpRatio-0.03:
		j.Verdict = Yes
	default:
		j.Verdict = Partly
	}
	return j
}

// share writes a share of 1 with two decimals: "1.00", "0.87".
func share(r Ratio) string { return strconv.FormatFloat(r.Value(), 'f', 2, 64) }

// ms writes µs as whole milliseconds.
func ms(us Opt) string {
	if !us.Known() {
		return "–"
	}
	return strconv.FormatInt((us.Value()+500)/1000, 10)
}
