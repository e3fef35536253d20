package model

import (
	"encoding/json"
	"maps"
	"slices"
)

// Log is one line of a device's log, cleaned: no control bytes, valid UTF-8.
// It is told for every line, also for lines that gave another event.
type Log struct {
	Level string `json:"level,omitempty"` // "E" "W" "I" "D" "V", empty where the line has none
	Tag   Text   `json:"tag,omitempty"`
	Text  Text   `json:"text,omitempty"`
	// Traced: the line gave a frame, parent, tcp, settings or answer event too.
	Traced bool `json:"traced,omitempty"`
}

// Boot is a reset of the device, told once for each.
type Boot struct {
	Reason string `json:"reason"`         // power_on software brownout panic watchdog usb deep_sleep external unknown
	Code   string `json:"code,omitempty"` // as the ROM printed it: "0x7 TG0WDT_SYS_RST"
	IDF    string `json:"idf,omitempty"`  // "v5.5.3"
}

// Panic is a crash of the firmware.
type Panic struct {
	Core      Opt      `json:"core,omitzero"`
	Cause     string   `json:"cause,omitempty"` // "LoadProhibited"
	PC        string   `json:"pc,omitempty"`    // "0x42011a2e"
	Backtrace []string `json:"backtrace,omitempty"`
}

// WiFi is a change of the device's radio link.
type WiFi struct {
	State   string `json:"state"`             // lost connected got_ip
	Reason  Opt    `json:"reason,omitzero"`   // IEEE 802.11 / ESP-IDF wifi_err_reason_t
	Meaning string `json:"meaning,omitempty"` // in plain words
}

// Fault is an error the device reported, in plain words.
type Fault struct {
	Area    string `json:"area"`           // websocket tls socket heap audio watchdog console
	Code    string `json:"code,omitempty"` // "-0x7200", "errno 113", "poll timeout"
	Meaning string `json:"meaning"`
	Detail  Text   `json:"detail,omitempty"` // lines that belong to it
}

// Damage is output that could not be read.
type Damage struct {
	What    string `json:"what"` // garbage torn lost overlong
	Bytes   Opt    `json:"bytes,omitzero"`
	SeqFrom Opt    `json:"seq_from,omitzero"` // frames unseen between two traced ones, inclusive
	SeqTo   Opt    `json:"seq_to,omitzero"`
}

// Command is a line the host sent to the device.
type Command struct {
	N       int64  `json:"n"`
	Line    string `json:"line"`              // "lt #8 set frame=4096"
	Via     string `json:"via"`               // "serial" or "ws"
	Attempt int    `json:"attempt,omitempty"` // 2 for the one retry
}

// Answer is the device's answer to a command, or the host's note that none came
// (code "timeout", "gone" when the channel closed).
type Answer struct {
	N      int64             `json:"n"`
	OK     bool              `json:"ok"`
	Code   string            `json:"code,omitempty"` // parse unknown range busy unsupported state checksum timeout gone
	TookUS Opt               `json:"took_us,omitzero"`
	Fields map[string]string `json:"fields,omitempty"` // the answer's key=value words
	Via    string            `json:"via,omitempty"`
}

// Port is a change of the serial port.
type Port struct {
	State  string `json:"state"` // open lost back failed
	Name   string `json:"name"`
	Reason string `json:"reason,omitempty"` // of a failure: busy missing forbidden other
	Error  string `json:"error,omitempty"`  // what failed and what to do next
	Baud   Opt    `json:"baud,omitzero"`
}

// Serial is the serial line's own accounts, told about once a second while
// bytes arrive. Counts are since start.
type Serial struct {
	Bytes     int64 `json:"bytes"`
	LostBytes int64 `json:"lost_bytes,omitempty"` // left out because a queue was full
	ReadOnly  bool  `json:"read_only,omitempty"`  // the firmware does not answer `hello`
	Baud      Opt   `json:"baud,omitzero"`
}

// Server is a change of linktop's own metrics server.
type Server struct {
	State       string `json:"state"`                 // listening failed stopped
	URL         string `json:"url,omitempty"`         // what a device is told, token masked
	Fingerprint string `json:"fingerprint,omitempty"` // SHA-256 of the certificate
	Error       string `json:"error,omitempty"`
}

// Peer is a connection to the metrics server: opened, turned away, ended.
type Peer struct {
	State   string `json:"state"`             // open refused closed
	ID      int64  `json:"id,omitempty"`      // the server's count of connections
	Address string `json:"address,omitempty"` // of the device, as far as it can be believed
	Scheme  string `json:"scheme,omitempty"`  // ws or wss, as the device dialled
	Proxy   string `json:"proxy,omitempty"`   // address of the trusted proxy in between
	Colo    string `json:"colo,omitempty"`    // Cloudflare's edge, "SJC"
	Reason  string `json:"reason,omitempty"`
	// Count is how many refusals it stands for, where it is more than one:
	// refusals are told at a bounded rate.
	Count int64 `json:"count,omitempty"`
}

// SessionStart is a device's first message. Peer, here and in the bodies that
// follow, is the ID of the connection it came over (Peer.ID).
type SessionStart struct {
	Peer       int64                      `json:"peer,omitempty"`
	Device     string                     `json:"device,omitempty"`
	FW         string                     `json:"fw,omitempty"`
	Format     string                     `json:"format,omitempty"`
	Rate       Opt                        `json:"rate,omitzero"` // samples per second
	Channels   Opt                        `json:"channels,omitzero"`
	FrameBytes Opt                        `json:"frame_bytes,omitzero"`
	Scheme     string                     `json:"scheme,omitempty"`
	Run        string                     `json:"run,omitempty"`
	Extra      map[string]json.RawMessage `json:"extra,omitempty"`
}

// SessionEnd is a device's last message, or the close of its connection.
type SessionEnd struct {
	Peer   int64                      `json:"peer,omitempty"`
	Reason string                     `json:"reason,omitempty"`
	Extra  map[string]json.RawMessage `json:"extra,omitempty"`
}

// SenderReport (`audio_sr`) is the device's accounts, sent once a second.
// Counts are since its session_start.
type SenderReport struct {
	Peer          int64 `json:"peer,omitempty"`
	Seq           Opt   `json:"seq,omitzero"`
	TMS           Opt   `json:"t_ms,omitzero"` // the device's clock
	ProducedBytes Opt   `json:"produced_bytes,omitzero"`
	SentBytes     Opt   `json:"sent_bytes,omitzero"`
	SentFrames    Opt   `json:"sent_frames,omitzero"`
	DroppedBytes  Opt   `json:"dropped_bytes,omitzero"`
	DropCount     Opt   `json:"drop_count,omitzero"`
	RingbufMS     Opt   `json:"ringbuf_ms,omitzero"`     // backlog now
	RingbufMaxMS  Opt   `json:"ringbuf_max_ms,omitzero"` // highest since the previous report
	RTTMS         Opt   `json:"rtt_ms,omitzero"`         // previous audio_sr → its audio_rr, on the device's clock
	RSSI          Opt   `json:"rssi,omitzero"`           // dBm
	Heap          Opt   `json:"heap,omitzero"`           // bytes free

	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// ReceiverReport (`audio_rr`) is the server's answer to a SenderReport.
type ReceiverReport struct {
	Peer           int64 `json:"peer,omitempty"`
	Seq            Opt   `json:"seq,omitzero"`  // echoed
	TMS            Opt   `json:"t_ms,omitzero"` // echoed
	ReceivedBytes  int64 `json:"received_bytes"`
	ReceivedFrames int64 `json:"received_frames"`
	ServerMS       int64 `json:"server_ms"` // the server's clock, ms since the Unix epoch
	// FirstBinaryDelayMS: session_start received → first binary frame received.
	FirstBinaryDelayMS Opt `json:"first_binary_delay_ms,omitzero"`
}

// Message is a text frame of a type linktop does not know, or no JSON at all.
type Message struct {
	Peer int64  `json:"peer,omitempty"`
	Type string `json:"type,omitempty"`
	Raw  Text   `json:"raw,omitempty"` // cleaned, cut at 1 KiB
}

// Binary is one audio frame as the server received it.
type Binary struct {
	Peer     int64 `json:"peer,omitempty"`
	N        int64 `json:"n"` // count in its session, from 1
	LenBytes int64 `json:"len_bytes"`
	GapUS    Opt   `json:"gap_us,omitzero"` // since the previous one
}

// Ping is a WebSocket ping of the server that was answered. Its round trip
// includes the wait in the device's tasks: it is no path RTT.
type Ping struct {
	Peer  int64 `json:"peer,omitempty"`
	RTTUS int64 `json:"rtt_us"`
}

// Loss is data linktop itself had to let go, counted so that it can be shown.
type Loss struct {
	Where string `json:"where"` // "events", "recorded bytes", "recorded events"
	Count int64  `json:"count"` // since start
}

// Recording is a change of the recorder.
type Recording struct {
	State string `json:"state"` // on failed off
	Dir   string `json:"dir,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
	Error string `json:"error,omitempty"`
}

func (*Log) Kind() string            { return "log" }
func (*Boot) Kind() string           { return "boot" }
func (*Panic) Kind() string          { return "panic" }
func (*WiFi) Kind() string           { return "wifi" }
func (*Fault) Kind() string          { return "fault" }
func (*Damage) Kind() string         { return "damage" }
func (*Command) Kind() string        { return "command" }
func (*Answer) Kind() string         { return "answer" }
func (*Port) Kind() string           { return "port" }
func (*Serial) Kind() string         { return "serial" }
func (*Server) Kind() string         { return "server" }
func (*Peer) Kind() string           { return "peer" }
func (*SessionStart) Kind() string   { return "session_start" }
func (*SessionEnd) Kind() string     { return "session_end" }
func (*SenderReport) Kind() string   { return "sender_report" }
func (*ReceiverReport) Kind() string { return "receiver_report" }
func (*Message) Kind() string        { return "text" }
func (*Binary) Kind() string         { return "binary" }
func (*Ping) Kind() string           { return "ping" }
func (*Loss) Kind() string           { return "loss" }
func (*Recording) Kind() string      { return "recording" }

func copied[T any](p *T) *T {
	c := *p
	return &c
}

func (l *Log) clone() Body {
	c := *l
	c.Tag, c.Text = l.Tag.clone(), l.Text.clone()
	return &c
}

func (f *Fault) clone() Body {
	c := *f
	c.Detail = f.Detail.clone()
	return &c
}

func (p *Panic) clone() Body {
	c := *p
	c.Backtrace = slices.Clone(p.Backtrace)
	return &c
}

func (a *Answer) clone() Body {
	c := *a
	c.Fields = maps.Clone(a.Fields)
	return &c
}

func (m *Message) clone() Body {
	c := *m
	c.Raw = m.Raw.clone()
	return &c
}

func (b *Boot) clone() Body           { return copied(b) }
func (w *WiFi) clone() Body           { return copied(w) }
func (d *Damage) clone() Body         { return copied(d) }
func (c *Command) clone() Body        { return copied(c) }
func (p *Port) clone() Body           { return copied(p) }
func (s *Serial) clone() Body         { return copied(s) }
func (s *Server) clone() Body         { return copied(s) }
func (p *Peer) clone() Body           { return copied(p) }
func (s *SessionStart) clone() Body   { return copied(s) }
func (s *SessionEnd) clone() Body     { return copied(s) }
func (r *SenderReport) clone() Body   { return copied(r) }
func (r *ReceiverReport) clone() Body { return copied(r) }
func (b *Binary) clone() Body         { return copied(b) }
func (p *Ping) clone() Body           { return copied(p) }
func (l *Loss) clone() Body           { return copied(l) }
func (r *Recording) clone() Body      { return copied(r) }
