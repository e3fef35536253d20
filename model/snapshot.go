package model

// Snapshot is the state at one moment, as a value: whoever holds it may keep
// it. Slices in it are shared between holders and must not be changed.
type Snapshot struct {
	// NowUS is the host time it speaks of, µs since the Unix epoch.
	NowUS int64
	// StartUS is the host time of the first event, 0 before it.
	StartUS int64
	// Version grows with everything that could change the picture.
	Version uint64

	Device    Device
	Port      Port // State "" until a port was tried
	Serial    SerialUse
	Server    Server
	Peer      PeerState
	Recording Recording

	Settings Settings // in force, as far as the device said
	SinceUS  int64    // host time from which they are in force
	// Toggles by settings key (KeyFrame, …; burst stands for burst and idle).
	Toggles map[string]Toggle

	Frames  []TimedFrame // the newest, oldest first, at most SnapshotFrames
	Counts  Counts
	Last10  Window // the last 10 s, never across a change of settings
	Setting Window // since the last change of settings
	// BySetting pools all kept frames of equal settings, in order of first use.
	// It is what "all" means here: nothing is pooled across settings.
	BySetting []SettingWindow

	Rate     Rate
	Ring     Ring
	Path     Path
	Why      []Judgement // most telling first
	Headline Headline

	Marks []Mark    // the newest events worth a line, oldest first
	Log   []LogLine // the newest log lines, oldest first
}

// SnapshotFrames bounds Snapshot.Frames.
const SnapshotFrames = 512

// Device is what the device said of itself.
type Device struct {
	Name, Chip, FW, IDF, ID string
	Caps                    []string
	// Hello is 0 until asked, HelloYes once it answered, HelloNo when it did
	// not: then the firmware is read-only.
	Hello      HelloState
	RSSI       Opt // dBm
	Heap       Opt // bytes
	LastBoot   *Boot
	LastBootUS int64
	Boots      int64
	// WiFi is the last word on the device's Wi-Fi ("lost", "connected", …).
	WiFi string
}

// HelloState tells whether the firmware speaks linktop's protocol.
type HelloState int

const (
	HelloUnknown HelloState = iota
	HelloAsked
	HelloYes
	HelloNo
)

// Has tells whether the firmware can do what the cap names.
func (d *Device) Has(cap string) bool {
	for _, c := range d.Caps {
		if c == cap {
			return true
		}
	}
	return false
}

// SerialUse is how much of the serial line the device's output takes.
type SerialUse struct {
	Bytes     int64 // since start
	LostBytes int64 // not looked at, because a queue was full
	PerSecond Opt   // bytes/s, over the last seconds
	Baud      Opt
	// LastUS is the host time of the newest byte, 0 before the first.
	LastUS int64
}

// Share is bytes/s ÷ what the line carries at 8N1 (baud ÷ 10).
func (u SerialUse) Share() Ratio {
	if !u.PerSecond.Known() || u.Baud.Value() <= 0 {
		return Ratio{}
	}
	return Ratio{u.PerSecond.Value() * 10, u.Baud.Value()}
}

// PeerState is the device's connection to the server.
type PeerState struct {
	Peer
	SinceUS     int64
	Connections int64 // opened since start
	Refused     int64
	// FailedUpgrades the device told of in its log since it last connected.
	FailedUpgrades int64
	// FirstBinaryDelayMS: session_start received → first binary frame.
	FirstBinaryDelayMS Opt
	Frames, Bytes      int64 // received in this session
	GapP95US           Opt   // between arrivals, this setting
	Session            *SessionStart
}

// ToggleState is how far a change of settings got.
type ToggleState int

const (
	ToggleIdle      ToggleState = iota // nothing asked
	ToggleAsked                        // sent, not answered
	ToggleConfirmed                    // the device took it
	ToggleRefused                      // the device, or the lack of one, refused it
)

// Toggle is the last change asked of one setting.
type Toggle struct {
	State   ToggleState
	Asked   string // as asked: "4096", "4/1000", "off"
	AskedUS int64  // host time
	TookUS  Opt    // asked → answered
	Reason  string // why refused, in plain words
}

// TimedFrame is a frame and when it was told of.
type TimedFrame struct {
	HostUS int64
	DevUS  Opt
	Frame
}

// Counts are totals since start. Audio frames only, where not said otherwise.
type Counts struct {
	Frames   int64 // traced and sent whole
	Messages int64 // whole messages; fewer than Frames when a client cuts them into fragments
	Failed   int64 // sent in part or not at all
	Repaired int64
	Control  int64 // ping, pong, close, text writes traced
	Unseen   int64 // missing in seq: never traced, or trace lost
	Parents  int64
	Garbage  int64 // bytes that could not be read
	Torn     int64 // lines
	Overlong int64 // lines
	LogLines int64
	Faults   int64
	Losses   map[string]int64 // what linktop let go, by where
}

// Quantiles are of one part of the frames of a window, by nearest rank: the
// value at position ⌈q·N⌉ of the sorted samples. µs. Unknown when N is 0.
type Quantiles struct {
	N                  int
	P50, P95, P99, Max Opt
	// Bins are the non-empty bins of the samples, ascending.
	Bins []Bin
}

// Bin counts the samples v with LowUS ≤ v < HighUS.
type Bin struct {
	LowUS, HighUS int64
	N             int
}

// Window is the frames of a stretch of time under one condition.
type Window struct {
	SinceUS      int64
	N            int   // audio frames sent whole
	PayloadBytes int64 // of those
	MeanTotalUS  Opt   // for sums over a cycle of frames; percentiles do not add up
	Parts        [NumParts]Quantiles
}

// SettingWindow is a Window of all kept frames of one condition.
type SettingWindow struct {
	Settings Settings
	Window
	SentOfProduced Ratio // over whole reports under this condition
	DroppedBytes   Opt
}

// Rate is bytes per second over the last 10 s under the present settings, from
// byte counters. Unknown where nobody counts.
type Rate struct {
	Makes, Sends, Gets Opt // the device's producer, its frames, the server
	// BufferAllows is SND_BUF ÷ RTT, a ceiling.
	BufferAllows Opt
	// From counters over the stretch of whole reports under these settings.
	SentOfProduced, ReceivedOfSent Ratio
	// DroppedBytes over the same stretch; Reports is how many it has.
	DroppedBytes Opt
	Reports      int
	// Series: one value a report, newest last, Unknown where none.
	SendsSeries, MakesSeries []Opt
}

// Ring is the device's ring buffer between producer and WebSocket task.
type Ring struct {
	CapacityBytes int64 // 65536
	BacklogMS     Opt   // audio waiting, ms at 32 bytes/ms
	BacklogMaxMS  Opt   // under these settings
	Series        []Opt // BacklogMS a report, newest last
	DroppedBytes  Opt   // since session_start
	DropCount     Opt
	DropSinceUS   int64 // host time of the first drop, 0 without
	OverflowInMS  Opt   // at the present rates; unknown when it does not fill
}

// FullMS is the backlog of a full ring: 2048 ms for 64 KiB.
func (r Ring) FullMS() int64 { return r.CapacityBytes / PCMBytesPerMS }

// Path is what lies between device and server, seen from the device.
type Path struct {
	RTTUS Opt
	// RTTSource names how RTTUS was come by, best first: "device TCP", "poll
	// cycle".
	RTTSource string
	// IdleRTTUS is the least round trip the device's TCP told since it
	// connected, known once the connection was seen with less than a segment
	// in flight: what is above it is waiting in the path.
	IdleRTTUS Opt
	RTTSeries []Opt
	EchoUS    Opt // audio_sr → audio_rr: waits in the ring first, no path RTT
	PingUS    Opt // WebSocket ping of the server: waits in the device's tasks
	Tank      Tank
	Retrans   Opt // by time-out and fast, since connect
	Colo      string
	Proxied   bool
}

// Tank is the device's TCP send buffer, the last vessel before the path.
type Tank struct {
	SndBufBytes, LowWaterBytes, MSSBytes int64
	FreeBytes                            Opt  // after the newest frame
	Measured                             bool // told by the device; else estimated from sizes and waits
}

// Verdict is what the numbers say of a hypothesis.
type Verdict int

const (
	Open   Verdict = iota // not enough evidence
	No                    // rejected
	Partly                // partly supported
	Yes                   // supported
)

// String is the word used in files.
func (v Verdict) String() string {
	return [...]string{"not enough evidence", "rejected", "partly", "supported"}[v]
}

// Judgement is one hypothesis with its verdict and the numbers it rests on.
type Judgement struct {
	ID       string // "buffer_limited"
	Name     string // as the screen names it: "send buffer"
	Verdict  Verdict
	Evidence string // "poll 285 ≈ RTT 285"; with Name at most 38 columns
	// Numbers is the evidence in full, n included.
	Numbers string
	// Basis is "did" (measured), "would" (modelled) or "fits" (inferred).
	Basis string
	// Missing names the measurement that would settle it.
	Missing string
}

// Badge is the one-word answer.
type Badge string

const (
	KeepsUp  Badge = "KEEPS UP"
	Degraded Badge = "DEGRADED"
	Fail     Badge = "FAIL"
	Running  Badge = "RUNNING" // measuring, too early to tell
	PortBusy Badge = "PORT BUSY"
	NoDevice Badge = "NO DEVICE"
	NoServer Badge = "NO SERVER"
	Silent   Badge = "SILENT"
)

// Headline is the answer in plain words, in a long and a short form.
type Headline struct {
	Badge       Badge
	Long, Short Words
}

// Words of a headline: What. Sum Limit. → Do  More
type Words struct {
	What  string // "The device sends 51 % of what it makes: …"
	Sum   string // "Send buffer 5760 B / RTT 285 ms allows 20.2 KB/s; the device makes 27.4 KB/s:"
	Limit string // "buffer-limited", empty without a limit; stands after Sum, emphasised, before a full stop
	Do    string // "TCP_SND_BUF 11520 would keep up." Empty when there is nothing to do.
	More  string // a second way, quieter
}

// Mark is an event worth a line: a reset, Wi-Fi lost, a setting changed.
type Mark struct {
	HostUS int64
	// Asked: the user's own doing; else it happened.
	Asked bool
	Text  string
}

// LogLine is a kept line of the log of either side.
type LogLine struct {
	HostUS int64
	Side   string // "device" or "server"
	Level  string
	Tag    string
	Text   string
}
