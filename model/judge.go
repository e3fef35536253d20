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
	reports int
	rttUS   int64 // 0 = unknown
	idleUS  int64 // round trip without queueing in the path; 0 = unknown
	ownRTT  bool  // the round trip comes from elsewhere than poll itself
}

func judge(s *State, snap *Snapshot) []Judgement {
	f := facts{
		s: s, snap: snap, w: snap.Setting,
		poll: snap.Setting.Parts[PartPoll], payload: snap.Setting.Parts[PartPayload], total: snap.Setting.Parts[PartTotal],
		reports: snap.Rate.Reports,
		rttUS:   snap.Path.RTTUS.Value(), ownRTT: snap.Path.RTTSource == "device TCP",
		idleUS: snap.Path.IdleRTTUS.Value(),
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
// can be told at all. What waits to fill one frame is not behind: at a low rate
// it is more than 2 % of what a few seconds make.
func (s *Snapshot) keepsUp() (keeps, known bool) {
	r := &s.Rate
	if !r.SentOfProduced.Known() || r.Reports < minReports {
		return false, false
	}
	if r.SentOfProduced.Value() >= keepsUpRatio {
		return true, true
	}
	behind := r.SentOfProduced.Den - r.SentOfProduced.Num
	return r.DroppedBytes.Value() == 0 && behind <= s.Settings.FrameBytes.Value(), true
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

// share writes a share of 1 with two decimals: "1.00", "0.87".
func share(r Ratio) string { return strconv.FormatFloat(r.Value(), 'f', 2, 64) }

// ms writes µs as whole milliseconds.
func ms(us Opt) string {
	if !us.Known() {
		return "–"
	}
	return strconv.FormatInt((us.Value()+500)/1000, 10)
}
