package model

import "slices"

// pollCycleUS is the least poll that can be a round trip: below it, what poll
// waits for is the device's own tasks.
const pollCycleUS = 20_000

// rttSamples is how many of the device's newest TCP samples its RTT comes from:
// about six seconds'. It is their lower quartile, because every other sample may
// carry a delayed ACK, and a median would jump between the two.
const rttSamples = 64

func (s *State) path() Path {
	out := Path{
		RTTSeries: s.rtt.all(), EchoUS: s.echoUS, PingUS: s.pingUS, Tank: s.tank.figures(),
		Colo: s.peers.live.Colo, Proxied: s.peers.live.Proxy != "",
	}
	if s.tcp.RTOCount.Known() || s.tcp.FastCount.Known() {
		out.Retrans = Some(s.tcp.RTOCount.Value() + s.tcp.FastCount.Value())
	}
	if s.unqueued {
		out.IdleRTTUS = s.minRTT
	}
	if n := len(s.rtt.vals); n > 0 {
		out.RTTUS, out.RTTSource = lowerQuartile(s.rtt.vals[max(0, n-rttSamples):]), "device TCP"
		return out
	}
	out.RTTUS = s.pollCycle()
	if out.RTTUS.Known() {
		out.RTTSource = "poll cycle"
	}
	return out
}

// newConnection forgets what was learnt of the device's last one.
func (s *State) newConnection() {
	s.nextFirst = true
	s.tcp, s.rtt = TCP{}, series{}
	s.minRTT, s.unqueued = 0, false
}

// pollCycle estimates the round trip from poll alone: a frame that with its
// header fills the send buffer past its low water waits for the first ACK of
// the frame before, one round trip after that was sent.
func (s *State) pollCycle() Opt {
	poll := &s.setting.parts[PartPoll]
	if s.setting.n < minFrames || s.settings.BurstFrames.Value() > 0 || s.settings.PaceMS.Value() > 0 {
		return 0
	}
	if mean := s.setting.payloadBytes / int64(s.setting.n); mean+8 <= s.tank.size()-LowWater(s.tank.size()) {
		return 0
	}
	if p50 := poll.quantile(0.5); p50.Value() >= pollCycleUS {
		return p50
	}
	return 0
}

func lowerQuartile(vals []Opt) Opt {
	v := slices.Clone(vals)
	slices.Sort(v)
	return v[(len(v)-1)/4]
}
