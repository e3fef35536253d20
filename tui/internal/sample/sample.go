// Package sample makes the snapshots that screens are tested with: a real trace
// of lwIP with a send buffer of 5760 bytes on a path of 285 ms, and a device on
// a local network that keeps up.
package sample

import (
	"slices"

	"dev.local/linktop/model"
)

// StartUS is the host time at which every sample starts.
const StartUS = 1_780_000_000_000_000

// trace is {end, seq, poll, header, payload, total} in ms, of 4096 B frames.
var trace = [...][6]int64{
	{1050, 1, 0, 2, 9, 11}, {1375, 2, 155, 2, 39, 197}, {1645, 3, 258, 2, 9, 270}, {1939, 4, 282, 2, 9, 294},
	{2240, 5, 288, 2, 9, 300}, {2535, 6, 283, 2, 9, 295}, {2836, 7, 288, 2, 9, 300}, {3138, 8, 290, 2, 9, 302},
	{3469, 9, 287, 2, 40, 330}, {3742, 10, 260, 2, 9, 272}, {4045, 11, 291, 2, 9, 303}, {4381, 12, 279, 2, 54, 336},
	{4641, 13, 248, 2, 9, 260}, {4970, 14, 288, 2, 38, 329}, {5243, 15, 261, 2, 9, 272}, {5578, 16, 290, 2, 41, 334},
	{5851, 17, 261, 2, 9, 272}, {6143, 18, 280, 2, 9, 292}, {6442, 19, 286, 2, 9, 298}, {6743, 20, 289, 2, 9, 301},
	{7044, 21, 288, 2, 9, 300}, {7339, 22, 282, 2, 9, 294}, {7634, 23, 283, 2, 9, 294}, {7930, 24, 284, 2, 9, 295},
	{8230, 25, 288, 2, 9, 300}, {8535, 26, 293, 2, 9, 305}, {8833, 27, 285, 2, 9, 297}, {9133, 28, 288, 2, 9, 300},
	{9431, 29, 285, 2, 9, 297}, {9728, 30, 285, 2, 9, 297}, {10032, 31, 292, 2, 9, 304}, {10330, 32, 286, 2, 9, 298},
	{10622, 33, 279, 2, 9, 291}, {10920, 34, 286, 2, 9, 298}, {11212, 35, 279, 2, 9, 291}, {11504, 36, 280, 2, 9, 292},
	{11805, 37, 289, 2, 9, 300}, {12100, 38, 282, 2, 9, 294}, {12394, 39, 281, 2, 9, 293}, {12697, 40, 291, 2, 9, 302},
	{12991, 41, 281, 2, 9, 293},
}

// Far is the trace after its first n frames: a device whose send buffer is too
// small for the round trip.
func Far(n int) *model.Snapshot {
	n = min(n, len(trace))
	s := base("COM6", "pixel-s3", "wss", 4096)
	for _, t := range trace[:n] {
		s.Frames = append(s.Frames, frame(t))
	}
	s.NowUS = s.Frames[n-1].HostUS
	s.Counts = model.Counts{Frames: int64(n), Messages: int64(n), Parents: int64(2 * n), LogLines: int64(3 * n)}
	s.Setting = window(s.Frames)
	s.Last10 = s.Setting
	s.Rate = model.Rate{
		Makes: model.Some(27_400), Sends: model.Some(13_900), Gets: model.Some(13_900), BufferAllows: model.Some(20_200),
		SentOfProduced: model.Ratio{Num: 51, Den: 100}, ReceivedOfSent: model.Ratio{Num: 1, Den: 1},
		SendsSeries: opts(4, 13, 14, 14, 13, 14, 14, 14), MakesSeries: opts(27, 27, 27, 27, 27, 28, 27, 27),
	}
	for i := range s.Rate.SendsSeries {
		s.Rate.SendsSeries[i] = model.Some(s.Rate.SendsSeries[i].Value() * 1000)
		s.Rate.MakesSeries[i] = model.Some(s.Rate.MakesSeries[i].Value() * 1000)
	}
	s.Ring.BacklogMS, s.Ring.BacklogMaxMS = model.Some(1930), model.Some(2048)
	s.Ring.Series = opts(120, 410, 700, 990, 1280, 1570, 1860, 2040, 1990, 2040, 2010, 1930)
	s.Ring.DroppedBytes, s.Ring.DropCount, s.Ring.DropSinceUS = model.Some(29_000), model.Some(7), StartUS+6_000_000
	s.Path.RTTUS, s.Path.RTTSource, s.Path.Colo = model.Some(285_012), "device TCP", "SJC"
	s.Path.RTTSeries = opts(285_012, 310_400, 262_000, 261_000, 285_000, 312_000, 283_000, 307_000, 259_000, 261_000, 285_000, 309_000, 345_000, 285_012)
	s.Path.EchoUS, s.Path.Retrans, s.Path.Proxied = model.Some(812_000), model.Some(0), true
	s.Path.Tank.FreeBytes, s.Path.Tank.Measured = model.Some(1656), true
	s.Peer.Frames, s.Peer.Bytes = int64(n), int64(n)*4096
	s.Why = []model.Judgement{
		{ID: "buffer_limited", Name: "send buffer", Verdict: model.Yes, Evidence: "poll 285 ≈ RTT 285"},
		{ID: "small_frame_overhead", Name: "small frames", Verdict: model.Partly, Evidence: "ms/KB 273 → 82"},
		{ID: "path_loss", Name: "loss on the path", Verdict: model.No, Evidence: "0 retransmitted"},
		{ID: "server_slow", Name: "server", Verdict: model.No, Evidence: "gets 1.00 of sent"},
		{ID: "setting_limited", Name: "pauses that were set", Verdict: model.No, Evidence: "none set"},
		{ID: "header_split", Name: "header apart", Verdict: model.No, Evidence: "header P95 2 ms"},
		{ID: "uart_limited", Name: "serial line", Verdict: model.No, Evidence: "14 % of 115200"},
		{ID: "first_frame_only", Name: "only the first frame", Verdict: model.Open, Evidence: "no pauses"},
	}
	s.Headline = model.Headline{
		Badge: model.Degraded,
		Long: model.Words{
			What:  "The device sends 51 % of what it makes: its send buffer is too small for this round trip.",
			Sum:   "Send buffer 5760 B / RTT 285 ms allows 20.2 KB/s; the device makes 27.4 KB/s:",
			Limit: "buffer-limited", Do: "TCP_SND_BUF 11520 would keep up.",
			More: "Without a rebuild: codec adpcm (c) needs 6.9 KB/s.",
		},
		Short: model.Words{
			What: "The device sends 51 %: its send buffer is too small for this RTT.",
			Sum:  "5760 B / RTT 285 ms allows 20.2 KB/s; it makes 27.4 KB/s.",
			Do:   "TCP_SND_BUF 11520 would keep up.", More: "Or codec adpcm (c).",
		},
	}
	s.Marks = []model.Mark{
		{HostUS: StartUS + 200_000, Text: "connected from 192.168.1.40"},
		{HostUS: StartUS + 500_000, Asked: true, Text: "frame 4096, 12 ms"},
		{HostUS: StartUS + 6_000_000, Text: "ring full, drops begin"},
	}
	for i, f := range s.Frames {
		s.Log = append(s.Log,
			model.LogLine{HostUS: f.HostUS, Side: "device", Level: "I", Tag: "audio", Text: "frame " + f.Seq.String() + " sent"},
			model.LogLine{HostUS: f.HostUS + 147_000, Side: "server", Text: "frame " + f.Seq.String() + " arrived"})
		if i > 17 {
			s.Log = append(s.Log, model.LogLine{HostUS: f.HostUS + 200_000, Side: "device", Level: "W", Tag: "ring", Text: "dropped 4096 B"})
		}
	}
	return s
}

// Near is a device on a local network that keeps up.
func Near() *model.Snapshot {
	s := base("COM6", "pixel-s3", "ws", 4096)
	polls := [...]int64{0, 0, 0, 5, 0, 0, 1, 0, 6, 0, 0, 4, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 3}
	writes := [...]int64{9, 9, 12, 9, 9, 13, 9, 9, 12, 9, 9, 9, 9, 9, 9, 9, 13, 9, 9, 9, 13, 9, 9, 9}
	for i := range polls {
		end := int64(1000 + 150*i)
		s.Frames = append(s.Frames, frame([6]int64{end, int64(189 + i), polls[i], 2, writes[i], polls[i] + writes[i] + 3}))
	}
	s.NowUS = StartUS + 31_000_000
	s.Counts = model.Counts{Frames: 212, Messages: 212}
	s.Setting = window(s.Frames)
	s.Last10 = s.Setting
	s.Rate = model.Rate{Makes: model.Some(27_400), Sends: model.Some(27_400), Gets: model.Some(27_400), BufferAllows: model.Some(1_440_000),
		SentOfProduced: model.Ratio{Num: 1, Den: 1}, ReceivedOfSent: model.Ratio{Num: 1, Den: 1}}
	s.Ring.BacklogMS, s.Ring.DroppedBytes = model.Some(123), model.Some(0)
	s.Path.RTTUS, s.Path.RTTSource, s.Path.Retrans = model.Some(4_000), "TCP connect", model.Some(0)
	s.Recording.Dir = "evidence/r2"
	s.Why = []model.Judgement{
		{Name: "send buffer", Verdict: model.No, Evidence: "keeps up"},
		{Name: "server", Verdict: model.No, Evidence: "gets 1.00 of sent"},
		{Name: "only the first frame", Verdict: model.Open, Evidence: "no pauses"},
	}
	w := model.Words{
		What: "The device sends all it makes, 27.4 KB/s; nothing is dropped.",
		Sum:  "Frames take 12 ms (P95 20). At RTT 4 ms the send buffer allows 1440 KB/s, fifty times what is needed.",
	}
	s.Headline = model.Headline{Badge: model.KeepsUp, Long: w, Short: w}
	return s
}

// Busy is a port that another program holds.
func Busy() *model.Snapshot {
	s := &model.Snapshot{NowUS: StartUS + 41_000_000, StartUS: StartUS, Version: 3}
	s.Port = model.Port{State: "failed", Name: "COM6", Reason: "busy",
		Error: "COM6 is held by idf.py monitor (python.exe, process 8124): press Ctrl+] there, or end that process."}
	s.Server = model.Server{State: "listening", URL: "ws://192.168.1.20:8765/audio?token=…"}
	w := model.Words{What: "Another program holds COM6, so linktop cannot read the device.", Sum: s.Port.Error,
		Do: "linktop looks again every second and starts by itself."}
	s.Headline = model.Headline{Badge: model.PortBusy, Long: w, Short: w}
	s.Ring.CapacityBytes = model.RingBytes
	return s
}

func base(port, device, scheme string, frameBytes int64) *model.Snapshot {
	s := &model.Snapshot{StartUS: StartUS, SinceUS: StartUS, Version: 1}
	s.Port = model.Port{State: "open", Name: port, Baud: model.Some(115200)}
	s.Device = model.Device{
		Name: device, Chip: "esp32s3", FW: "linktop-probe/1.0.0", IDF: "v5.5.3", ID: "aabbcc", Hello: model.HelloYes,
		Caps: []string{"frame", "burst", "pace", "agg", "codec", "url"}, RSSI: model.Some(-58), Heap: model.Some(143_000),
		LastBoot: &model.Boot{Reason: "power_on"}, LastBootUS: StartUS + 100_000, Boots: 1, WiFi: "got_ip",
	}
	s.Serial = model.SerialUse{Bytes: 40_000, PerSecond: model.Some(1600), Baud: model.Some(115200), LastUS: StartUS}
	s.Server = model.Server{State: "listening", URL: scheme + "://192.168.1.20:8765/audio?token=…"}
	s.Peer = model.PeerState{Peer: model.Peer{State: "open", ID: 1, Address: "192.168.1.40:50312", Scheme: scheme},
		Connections: 1, FirstBinaryDelayMS: model.Some(162), GapP95US: model.Some(334_000)}
	s.Recording = model.Recording{State: "on", Dir: "evidence/r3", Bytes: 1_100_000}
	s.Settings = model.Settings{Rev: model.Some(12), FrameBytes: model.Some(frameBytes), BurstFrames: model.Some(0),
		IdleMS: model.Some(0), PaceMS: model.Some(0), Agg: "off", Codec: "pcm16"}
	s.Toggles = map[string]model.Toggle{
		model.KeyFrame: {State: model.ToggleConfirmed, Asked: "4096", AskedUS: StartUS + 488_000, TookUS: model.Some(12_000)},
	}
	s.Ring.CapacityBytes = model.RingBytes
	s.Path.Tank = model.Tank{SndBufBytes: model.SndBuf, LowWaterBytes: model.LowWater(model.SndBuf), MSSBytes: model.MSS}
	return s
}

func frame(t [6]int64) model.TimedFrame {
	us := func(ms int64) model.Opt { return model.Some(ms * 1000) }
	return model.TimedFrame{HostUS: StartUS + t[0]*1000, DevUS: us(t[0]), Frame: model.Frame{
		Seq: model.Some(t[1]), Opcode: model.Some(model.OpBinary), PayloadBytes: model.Some(4096), HeaderBytes: model.Some(8),
		PollUS: us(t[2]), MaskUS: us(0), HeaderUS: us(t[3]), PayloadUS: us(t[4]), TotalUS: us(t[5]),
		Ret: model.Some(4096), Rev: model.Some(12),
	}}
}

// window has the quantiles of frames by nearest rank, and a bin a millisecond.
func window(frames []model.TimedFrame) model.Window {
	w := model.Window{SinceUS: StartUS, N: len(frames)}
	for part := range model.NumParts {
		var us []int64
		for i := range frames {
			if v := frames[i].PartUS(part); v.Known() {
				us = append(us, v.Value())
			}
		}
		if len(us) == 0 {
			continue
		}
		slices.Sort(us)
		at := func(percent int) model.Opt { return model.Some(us[(len(us)*percent+99)/100-1]) }
		q := model.Quantiles{N: len(us), P50: at(50), P95: at(95), P99: at(99), Max: at(100)}
		for _, v := range us {
			if n := len(q.Bins); n > 0 && q.Bins[n-1].LowUS == v {
				q.Bins[n-1].N++
			} else {
				q.Bins = append(q.Bins, model.Bin{LowUS: v, HighUS: v + 1000, N: 1})
			}
		}
		w.Parts[part] = q
	}
	return w
}

func opts(vs ...int64) []model.Opt {
	out := make([]model.Opt, len(vs))
	for i, v := range vs {
		out[i] = model.Some(v)
	}
	return out
}
