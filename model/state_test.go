package model

import (
	"strings"
	"testing"
)

// device is a made-up device: it feeds a State what linktop would learn.
type device struct {
	t     *testing.T
	s     State
	us    int64 // host time
	seq   int64
	rep   int64
	made  int64
	sent  int64
	lost  int64
	frame int64
	rtt   int64 // µs, told by TCP samples when > 0
	fly   int64 // bytes in flight at those
}

func newDevice(t *testing.T) *device {
	d := &device{t: t, us: 1_000_000_000}
	d.is(&Port{State: "open", Name: "COM6", Baud: Some(921600)})
	d.is(&Peer{State: "open", ID: 1, Address: "192.168.1.30", Scheme: "ws"})
	d.is(&SessionStart{Peer: 1, Device: "pixel-s3"})
	return d
}

func (d *device) is(b Body) { d.s.Apply(&Event{HostUS: d.us, Body: b}) }

func (d *device) set(rev int64, set Settings) {
	set.Rev = Some(rev)
	d.frame = set.FrameBytes.Value()
	d.is(&set)
}

func continuous(bytes int64) Settings {
	return Settings{FrameBytes: Some(bytes), BurstFrames: Some(0), IdleMS: Some(0), PaceMS: Some(0), Agg: "off", Codec: "pcm16"}
}

// send is one frame of the given times in ms, which pass; then pause ms pass.
func (d *device) send(poll, header, write, pause int64) {
	total := poll + header + write + 1
	d.us += total * 1000
	d.seq++
	d.sent += d.frame
	d.is(&Frame{Seq: Some(d.seq), Opcode: Some(OpBinary), PayloadBytes: Some(d.frame), HeaderBytes: Some(8),
		PollUS: Some(poll * 1000), MaskUS: Some(0), HeaderUS: Some(header * 1000), PayloadUS: Some(write * 1000),
		TotalUS: Some(total * 1000), Ret: Some(d.frame)})
	d.is(&Binary{Peer: 1, N: d.seq, LenBytes: d.frame, GapUS: Some(total * 1000)})
	if d.rtt > 0 {
		d.is(&TCP{Side: "device", RTTUS: Some(d.rtt), FlyBytes: Some(d.fly), RTOCount: Some(0), FastCount: Some(0)})
	}
	d.us += pause * 1000
	for d.us >= 1_000_000_000+(d.rep+1)*1_000_000 {
		d.report()
	}
}

// report is the device's accounts, made at 27400 B/s into a ring of 64 KiB.
func (d *device) report() {
	d.rep++
	d.made = d.rep * 27_400
	if over := d.made - d.lost - d.sent - RingBytes; over > 0 {
		d.lost += over
	}
	backlog := max(0, d.made-d.lost-d.sent) / PCMBytesPerMS
	d.is(&SenderReport{Peer: 1, Seq: Some(d.rep), TMS: Some(d.rep * 1000), ProducedBytes: Some(d.made), SentBytes: Some(min(d.sent, d.made)),
		DroppedBytes: Some(d.lost), RingbufMS: Some(backlog)})
	d.is(&ReceiverReport{Peer: 1, Seq: Some(d.rep), ReceivedBytes: min(d.sent, d.made)})
}

func (d *device) snap() *Snapshot { return d.s.Snapshot(d.us) }

func (s *Snapshot) verdict(t *testing.T, id string) Judgement {
	t.Helper()
	for _, j := range s.Why {
		if j.ID == id {
			return j
		}
	}
	t.Fatalf("nothing is said of %s", id)
	return Judgement{}
}

func TestWindowsNeverCrossSettings(t *testing.T) {
	d := newDevice(t)
	d.set(1, continuous(1024))
	for range 30 {
		d.send(200, 1, 2, 0)
	}
	d.set(2, continuous(4096))
	for range 5 {
		d.send(10, 1, 2, 0)
	}
	got := d.snap()
	for name, w := range map[string]Window{"last 10 s": got.Last10, "this setting": got.Setting} {
		if w.N != 5 || w.Parts[PartTotal].Max.Value() != 14_000 || w.Parts[PartPoll].P50.Value() != 10_000 {
			t.Errorf("%s: n %d, max %v; want the 5 frames since the change", name, w.N, w.Parts[PartTotal].Max)
		}
	}
	if len(got.BySetting) != 2 || got.BySetting[0].N != 30 || got.BySetting[1].N != 5 {
		t.Fatalf("by setting: %+v", got.BySetting)
	}
	d.set(3, continuous(1024))
	d.send(200, 1, 2, 0)
	got = d.snap()
	if got.Setting.N != 1 || len(got.BySetting) != 2 || got.BySetting[0].N != 31 {
		t.Errorf("back at 1024 B: this setting n %d, pooled n %d; want 1 and 31", got.Setting.N, got.BySetting[0].N)
	}
}

func TestShortWindowForgets(t *testing.T) {
	d := newDevice(t)
	d.set(1, continuous(4096))
	for range 200 {
		d.send(90, 1, 8, 0) // 100 ms each
	}
	got := d.snap()
	if got.Last10.N != 100 || got.Setting.N != 200 {
		t.Errorf("n %d in 10 s, %d in this setting; want 100 and 200", got.Last10.N, got.Setting.N)
	}
	if got := d.s.Snapshot(d.us + 9_950_000); got.Last10.N != 1 {
		t.Errorf("n %d, 9.95 s later; want 1", got.Last10.N)
	}
	if got := d.s.Snapshot(d.us + 11_000_000); got.Last10.N != 0 || got.Last10.Parts[PartTotal].P50.Known() {
		t.Errorf("n %d, 11 s later; want none and an unknown P50", got.Last10.N)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var s State
	const n = KeptFrames + 30_000
	for i := range int64(n) {
		us := i % 997
		s.Apply(&Event{HostUS: 1_000_000 + i*1000, Body: &Frame{Seq: Some(i), PayloadBytes: Some(512), TotalUS: Some(us),
			PollUS: Some(us), PayloadUS: Some(0), Ret: Some(512)}})
	}
	got := s.Snapshot(0)
	if got.Counts.Frames != n {
		t.Errorf("counted %d frames, want %d", got.Counts.Frames, n)
	}
	if got.Setting.N < KeptFrames || got.Setting.N > KeptFrames+keptChunk {
		t.Errorf("this setting holds %d frames, want the %d kept", got.Setting.N, KeptFrames)
	}
	if p := got.Setting.Parts[PartTotal]; p.N != got.Setting.N || p.Max.Value() != 996 {
		t.Errorf("quantiles of %d samples, max %v", p.N, p.Max)
	}
	if newest := got.Frames[len(got.Frames)-1].Seq.Value(); newest != n-1 || len(got.Frames) != SnapshotFrames {
		t.Errorf("newest frame %d of %d", newest, len(got.Frames))
	}
}

func TestFailedFramesAreInNoPercentile(t *testing.T) {
	d := newDevice(t)
	d.set(1, continuous(4096))
	d.send(10, 1, 2, 0)
	d.is(&Frame{Seq: Some(9), Opcode: Some(OpBinary), PayloadBytes: Some(4096), PollUS: Some(5_000_000), TotalUS: Some(5_000_000), Ret: Some(0)})
	d.is(&Frame{Seq: Some(10), Opcode: Some(OpBinary), PayloadBytes: Some(4096), TotalUS: Some(9_000_000), Ret: Some(1000)})
	d.is(&Frame{Seq: Some(11), Opcode: Some(OpPong), PayloadBytes: Some(0), TotalUS: Some(9_000_000), Ret: Some(0)})
	got := d.snap()
	if got.Counts.Failed != 2 || got.Counts.Frames != 1 || got.Counts.Control != 1 {
		t.Errorf("failed %d, sent %d, control %d; want 2, 1, 1", got.Counts.Failed, got.Counts.Frames, got.Counts.Control)
	}
	if got.Setting.Parts[PartTotal].Max.Value() != 14_000 {
		t.Errorf("max %v counts a failed frame", got.Setting.Parts[PartTotal].Max)
	}
	if len(got.Frames) != 3 {
		t.Errorf("%d frames kept, want the failed ones too", len(got.Frames))
	}
}

func TestFragmentsAreOneMessage(t *testing.T) {
	var s State
	for i, op := range []int64{0x02, 0x00, 0x00, 0x80, 0x82} {
		s.Apply(&Event{HostUS: int64(i + 1), Body: &Frame{Seq: Some(int64(i)), Opcode: Some(op), PayloadBytes: Some(1024), Ret: Some(1024), TotalUS: Some(1)}})
	}
	if c := s.Snapshot(0).Counts; c.Frames != 5 || c.Messages != 2 {
		t.Errorf("%d frames, %d messages; want 5 and 2", c.Frames, c.Messages)
	}
}

func TestOther(t *testing.T) {
	for name, c := range map[string]struct {
		f    Frame
		want Opt
	}{
		"the rest":             {Frame{TotalUS: Some(175), PollUS: Some(163), MaskUS: Some(0), HeaderUS: Some(1), PayloadUS: Some(9)}, Some(2)},
		"unknown parts":        {Frame{TotalUS: Some(175), PollUS: Some(163), PayloadUS: Some(9)}, Some(3)},
		"rounding below 0":     {Frame{TotalUS: Some(9), PollUS: Some(1), PayloadUS: Some(9)}, Some(0)},
		"no total":             {Frame{PollUS: Some(1), PayloadUS: Some(9)}, 0},
		"neither poll nor pay": {Frame{TotalUS: Some(9), MaskUS: Some(1)}, 0},
	} {
		if got := c.f.OtherUS(); got != c.want {
			t.Errorf("%s: other is %v, want %v", name, got, c.want)
		}
	}
}

func TestRatesComeFromCounters(t *testing.T) {
	d := newDevice(t)
	d.rtt = 285_000
	d.set(1, continuous(4096))
	for range 60 {
		d.send(284, 2, 8, 0) // 295 ms a frame
	}
	got := d.snap()
	if v := got.Rate.Makes.Value(); v != 27_400 {
		t.Errorf("makes %d B/s, want 27400", v)
	}
	if v := got.Rate.Sends.Value(); v < 13_400 || v > 14_400 {
		t.Errorf("sends %d B/s, want about 13885", v)
	}
	if v := got.Rate.ReceivedOfSent.Value(); v != 1 {
		t.Errorf("received/sent %v, want exactly 1", v)
	}
	if v := got.Rate.BufferAllows.Value(); v != 5760*1_000_000/285_000 {
		t.Errorf("buffer allows %d B/s", v)
	}
	if !got.Ring.DroppedBytes.Known() || got.Ring.DroppedBytes.Value() == 0 || got.Ring.DropSinceUS == 0 {
		t.Errorf("ring: dropped %v since %d; it must have overflowed", got.Ring.DroppedBytes, got.Ring.DropSinceUS)
	}
	if stale := d.s.Snapshot(d.us + 20_000_000); stale.Rate.Makes.Known() || stale.Rate.SentOfProduced.Known() {
		t.Error("20 s after the last report, rates must be unknown")
	}
}

func TestTimeToOverflow(t *testing.T) {
	d := newDevice(t)
	d.set(1, continuous(4096))
	for range 10 {
		d.send(284, 2, 8, 0)
	}
	got := d.snap()
	if !got.Ring.OverflowInMS.Known() {
		t.Fatal("the ring fills; the time to its overflow must be known")
	}
	// About 13.5 KB/s more come in than go out; the ring holds 65536 bytes.
	left := RingBytes - got.Ring.BacklogMS.Value()*PCMBytesPerMS
	if v := got.Ring.OverflowInMS.Value(); v < left*1000/16_000 || v > left*1000/11_000 {
		t.Errorf("overflows in %d ms with %d bytes left", v, left)
	}
}

func TestTogglesAskedConfirmedRefused(t *testing.T) {
	d := newDevice(t)
	d.set(1, continuous(4096))
	d.is(&Command{N: 8, Line: "lt #8 set burst=4 idle=1000", Via: "serial"})
	if g := d.snap().Toggles[KeyBurst]; g.State != ToggleAsked || g.Asked != "4/1000" {
		t.Errorf("after asking: %+v", g)
	}
	d.is(&Answer{N: 8, OK: true, TookUS: Some(12_000)})
	if g := d.snap().Toggles[KeyBurst]; g.State != ToggleConfirmed || g.TookUS.Value() != 12_000 {
		t.Errorf("after the answer: %+v", g)
	}
	d.is(&Command{N: 9, Line: "lt #9 set frame=99"})
	d.is(&Answer{N: 9, Code: "range", Fields: map[string]string{"key": "frame", "min": "256", "max": "16384"}})
	if g := d.snap().Toggles[KeyFrame]; g.State != ToggleRefused || g.Reason != "frame takes 256–16384" {
		t.Errorf("after the refusal: %+v", g)
	}
	d.is(&Answer{N: 9, OK: true})
	if g := d.snap().Toggles[KeyFrame]; g.State != ToggleRefused {
		t.Error("an answer nobody waits for changed a toggle")
	}
	if m := d.snap().Marks; !strings.HasPrefix(m[len(m)-1].Text, "frame 99 refused") || !m[len(m)-1].Asked {
		t.Errorf("newest mark: %+v", m[len(m)-1])
	}
}

func TestAnswersNobodyAskedFor(t *testing.T) {
	d := newDevice(t)
	d.is(&Answer{N: 77, OK: true, Fields: map[string]string{"proto": "1", "fw": "made-up", "caps": "url"}})
	if got := d.snap().Device; got.Hello != HelloUnknown || got.FW != "" {
		t.Errorf("an unasked answer introduced the device: %+v", got)
	}
	d.is(&Command{N: 8, Line: "lt #8 set pace=300"})
	if g := d.s.Snapshot(d.us + unansweredUS + 1).Toggles[KeyPace]; g.State != ToggleRefused || g.Reason == "" {
		t.Errorf("a change whose end was lost is still waited for: %+v", g)
	}
}

func TestResetForgetsSettings(t *testing.T) {
	d := newDevice(t)
	d.set(4, continuous(1024))
	d.send(1, 1, 1, 0)
	d.is(&Boot{Reason: "brownout"})
	got := d.snap()
	if got.Settings.Known() || got.Setting.N != 0 || got.Device.Hello != HelloUnknown {
		t.Errorf("after a reset: settings %+v, n %d", got.Settings, got.Setting.N)
	}
	if m := got.Marks[len(got.Marks)-1]; m.Text != "reset, power dip" || m.Asked {
		t.Errorf("mark: %+v", m)
	}
}

func TestASecondClientIsNotTheDevice(t *testing.T) {
	d := newDevice(t)
	d.is(&Binary{Peer: 1, N: 1, LenBytes: 100})
	d.is(&Peer{State: "open", ID: 2, Address: "10.0.0.9"})
	d.is(&Binary{Peer: 2, N: 1, LenBytes: 999})
	d.is(&SenderReport{Peer: 2, DroppedBytes: Some(5)})
	got := d.snap()
	if got.Peer.ID != 1 || got.Peer.Bytes != 100 || got.Ring.DroppedBytes.Known() {
		t.Errorf("a client that began no session took over: %+v", got.Peer)
	}
	d.is(&SessionStart{Peer: 2, Device: "other"})
	if got := d.snap(); got.Peer.ID != 2 || got.Device.Name != "other" {
		t.Errorf("a new session must take over: %+v", got.Peer)
	}
	d.is(&Peer{State: "closed", ID: 2, Reason: "gone"})
	if got := d.snap(); got.Peer.ID != 1 || got.Peer.State != "open" {
		t.Errorf("after its end the other session must be back: %+v", got.Peer)
	}
}

// Same events, same state: what makes a recorded run replayable.
func TestFoldIsDeterministic(t *testing.T) {
	run := func() *Snapshot {
		d := newDevice(t)
		d.rtt = 285_000
		d.set(1, continuous(4096))
		for i := range int64(50) {
			d.send(200+i%90, 2, 8, 0)
		}
		return d.snap()
	}
	a, b := run(), run()
	if a.Headline != b.Headline || a.Rate.Sends != b.Rate.Sends || len(a.Why) != len(b.Why) {
		t.Error("two folds of the same events differ")
	}
	for i := range a.Why {
		if a.Why[i] != b.Why[i] {
			t.Errorf("%s differs: %+v, %+v", a.Why[i].ID, a.Why[i], b.Why[i])
		}
	}
}
