package model

import (
	"strings"
	"testing"
)

// Scenarios after measured traces of lwIP (RTT 285 ms ± 5, CPU cost of TLS):
// what one frame looks like there, and what must be said of it.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		play func(d *device)
		want map[string]Verdict
	}{
		"4096 B through a small send buffer": {func(d *device) {
			d.rtt = 285_000
			d.set(1, continuous(4096))
			d.send(0, 2, 9, 0)
			for range 40 {
				d.send(285, 2, 9, 0)
			}
		}, map[string]Verdict{"buffer_limited": Yes, "path_backpressure": No, "server_slow": No, "header_split": No,
			"first_frame_only": No, "path_loss": No, "setting_limited": No, "window_recovers": Open, "small_frame_overhead": Open}},
		"1024 B: poll 214, 85, 0 in turn": {func(d *device) {
			d.rtt = 285_000
			d.set(1, continuous(1024))
			for range 40 {
				d.send(200, 2, 4, 0)
				d.send(75, 2, 4, 0)
				d.send(0, 2, 4, 0)
			}
		}, map[string]Verdict{"buffer_limited": Yes, "path_backpressure": No}},
		"the round trip is not known": {func(d *device) {
			d.set(1, continuous(4096))
			for range 40 {
				d.send(285, 2, 9, 0)
			}
		}, map[string]Verdict{"buffer_limited": Partly, "path_backpressure": Open, "path_loss": Open}},
		"a LAN": {func(d *device) {
			d.rtt = 4_000
			d.set(1, continuous(4096))
			for range 60 {
				d.send(0, 2, 9, 137)
			}
		}, map[string]Verdict{"buffer_limited": No, "path_backpressure": No, "setting_limited": No, "first_frame_only": No}},
		"a path slower than its round trip": {func(d *device) {
			d.rtt = 50_000
			d.set(1, continuous(4096))
			for range 40 {
				d.send(600, 2, 9, 0)
			}
		}, map[string]Verdict{"buffer_limited": No, "path_backpressure": Yes}},
		"a path that queues": {func(d *device) {
			d.rtt, d.fly = 64_000, 8
			d.set(1, continuous(4096))
			d.send(0, 2, 9, 0)
			d.rtt, d.fly = 700_000, 4320
			for range 40 {
				d.send(560, 2, 9, 0)
			}
		}, map[string]Verdict{"buffer_limited": No, "path_backpressure": Yes}},
		"a connection never seen without load": {func(d *device) {
			d.rtt, d.fly = 285_000, 4320
			d.set(1, continuous(4096))
			for range 40 {
				d.send(285, 2, 9, 0)
			}
		}, map[string]Verdict{"buffer_limited": Partly}},
		"pacing of 300 ms": {func(d *device) {
			d.rtt = 285_000
			s := continuous(4096)
			s.PaceMS = Some(300)
			d.set(1, s)
			for range 40 {
				d.send(0, 2, 9, 300)
			}
		}, map[string]Verdict{"setting_limited": Yes, "buffer_limited": No}},
		"bursts with idle": {func(d *device) {
			d.rtt = 285_000
			s := continuous(4096)
			s.BurstFrames, s.IdleMS = Some(4), Some(1000)
			d.set(1, s)
			for range 10 {
				d.send(0, 2, 9, 0)
				d.send(150, 2, 9, 0)
				d.send(285, 2, 9, 0)
				d.send(285, 2, 9, 1000)
			}
		}, map[string]Verdict{"window_recovers": Yes, "setting_limited": Partly}},
		"small bursts with a long idle": {func(d *device) {
			d.rtt = 285_000
			s := continuous(1024)
			s.BurstFrames, s.IdleMS = Some(4), Some(1000)
			d.set(1, s)
			for range 10 {
				d.send(0, 2, 4, 0)
				d.send(0, 2, 4, 0)
				d.send(0, 2, 4, 0)
				d.send(275, 2, 4, 1000)
			}
		}, map[string]Verdict{"setting_limited": Yes}},
		"only the first frame is slow": {func(d *device) {
			d.rtt = 4_000
			d.set(1, continuous(4096))
			d.send(400, 2, 9, 137)
			for range 60 {
				d.send(0, 2, 9, 137)
			}
		}, map[string]Verdict{"first_frame_only": Yes}},
		"headers wait": {func(d *device) {
			d.rtt = 40_000
			d.set(1, continuous(4096))
			for range 40 {
				d.send(10, 80, 9, 50)
			}
		}, map[string]Verdict{"header_split": Yes}},
		"too few frames": {func(d *device) {
			d.rtt = 285_000
			d.set(1, continuous(4096))
			for range 6 {
				d.send(285, 2, 9, 0)
			}
		}, map[string]Verdict{"buffer_limited": Open, "path_backpressure": Open, "header_split": Open, "first_frame_only": Open, "server_slow": Open}},
		"segments lost": {func(d *device) {
			d.rtt = 285_000
			d.set(1, continuous(4096))
			for range 30 {
				d.send(285, 2, 9, 0)
			}
			d.send(2900, 2, 9, 0)
			d.is(&TCP{Side: "device", RTTUS: Some(285_000), RTOCount: Some(2), FastCount: Some(0)})
		}, map[string]Verdict{"path_loss": Yes}},
		"a second frame size": {func(d *device) {
			d.rtt = 285_000
			d.set(1, continuous(1024))
			for range 40 {
				d.send(265, 2, 4, 0)
			}
			d.set(2, continuous(4096))
			for range 40 {
				d.send(285, 2, 9, 0)
			}
		}, map[string]Verdict{"small_frame_overhead": Partly}},
		"two frame sizes that both keep up": {func(d *device) {
			d.rtt = 4_000
			d.set(1, continuous(1024))
			for range 150 {
				d.send(0, 4, 8, 24) // 27.7 KB/s
			}
			d.set(2, continuous(4096))
			for range 60 {
				d.send(0, 2, 9, 137)
			}
		}, map[string]Verdict{"small_frame_overhead": No}},
		"a reset": {func(d *device) {
			d.is(&Log{Text: Text("hello")})
			d.set(1, continuous(4096))
			for range 30 {
				d.send(0, 2, 9, 137)
			}
			d.is(&Boot{Reason: "brownout"})
		}, map[string]Verdict{"wifi_or_reset": Yes}},
		"a serial line that is nearly full": {func(d *device) {
			for i := range int64(6) {
				d.us += 1_000_000
				d.is(&Serial{Bytes: i * 11_000, Baud: Some(115200)})
			}
		}, map[string]Verdict{"uart_limited": Yes}},
		"a serial line at three quarters": {func(d *device) {
			for i := range int64(6) {
				d.us += 1_000_000
				d.is(&Serial{Bytes: i * 8_700, Baud: Some(115200)})
			}
		}, map[string]Verdict{"uart_limited": Partly}},
		"a server that gets less than was sent": {func(d *device) {
			d.set(1, continuous(4096))
			for i := range int64(6) {
				d.us += 1_000_000
				d.is(&SenderReport{Peer: 1, Seq: Some(i), TMS: Some(i * 1000), ProducedBytes: Some(i * 27_400), SentBytes: Some(i * 27_400), DroppedBytes: Some(0), RingbufMS: Some(0)})
				d.is(&ReceiverReport{Peer: 1, Seq: Some(i), ReceivedBytes: i * 20_000})
			}
		}, map[string]Verdict{"server_slow": Yes}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t)
			c.play(d)
			snap := d.snap()
			for id, want := range c.want {
				got := snap.verdict(t, id)
				if got.Verdict != want {
					t.Errorf("%s: %v (%s; %s), want %v", id, got.Verdict, got.Evidence, got.Numbers, want)
				}
				if got.Evidence == "" || got.Verdict == Open && got.Missing == "" {
					t.Errorf("%s: a verdict without evidence, or an open one that names nothing missing: %+v", id, got)
				}
			}
			for _, j := range snap.Why {
				if n := len([]rune(j.Name + j.Evidence)); n > 38 {
					t.Errorf("%s: %q and %q are too wide for their panel: %d", j.ID, j.Name, j.Evidence, n)
				}
			}
		})
	}
}

func TestHeadlines(t *testing.T) {
	for name, c := range map[string]struct {
		play  func(d *device)
		badge Badge
		has   []string // in What, Sum, Limit, Do, More together
	}{
		"buffer-limited": {func(d *device) {
			d.rtt = 285_000
			d.is(&Answer{N: 1, OK: true, TookUS: Some(5000), Fields: map[string]string{"proto": "1", "caps": "frame,codec"}})
			d.set(1, continuous(4096))
			for range 60 {
				d.send(284, 2, 8, 0)
			}
		}, Degraded, []string{"The device sends 5", "% of what it makes: its send buffer", "Send buffer 5760 B / RTT 285 ms allows 20.2 KB/s; the device makes 27.4 KB/s:",
			"buffer-limited", "TCP_SND_BUF 11520", "codec adpcm (c) needs 6.9 KB/s"}},
		"keeps up": {func(d *device) {
			d.rtt = 4_000
			d.set(1, continuous(4096))
			for range 60 {
				d.send(0, 2, 9, 137)
			}
		}, KeepsUp, []string{"sends all it makes, 27.4 KB/s; nothing is dropped", "At RTT 4 ms the send buffer allows 1440 KB/s"}},
		"pacing-limited": {func(d *device) {
			d.rtt = 285_000
			s := continuous(4096)
			s.PaceMS = Some(300)
			d.set(1, s)
			for range 40 {
				d.send(0, 2, 9, 300)
			}
		}, Degraded, []string{"pacing-limited", "4096 B every 312 ms is about 13.1 KB/s", "Turn pacing off (p)", "Then the send buffer limits it: 20.2 KB/s at most."}},
		"buffer-limited with bursts": {func(d *device) {
			d.rtt = 285_000
			set := continuous(4096)
			set.BurstFrames, set.IdleMS = Some(4), Some(1000)
			d.set(1, set)
			for range 12 {
				d.send(0, 2, 9, 0)
				d.send(285, 2, 9, 0)
				d.send(285, 2, 9, 0)
				d.send(285, 2, 9, 1000)
			}
		}, Degraded, []string{"turn the pauses off (b)"}},
		"path-limited": {func(d *device) {
			d.rtt, d.fly = 64_000, 8
			d.set(1, continuous(4096))
			d.send(0, 2, 9, 0)
			d.rtt, d.fly = 700_000, 4320
			for range 40 {
				d.send(560, 2, 9, 0)
			}
		}, Degraded, []string{"RTT rises from 64 to 700 ms under load", "makes 27.4 KB/s:", "path-limited"}},
		"too early": {func(d *device) { d.set(1, continuous(4096)); d.send(1, 1, 1, 0) }, Running, []string{"1 frame under"}},
		"connection ended": {func(d *device) {
			d.is(&Peer{State: "closed", ID: 1, Reason: "reset by peer"})
		}, Fail, []string{"no longer connected", "reset by peer"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t)
			c.play(d)
			h := d.snap().Headline
			if h.Badge != c.badge {
				t.Errorf("badge %s, want %s: %+v", h.Badge, c.badge, h.Long)
			}
			all := strings.Join([]string{h.Long.What, h.Long.Sum, h.Long.Limit, h.Long.Do, h.Long.More}, "\n")
			for _, want := range c.has {
				if !strings.Contains(all, want) {
					t.Errorf("%q is missing in\n%s", want, all)
				}
			}
		})
	}
}

func TestHeadlineWithoutADevice(t *testing.T) {
	for name, c := range map[string]struct {
		events []Body
		later  int64 // µs
		badge  Badge
		has    string
	}{
		"busy":          {[]Body{&Port{State: "failed", Name: "COM6", Reason: "busy", Error: "held by idf.py"}}, 0, PortBusy, "Another program holds COM6"},
		"missing":       {[]Body{&Port{State: "failed", Name: "COM6", Reason: "missing", Error: "COM3 is there"}}, 0, NoDevice, "no device on COM6"},
		"forbidden":     {[]Body{&Port{State: "failed", Name: "/dev/ttyACM0", Reason: "forbidden"}}, 0, NoDevice, "may not open"},
		"unplugged":     {[]Body{&Port{State: "open", Name: "COM6"}, &Port{State: "lost", Name: "COM6"}}, 0, NoDevice, "is gone"},
		"silent":        {[]Body{&Port{State: "open", Name: "COM6", Baud: Some(115200)}}, 4_000_000, Silent, "says nothing"},
		"no server":     {[]Body{&Port{State: "open", Name: "COM6"}, &Server{State: "failed", Error: "port taken"}}, 0, NoServer, "could not start"},
		"upgrades fail": {[]Body{&Port{State: "open", Name: "COM6"}, &Serial{Bytes: 99}, &Fault{Area: "websocket", Code: "upgrade", Meaning: "no answer"}}, 0, Fail, "cannot open its WebSocket"},
		"waiting":       {[]Body{&Server{State: "listening", URL: "ws://127.0.0.1:1/audio"}}, 0, Running, "No device has connected"},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			for _, b := range c.events {
				s.Apply(&Event{HostUS: 1_000_000, Body: b})
			}
			h := s.Snapshot(1_000_000 + c.later).Headline
			if h.Badge != c.badge || !strings.Contains(h.Long.What, c.has) {
				t.Errorf("%s: %q, want %s with %q", h.Badge, h.Long.What, c.badge, c.has)
			}
		})
	}
}
