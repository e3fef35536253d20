package model

import "strconv"

// peers are the open connections to the server. One of them is the device: the
// newest that began a session. A client that only connects changes nothing.
type peers struct {
	live        PeerState // the device's connection, or the last one it had
	open        map[int64]PeerState
	connections int64
	refused     int64
	upgrades    int64 // failed, by the device's log, since it last connected
	gaps        gaps  // arrivals of the live one under the present settings
}

// other tells whether an event speaks of a connection that is not the device's.
func (p *peers) other(id int64) bool { return id != 0 && id != p.live.ID }

func (p *peers) figures() PeerState {
	out := p.live
	out.Connections, out.Refused, out.FailedUpgrades = p.connections, p.refused, p.upgrades
	out.GapP95US = p.gaps.ranked.quantile(0.95)
	return out
}

func (s *State) applyPeer(e *Event, b *Peer) {
	p := &s.peers
	at := orElse(b.Address, "a client")
	name := "connection " + strconv.FormatInt(b.ID, 10)
	switch b.State {
	case "open":
		p.connections++
		if p.open == nil {
			p.open = map[int64]PeerState{}
		}
		p.open[b.ID] = PeerState{Peer: *b, SinceUS: e.HostUS}
		if p.live.State != "open" {
			s.adopt(e.HostUS, b.ID)
		}
		s.line(e.HostUS, "server", "I", "server", name+" from "+at)
	case "refused":
		p.refused += max(1, b.Count)
		s.line(e.HostUS, "server", "W", "server", at+" refused: "+b.Reason)
	case "closed":
		delete(p.open, b.ID)
		s.line(e.HostUS, "server", "I", "server", name+" closed: "+b.Reason)
		if b.ID == p.live.ID {
			s.disconnected(e.HostUS, b.Reason)
		}
	}
}

// adopt makes a connection the device's.
func (s *State) adopt(hostUS, id int64) {
	p := &s.peers
	if was, ok := p.open[p.live.ID]; ok {
		was.Frames, was.Bytes = p.live.Frames, p.live.Bytes
		p.open[p.live.ID] = was
	}
	next, ok := p.open[id]
	if !ok {
		next = PeerState{Peer: Peer{State: "open", ID: id}, SinceUS: hostUS}
	}
	p.live = next
	s.reports.restart()
	p.gaps = gaps{}
	s.newConnection()
	p.upgrades = 0
	s.mark(hostUS, false, "connected, "+orElse(next.Address, "address unknown"))
}

func (s *State) disconnected(hostUS int64, reason string) {
	p := &s.peers
	p.live.State, p.live.Reason, p.live.SinceUS = "closed", reason, hostUS
	s.mark(hostUS, false, "disconnected, "+orElse(reason, "no reason given"))
	var newest int64
	for id, o := range p.open {
		if o.Session != nil {
			newest = max(newest, id)
		}
	}
	if newest > 0 {
		s.adopt(hostUS, newest)
	}
}

func (s *State) applySessionStart(e *Event, b *SessionStart) {
	p := &s.peers
	c := *b
	if o, ok := p.open[b.Peer]; ok {
		o.Session = &c
		p.open[b.Peer] = o
	}
	if p.other(b.Peer) {
		s.adopt(e.HostUS, b.Peer)
	}
	p.live.Session = &c
	p.live.Frames, p.live.Bytes = 0, 0
	s.reports.restart()
	if b.Device != "" {
		s.device.Name = b.Device
	}
	if b.FW != "" && s.device.FW == "" {
		s.device.FW = b.FW
	}
	if !s.settings.Known() && b.FrameBytes.Known() && !s.marked {
		s.useSettings(e.HostUS, Settings{FrameBytes: b.FrameBytes})
	}
}

func (s *State) applyBinary(b *Binary) {
	p := &s.peers
	if p.other(b.Peer) {
		return
	}
	p.live.Frames++
	p.live.Bytes += b.LenBytes
	if b.GapUS.Known() {
		p.gaps.add(b.GapUS.Value())
	}
}

func (s *State) applyReceiverReport(b *ReceiverReport) {
	if s.peers.other(b.Peer) {
		return
	}
	s.reports.received(b)
	if b.FirstBinaryDelayMS.Known() {
		s.peers.live.FirstBinaryDelayMS = b.FirstBinaryDelayMS
	}
}
