package model

import (
	"fmt"
	"strconv"
)

func (f *facts) bufferLimited() Judgement {
	j := Judgement{ID: "buffer_limited", Name: "send buffer", Basis: "fits"}
	if keeps, known := f.snap.keepsUp(); known && keeps {
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

func (f *facts) pathBackpressure() Judgement {
	j := Judgement{ID: "path_backpressure", Name: "slow path", Basis: "fits"}
	if keeps, known := f.snap.keepsUp(); known && keeps {
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
