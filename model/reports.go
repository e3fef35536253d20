package model

// report is one sender report with what the server had received by then.
type report struct {
	hostUS                  int64
	tMS                     int64
	seq                     Opt
	produced, sent, dropped int64
	dropCount               Opt
	received                Opt
	backlogMS, backlogMaxMS Opt
}

// reports are the device's accounts, once a second.
type reports struct {
	vals                  []report // the newest, of one session and condition
	base                  int      // index of the first whole report under the present settings, −1 = not yet
	sinceUS               int64    // a report counts when it arrives after this
	sends, makes, backlog series
	maxMS                 Opt // highest backlog under the present settings
	dropUS                int64
	last                  report
	any                   bool
}

const (
	keptReports = 64
	// rateReach is how far back rates reach, µs.
	rateReach = 10_000_000
	// reportLagUS is how long after a change of settings a report may still
	// tell of the time before it, where the device has not yet told how long
	// its reports take.
	reportLagUS = 800_000
	// staleUS: accounts older than this say nothing of now.
	staleUS = 5_000_000
)

// change begins anew: the settings changed at hostUS.
func (r *reports) change(hostUS int64) {
	lag := int64(reportLagUS)
	r.vals = nil
	r.sinceUS = hostUS + lag
	r.maxMS = 0
}

// restart begins anew: the device counts from 0 again.
func (r *reports) restart() {
	*r = reports{sinceUS: r.sinceUS, sends: r.sends, makes: r.makes, backlog: r.backlog}
}

func (s *State) applySenderReport(e *Event, b *SenderReport) {
	if s.peers.other(b.Peer) {
		return
	}
	r := report{
		hostUS: e.HostUS, tMS: b.TMS.Value(), seq: b.Seq,
		produced: b.ProducedBytes.Value(), sent: b.SentBytes.Value(), dropped: b.DroppedBytes.Value(),
		dropCount: b.DropCount,
		backlogMS: b.RingbufMS, backlogMaxMS: b.RingbufMaxMS,
	}
	if b.RSSI.Known() {
		s.device.RSSI = b.RSSI
	}
	if b.Heap.Known() {
		s.device.Heap = b.Heap
	}
	if b.RTTMS.Known() {
		s.echoUS = Some(b.RTTMS.Value() * 1000)
	}
	rs := &s.reports
	prev := rs.last
	if rs.any && (r.produced < prev.produced || r.sent < prev.sent || r.tMS < prev.tMS) {
		rs.restart()
		prev = report{}
	}
	if b.DroppedBytes.Value() > 0 && rs.dropUS == 0 {
		rs.dropUS = e.HostUS
		s.mark(e.HostUS, false, "ring full, drops begin")
	}
	if rs.any {
		if dt := r.tMS - prev.tMS; dt > 0 {
			rs.makes.add(Some((r.produced - prev.produced) * 1000 / dt))
			rs.sends.add(Some((r.sent - prev.sent) * 1000 / dt))
		}
	}
	rs.backlog.add(r.backlogMS)
	rs.last, rs.any = r, true
	if e.HostUS < rs.sinceUS {
		return
	}
	rs.maxMS = maxOpt(rs.maxMS, maxOpt(r.backlogMS, r.backlogMaxMS))
	if n := len(rs.vals); n > 0 {
		c := s.condition(s.settings)
		c.reported = true
		c.produced += r.produced - rs.vals[n-1].produced
		c.sent += r.sent - rs.vals[n-1].sent
		c.dropped += r.dropped - rs.vals[n-1].dropped
	}
	if len(rs.vals) >= keptReports {
		rs.vals = append(rs.vals[:0], rs.vals[1:]...)
	}
	rs.vals = append(rs.vals, r)
}

// received notes what the server had when the report arrived.
func (r *reports) received(b *ReceiverReport) {
	for i := len(r.vals) - 1; i >= 0 && i >= len(r.vals)-8; i-- {
		if r.vals[i].seq == b.Seq {
			r.vals[i].received = Some(b.ReceivedBytes)
			return
		}
	}
}

// span is the stretch of reports that rates are made of: under the present
// settings, at most 10 s.
func (r *reports) span() (from, to report, ok bool) {
	n := len(r.vals)
	if n < 2 {
		return from, to, false
	}
	to = r.vals[n-1]
	i := 0
	for i < n-2 && r.vals[i].hostUS < to.hostUS-rateReach {
		i++
	}
	return r.vals[i], to, to.tMS > r.vals[i].tMS
}

// perSecond is bytes per second over a device time in ms.
func perSecond(bytes, ms int64) Opt {
	if ms <= 0 || bytes < 0 {
		return 0
	}
	return Some(bytes * 1000 / ms)
}

func (s *State) rate(nowUS int64) Rate {
	out := Rate{SendsSeries: s.reports.sends.all(), MakesSeries: s.reports.makes.all()}
	if from, to, ok := s.reports.span(); ok && nowUS-to.hostUS < staleUS {
		ms := to.tMS - from.tMS
		out.Makes = perSecond(to.produced-from.produced, ms)
		out.Sends = perSecond(to.sent-from.sent, ms)
		out.SentOfProduced = Ratio{to.sent - from.sent, to.produced - from.produced}
		out.DroppedBytes = Some(to.dropped - from.dropped)
		out.Reports = len(s.reports.vals)
		out.Gets, out.ReceivedOfSent = s.reports.gets()
	} else {
		out.Sends = s.tracedRate()
	}
	if p := s.path(); p.RTTUS.Value() > 0 {
		out.BufferAllows = Some(s.tank.size() * 1_000_000 / p.RTTUS.Value())
	}
	return out
}

// gets compares the server's counts with the device's at the same reports.
func (r *reports) gets() (Opt, Ratio) {
	var from, to *report
	last := len(r.vals) - 1
	for i := last; i >= 0; i-- {
		v := &r.vals[i]
		if !v.received.Known() {
			continue
		}
		if to == nil {
			to = v
		} else if v.hostUS >= to.hostUS-rateReach {
			from = v
		}
	}
	if from == nil {
		return 0, Ratio{}
	}
	got := to.received.Value() - from.received.Value()
	return perSecond(got, to.tMS-from.tMS), Ratio{got, to.sent - from.sent}
}

// tracedRate is the rate of the traced frames where the device sends no
// reports: bytes after the first frame of the short window over the time to
// its newest.
func (s *State) tracedRate() Opt {
	if s.last10.n < 3 {
		return 0
	}
	from, to := s.last10From, s.frames.next-1
	for s.frames.at(from).cond == nil {
		from++
	}
	for s.frames.at(to).cond == nil {
		to--
	}
	first, last := s.frames.at(from), s.frames.at(to)
	us := last.HostUS - first.HostUS
	if us < 500_000 {
		return 0
	}
	return Some((s.last10.payloadBytes - first.PayloadBytes.Value()) * 1_000_000 / us)
}

func (s *State) ring() Ring {
	r := &s.reports
	out := Ring{CapacityBytes: RingBytes, Series: r.backlog.all(), BacklogMaxMS: r.maxMS, DropSinceUS: r.dropUS}
	if !r.any {
		return out
	}
	out.BacklogMS = r.last.backlogMS
	out.DroppedBytes, out.DropCount = Some(r.last.dropped), r.last.dropCount
	if from, to, ok := r.span(); ok && r.last.backlogMS.Known() {
		fills := (to.produced - from.produced) - (to.sent - from.sent) - (to.dropped - from.dropped)
		room := out.CapacityBytes - r.last.backlogMS.Value()*PCMBytesPerMS
		if fills > 0 && room > 0 && to.dropped == from.dropped {
			out.OverflowInMS = Some(room * (to.tMS - from.tMS) / fills)
		}
	}
	return out
}

func maxOpt(a, b Opt) Opt {
	if !a.Known() || b.Known() && b.Value() > a.Value() {
		return b
	}
	return a
}
