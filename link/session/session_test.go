package session

import (
	"context"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"dev.local/linktop/esp/virtual"
	"dev.local/linktop/link/server"
	"dev.local/linktop/model"
	"dev.local/linktop/model/evidence"
)

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// bench is a session with a virtual device.
type bench struct {
	*testing.T
	*Session
	device *virtual.Device
	ended  chan error
}

func start(t *testing.T, spec string, change func(*Config)) *bench {
	t.Helper()
	opts, err := virtual.ParseOptions(spec)
	if err != nil {
		t.Fatal(err)
	}
	device := virtual.New(opts)
	cfg := Config{
		Source: virtual.NewSource(device), Beside: device.Run,
		Server: &server.Config{Listen: "127.0.0.1:0"}, NeedServer: true,
	}
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &bench{T: t, Session: s, device: device, ended: make(chan error, 1)}
	before := runtime.NumGoroutine()
	go func() { b.ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-b.ended:
			if err != nil {
				t.Errorf("the session ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("the session does not end")
		}
		for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				buf := make([]byte, 1<<20)
				t.Fatalf("goroutines outlive the session:\n%s", buf[:runtime.Stack(buf, true)])
			}
		}
	})
	return b
}

// until waits for a state.
func (b *bench) until(what string, ok func(*model.Snapshot) bool) *model.Snapshot {
	b.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		snap := b.Snapshot()
		if ok(snap) {
			return snap
		}
		if time.Now().After(deadline) {
			b.Fatalf("waited %v in vain until %s; frames %+v, settings %+v, device %+v, headline %+v", patience, what,
				snap.Counts, snap.Settings, snap.Device, snap.Headline)
		}
	}
}

func (b *bench) do(words string) model.Answer {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	a, err := b.Do(ctx, words)
	if err != nil {
		b.Fatalf("%s: %v", words, err)
	}
	return a
}

// Device, trace and server agree on every count, after 10,000 frames.
func TestTenThousandFramesAgree(t *testing.T) {
	frames := int64(10_000)
	if testing.Short() {
		frames = 500
	}
	b := start(t, "rate=270KB,cpu=free,baud=0,rtt=1ms", nil)
	b.until("the device streams", func(s *model.Snapshot) bool { return s.Peer.Session != nil && s.Counts.Frames > 0 })
	b.do("set frame=256")
	b.until("that many frames came", func(s *model.Snapshot) bool { return s.Counts.Frames >= frames })
	b.do("stop")
	stat := b.do("stat")
	want, err := strconv.ParseInt(stat.Fields["sent_frames"], 10, 64)
	if err != nil {
		t.Fatalf("stat tells no sent_frames: %v", stat.Fields)
	}
	bytes, _ := strconv.ParseInt(stat.Fields["sent_bytes"], 10, 64)
	snap := b.until("trace and server told of all", func(s *model.Snapshot) bool {
		return s.Counts.Frames >= want && s.Peer.Frames >= want
	})
	if snap.Counts.Frames != want || snap.Peer.Frames != want || snap.Peer.Bytes != bytes {
		t.Errorf("device %d frames %d bytes; trace %d frames; server %d frames %d bytes", want, bytes, snap.Counts.Frames,
			snap.Peer.Frames, snap.Peer.Bytes)
	}
	if c := snap.Counts; c.Failed+c.Unseen+c.Torn+c.Garbage != 0 || len(c.Losses) != 0 || snap.Counts.Parents < 2*want {
		t.Errorf("counts: %+v", c)
	}
	var traced int64
	for _, w := range snap.BySetting {
		traced += w.PayloadBytes
	}
	if traced != bytes {
		t.Errorf("the trace tells of %d bytes, the device of %d", traced, bytes)
	}
}

func TestToggleOverConsoleAndWebSocket(t *testing.T) {
	b := start(t, "rtt=5ms", nil)
	b.until("the device streams", func(s *model.Snapshot) bool { return s.Counts.Frames > 0 })
	b.Set("burst=4 idle=300")
	snap := b.until("the burst is confirmed", func(s *model.Snapshot) bool {
		return s.Toggles[model.KeyBurst].State == model.ToggleConfirmed && s.Settings.BurstFrames.Value() == 4
	})
	if g := snap.Toggles[model.KeyBurst]; g.Asked != "4/300" || !g.TookUS.Known() {
		t.Errorf("toggle %+v", g)
	}
	b.Set("codec=opus")
	b.until("opus is refused", func(s *model.Snapshot) bool { return s.Toggles[model.KeyCodec].State == model.ToggleRefused })

	// Without the cable the WebSocket carries the same commands.
	b.device.Unplug()
	b.until("the console is lost", func(s *model.Snapshot) bool { return s.Port.State == "lost" || s.Port.State == "failed" })
	b.Set("pace=100")
	b.until("pacing is confirmed", func(s *model.Snapshot) bool { return s.Toggles[model.KeyPace].State == model.ToggleConfirmed })
	b.device.Plug()
	b.until("the console is back", func(s *model.Snapshot) bool { return s.Port.State == "back" && s.Device.Hello == model.HelloYes })
	b.Reset()
	b.until("the device booted again", func(s *model.Snapshot) bool {
		return s.Device.Boots >= 2 && s.Settings.PaceMS.Known() && s.Settings.PaceMS.Value() == 0
	})
}

// The default path does not keep up, and the cause is named, from numbers.
func TestVerdictsOnTheVirtualPath(t *testing.T) {
	if testing.Short() {
		t.Skip("needs 20 frames at a round trip each")
	}
	t.Parallel()
	for spec, want := range map[string]struct {
		badge model.Badge
		limit string
		id    string
		v     model.Verdict
	}{
		"rtt=285ms":           {model.Degraded, "buffer-limited", "buffer_limited", model.Yes},
		"rtt=4ms":             {model.KeepsUp, "", "buffer_limited", model.No},
		"drain=8KB,rtt=40ms":  {model.Degraded, "path-limited", "path_backpressure", model.Yes},
		"rtt=285ms,rate=5000": {model.KeepsUp, "", "buffer_limited", model.No},
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			b := start(t, spec, nil)
			b.until("the verdict is "+string(want.badge)+" "+want.limit, func(s *model.Snapshot) bool {
				for _, j := range s.Why {
					if j.ID == want.id && j.Verdict == want.v {
						return s.Headline.Badge == want.badge && s.Headline.Long.Limit == want.limit
					}
				}
				return false
			})
		})
	}
}

// What was recorded folds to a state like the one that was seen.
func TestRecordingFoldsToTheSameState(t *testing.T) {
	rec, err := evidence.NewRecorder(t.TempDir(), evidence.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var last *Session
	t.Run("record", func(t *testing.T) {
		b := start(t, "rtt=5ms", func(c *Config) { c.Recorder = rec })
		b.until("the device streams", func(s *model.Snapshot) bool { return s.Counts.Frames > 10 && s.Rate.Makes.Known() })
		last = b.Session
	})
	var state model.State
	for e, err := range evidence.ReadEvents(filepath.Join(rec.Dir(), evidence.EventsFile)) {
		if err != nil {
			t.Fatal(err)
		}
		state.Apply(&e)
	}
	want := last.Snapshot()
	got := state.Snapshot(want.NowUS)
	if got.Counts.Frames != want.Counts.Frames || got.Peer.Bytes != want.Peer.Bytes || got.Headline != want.Headline ||
		got.Setting.Parts[model.PartTotal].P95 != want.Setting.Parts[model.PartTotal].P95 || got.Rate.SentOfProduced != want.Rate.SentOfProduced {
		t.Errorf("replayed %+v %+v %+v, seen %+v %+v %+v", got.Counts, got.Headline, got.Rate.SentOfProduced, want.Counts, want.Headline,
			want.Rate.SentOfProduced)
	}
	for i := range want.Why {
		if got.Why[i] != want.Why[i] {
			t.Errorf("replayed verdict %+v, seen %+v", got.Why[i], want.Why[i])
		}
	}
}
