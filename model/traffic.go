package model

// lastFrame is what the next frame is compared with.
type lastFrame struct{ hostUS, devUS int64 }

// idleGapUS: a frame that starts this long after the previous one ended has
// waited for nothing in the send buffer. The longest pause that is no idle is
// the wait for audio to fill a frame, 0.6 s at 16384 bytes and 27.4 KB/s; a
// burst's own idle is known from the settings and may be shorter.
const idleGapUS = 700_000

func (s *State) applyFrame(e *Event, f *Frame) {
	if !f.Audio() {
		s.counts.Control++
		return
	}
	k := kept{TimedFrame: TimedFrame{HostUS: e.HostUS, DevUS: e.DevUS, Frame: *f}}
	k.Extra = f.Extra.clone()
	if f.Repaired {
		s.counts.Repaired++
	}
	if !f.Opcode.Known() || f.Opcode.Value()&0x0f != OpContinuation {
		s.counts.Messages++
	}
	if s.afterIdle(e, f) {
		k.AfterIdle = true
	}
	s.lastFrame = lastFrame{e.HostUS, e.DevUS.Value()}
	if f.Failed() {
		s.counts.Failed++
		s.frames.put(k, s.leave)
		return
	}
	s.counts.Frames++
	if s.nextFirst {
		s.nextFirst = false
		s.first = *f
		s.first.Extra = nil
	}
	s.tank.sent(e.HostUS, f)
	k.cond = s.condition(s.settings)
	k.cond.add(&k)
	s.setting.add(f)
	s.last10.add(f)
	s.frames.put(k, s.leave)
}

// afterIdle tells whether the device sent nothing before this frame for so long
// that its send buffer can have emptied.
func (s *State) afterIdle(e *Event, f *Frame) bool {
	if f.AfterIdle {
		return true
	}
	if s.lastFrame.hostUS == 0 || !f.TotalUS.Known() {
		return false
	}
	gap := e.HostUS - s.lastFrame.hostUS
	if e.DevUS.Known() && s.lastFrame.devUS > 0 {
		gap = e.DevUS.Value() - s.lastFrame.devUS
	}
	limit := int64(idleGapUS)
	if s.settings.BurstFrames.Value() > 0 && s.settings.IdleMS.Value() >= 100 {
		limit = s.settings.IdleMS.Value() * 800
	}
	return gap-f.TotalUS.Value() >= limit
}

// leave takes a frame that memory gives up out of the windows it is in.
func (s *State) leave(i int64, k *kept) {
	if k.cond == nil {
		return
	}
	k.cond.drop(k)
	if i >= s.settingNo {
		s.setting.drop(&k.Frame)
	}
	if i >= s.last10From {
		s.last10.drop(&k.Frame)
		s.last10From = i + 1
	}
}

// expireLast10 lets the frames go that are older than the short window.
func (s *State) expireLast10(nowUS int64) {
	s.last10From = max(s.last10From, s.frames.oldest())
	for s.last10From < s.frames.next {
		k := s.frames.at(s.last10From)
		if k.HostUS > nowUS-last10US {
			break
		}
		if k.cond != nil {
			s.last10.drop(&k.Frame)
		}
		s.last10From++
	}
	s.last10.sinceUS = max(s.sinceUS, nowUS-last10US)
}

// useSettings starts new windows where the condition changes: frames are never
// pooled across a change of settings.
func (s *State) useSettings(hostUS int64, set Settings) {
	same := set.Condition() == s.settings.Condition()
	s.settings = set
	if same {
		return
	}
	s.sinceUS = hostUS
	s.setting.reset(hostUS)
	s.setting.bins = new([NumParts]bins)
	s.last10.reset(hostUS)
	s.settingNo, s.last10From = s.frames.next, s.frames.next
	s.peers.gaps = gaps{}
	s.reports.change(hostUS)
	if set.SndBufBytes.Known() {
		s.tank.sndBuf = set.SndBufBytes.Value()
	}
}

func (s *State) applyTCP(e *Event, t *TCP) {
	if t.Side == "server" {
		return
	}
	s.tcp = *t
	s.tcp.Extra = nil
	if t.RTTUS.Value() > 0 {
		s.rtt.add(t.RTTUS)
		if !s.minRTT.Known() || t.RTTUS.Value() < s.minRTT.Value() {
			s.minRTT = t.RTTUS
		}
		s.unqueued = s.unqueued || t.FlyBytes.Known() && t.FlyBytes.Value() < MSS
	}
	if t.FreeBytes.Known() {
		s.tank.told(e.HostUS, t.FreeBytes.Value())
	}
}
