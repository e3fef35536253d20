package model

import (
	"maps"
	"slices"
)

// State is what follows from the events so far: a fold. The zero value is the
// state before the first event. It is not safe for use by several goroutines.
type State struct {
	version uint64
	startUS int64
	nowUS   int64 // host time of the newest event

	device    Device
	port      Port
	serial    serialUse
	server    Server
	peers     peers
	recording Recording
	counts    Counts

	settings   Settings
	sinceUS    int64
	marked     bool // the trace marks settings itself (`LT cfg`)
	toggles    map[string]Toggle
	pending    map[int64][]string // settings keys asked, by command number
	frames     store
	conditions []*condition
	last10     window
	last10From int64 // number of the oldest frame in last10
	setting    window
	settingNo  int64 // number of the first frame under these settings
	nextFirst  bool  // the next frame is the first of a connection
	first      Frame // the first frame of the newest connection seen from its start
	lastFrame  lastFrame

	reports  reports
	rtt      series
	tcp      TCP  // newest from the device
	minRTT   Opt  // least since it connected
	unqueued bool // it was seen with less than a segment in flight
	echoUS   Opt
	pingUS   Opt
	tank     tank

	faults    map[string]int64 // host time each was last reported at, by meaning
	troubleUS int64            // host time of the newest reset or Wi-Fi loss
	marks     ringOf[Mark]
	log       ringOf[LogLine]
}

const (
	keptMarks = 200
	keptLines = 2000
	// last10US is how far the short window reaches back.
	last10US = 10_000_000
)

// Apply folds one event in. It keeps nothing of the event's body that its
// source may reuse.
func (s *State) Apply(e *Event) {
	s.version++
	if s.startUS == 0 {
		s.startUS = e.HostUS
	}
	if s.setting.bins == nil {
		s.setting.bins = new([NumParts]bins)
	}
	s.nowUS = max(s.nowUS, e.HostUS)
	switch b := e.Body.(type) {
	case *Frame:
		s.applyFrame(e, b)
	case *Parent:
		s.counts.Parents++
	case *TCP:
		s.applyTCP(e, b)
	case *Settings:
		s.marked = true
		s.useSettings(e.HostUS, *b)
	case *Log:
		s.applyLog(e, b)
	case *Boot:
		s.applyBoot(e, b)
	case *Panic:
		s.mark(e.HostUS, false, "panic, "+orElse(b.Cause, "cause unknown"))
	case *WiFi:
		s.applyWiFi(e, b)
	case *Fault:
		s.applyFault(e, b)
	case *Damage:
		s.applyDamage(b)
	case *Command:
		s.applyCommand(e, b)
	case *Answer:
		s.applyAnswer(e, b)
	case *Port:
		s.applyPort(e, b)
	case *Serial:
		s.applySerial(e, b)
	case *Server:
		s.server = *b
	case *Peer:
		s.applyPeer(e, b)
	case *SessionStart:
		s.applySessionStart(e, b)
	case *SenderReport:
		s.applySenderReport(e, b)
	case *ReceiverReport:
		s.applyReceiverReport(b)
	case *Binary:
		s.applyBinary(b)
	case *Ping:
		if !s.peers.other(b.Peer) {
			s.pingUS = Some(b.RTTUS)
		}
	case *Loss:
		s.applyLoss(b)
	case *Recording:
		s.recording = *b
	}
}

// Snapshot is the state as it looks at host time nowUS, which must not lie
// before the newest event's.
func (s *State) Snapshot(nowUS int64) *Snapshot {
	nowUS = max(nowUS, s.nowUS)
	s.expireLast10(nowUS)
	out := &Snapshot{
		NowUS: nowUS, StartUS: s.startUS, Version: s.version<<4 | uint64(min((nowUS-s.nowUS)/1_000_000, settleSeconds)),
		Device: s.device, Port: s.port, Serial: s.serial.at(nowUS), Server: s.server, Peer: s.peers.figures(),
		Recording: s.recording,
		Settings:  s.settings, SinceUS: s.sinceUS, Toggles: s.togglesAt(nowUS),
		Frames: s.frames.newest(SnapshotFrames), Counts: s.counts,
		Last10: s.last10.figures(), Setting: s.setting.figures(),
		Rate: s.rate(nowUS), Ring: s.ring(), Path: s.path(),
		Marks: s.marks.all(), Log: s.log.newest(keptLogShown),
	}
	out.Counts.Losses = maps.Clone(s.counts.Losses)
	for _, c := range s.conditions {
		if c.window.n > 0 || c.reported {
			out.BySetting = append(out.BySetting, c.figures())
		}
	}
	out.Why = judge(s, out)
	out.Headline = headline(out)
	return out
}

// settleSeconds is how long after the newest event time alone still changes the
// picture: the short window empties, accounts become stale. It fits in 4 bits.
const settleSeconds = 15

// keptLogShown is how many log lines a snapshot carries.
const keptLogShown = 256

func (c *condition) figures() SettingWindow {
	out := SettingWindow{Settings: c.settings, Window: c.window.figures()}
	if c.reported {
		out.SentOfProduced = Ratio{c.sent, c.produced}
		out.DroppedBytes = Some(c.dropped)
	}
	return out
}

func (s *State) applyDamage(d *Damage) {
	switch d.What {
	case "garbage":
		s.counts.Garbage += d.Bytes.Value()
	case "torn":
		s.counts.Torn++
	case "overlong":
		s.counts.Overlong++
	case "lost":
		if d.SeqFrom.Known() && d.SeqTo.Known() {
			s.counts.Unseen += d.SeqTo.Value() - d.SeqFrom.Value() + 1
		}
	}
}

func (s *State) applyLoss(l *Loss) {
	if s.counts.Losses == nil {
		s.counts.Losses = map[string]int64{}
	}
	s.counts.Losses[l.Where] = l.Count
}

// ringOf keeps the newest values of a kind.
type ringOf[T any] struct {
	vals []T
	head int // index of the oldest once full
}

func (r *ringOf[T]) add(v T, limit int) {
	if len(r.vals) < limit {
		r.vals = append(r.vals, v)
		return
	}
	r.vals[r.head] = v
	r.head = (r.head + 1) % limit
}

func (r *ringOf[T]) all() []T { return r.newest(len(r.vals)) }

func (r *ringOf[T]) newest(n int) []T {
	n = min(n, len(r.vals))
	out := make([]T, 0, n)
	for i := len(r.vals) - n; i < len(r.vals); i++ {
		out = append(out, r.vals[(r.head+i)%len(r.vals)])
	}
	return out
}

// series is the newest few samples of one quantity.
type series struct{ vals []Opt }

const seriesLen = 120

func (s *series) add(v Opt) {
	if len(s.vals) >= seriesLen {
		s.vals = append(s.vals[:0], s.vals[1:]...)
	}
	s.vals = append(s.vals, v)
}

func (s *series) all() []Opt { return slices.Clone(s.vals) }

// gaps is the arrival gaps at the server under the present settings.
type gaps struct {
	ranked ranked
	vals   []int32
	head   int
}

const keptGaps = 4096

func (g *gaps) add(us int64) {
	if len(g.vals) < keptGaps {
		g.vals = append(g.vals, clamp32(us))
	} else {
		g.ranked.remove(int64(g.vals[g.head]))
		g.vals[g.head] = clamp32(us)
		g.head = (g.head + 1) % keptGaps
	}
	g.ranked.insert(us)
}

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
