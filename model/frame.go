package model

// WebSocket opcodes (RFC 6455, 5.2). ESP-IDF may add the FIN bit, 0x80.
const (
	OpContinuation = 0x0
	OpText         = 0x1
	OpBinary       = 0x2
	OpClose        = 0x8
	OpPing         = 0x9
	OpPong         = 0xA
)

// Frame is one WebSocket write of the device, with the time each step took in
// the order in which it passes: poll, header, mask, payload. All times are µs.
type Frame struct {
	Seq          Opt `json:"seq,omitzero"`           // the firmware's count of writes
	Opcode       Opt `json:"opcode,omitzero"`        // as traced, FIN bit included where the firmware gives it
	PayloadBytes Opt `json:"payload_bytes,omitzero"` // asked to be sent
	HeaderBytes  Opt `json:"header_bytes,omitzero"`  // 8 for 126–65535 bytes of payload
	PollUS       Opt `json:"poll_us,omitzero"`       // waiting for the parent transport to be writable
	MaskUS       Opt `json:"mask_us,omitzero"`       // XOR of the payload
	HeaderUS     Opt `json:"header_us,omitzero"`     // parent write of the header
	PayloadUS    Opt `json:"payload_us,omitzero"`    // parent write of the payload
	TotalUS      Opt `json:"total_us,omitzero"`      // the whole write
	Ret          Opt `json:"ret,omitzero"`           // bytes sent; less than PayloadBytes is a broken stream, ≤ 0 a failed frame
	Rev          Opt `json:"rev,omitzero"`           // revision of the settings in force
	// Repaired: the line was torn and put together again.
	Repaired bool `json:"repaired,omitempty"`
	// AfterIdle: marked by the firmware as the first frame after an idle pause.
	AfterIdle bool `json:"after_idle,omitempty"`
	// Extra is what the line said beyond the known keys, as `key=value` words.
	Extra Text `json:"extra,omitempty"`
}

func (*Frame) Kind() string { return "frame" }

func (f *Frame) clone() Body {
	c := *f
	c.Extra = f.Extra.clone()
	return &c
}

// Audio tells whether the write carries a data message (binary, or a
// continuation of one); a short-form line that names no opcode does.
func (f *Frame) Audio() bool {
	if !f.Opcode.Known() {
		return true
	}
	op := f.Opcode.Value() & 0x0f
	return op == OpBinary || op == OpContinuation
}

// Failed tells whether nothing of the frame, or only a part, was sent: a frame
// that belongs in no percentile of sent frames.
func (f *Frame) Failed() bool {
	if !f.Ret.Known() {
		return false
	}
	ret := f.Ret.Value()
	return ret < 0 || ret < f.PayloadBytes.Or(1)
}

// SentBytes is what the frame added to the stream: ret where it is known, else
// the payload size; 0 for a failed frame.
func (f *Frame) SentBytes() int64 {
	if f.Ret.Known() {
		return max(0, f.Ret.Value())
	}
	return f.PayloadBytes.Value()
}

// OtherUS is what the total has beyond the known parts (ESP-IDF's second,
// un-timed unmasking pass among it). Unknown when the total is, or when neither
// poll nor payload write is known; never below 0, which rounding to
// milliseconds can produce.
func (f *Frame) OtherUS() Opt {
	if !f.TotalUS.Known() || !f.PollUS.Known() && !f.PayloadUS.Known() {
		return 0
	}
	rest := f.TotalUS.Value() - f.PollUS.Value() - f.MaskUS.Value() - f.HeaderUS.Value() - f.PayloadUS.Value()
	return Some(max(0, rest))
}

// FramingUS is mask and header write together; unknown when neither is known.
func (f *Frame) FramingUS() Opt {
	if !f.MaskUS.Known() && !f.HeaderUS.Known() {
		return 0
	}
	return Some(f.MaskUS.Value() + f.HeaderUS.Value())
}

// Part is one share of a frame's time.
type Part int

// The parts in the order in which bars draw them, PartTotal first.
const (
	PartTotal Part = iota
	PartPoll
	PartMask
	PartHeader
	PartPayload
	PartOther
	// PartFraming is mask and header together, as bars and tables show them.
	PartFraming
	NumParts
)

func (p Part) String() string {
	return [...]string{"total", "poll", "mask", "header", "write", "other", "mask+header"}[p]
}

// PartUS is the time of one part, in µs.
func (f *Frame) PartUS(p Part) Opt {
	switch p {
	case PartTotal:
		return f.TotalUS
	case PartPoll:
		return f.PollUS
	case PartMask:
		return f.MaskUS
	case PartHeader:
		return f.HeaderUS
	case PartPayload:
		return f.PayloadUS
	case PartFraming:
		return f.FramingUS()
	default:
		return f.OtherUS()
	}
}

// Parent is one write to the parent transport (TCP or TLS) below a frame; a
// frame makes two, header and payload. Times are µs.
type Parent struct {
	Seq       Opt    `json:"seq,omitzero"`
	Transport string `json:"transport,omitempty"` // "ssl" or "tcp"
	LenBytes  Opt    `json:"len_bytes,omitzero"`
	PollUS    Opt    `json:"poll_us,omitzero"`
	WriteUS   Opt    `json:"write_us,omitzero"`
	TotalUS   Opt    `json:"total_us,omitzero"`
	Ret       Opt    `json:"ret,omitzero"`
	Errno     Opt    `json:"errno,omitzero"`
	Extra     Text   `json:"extra,omitempty"`
}

func (*Parent) Kind() string { return "parent" }

func (p *Parent) clone() Body {
	c := *p
	c.Extra = p.Extra.clone()
	return &c
}

// TCP is one sample of a TCP connection's state, from the device (`LT t`) or
// from the server's own kernel. Behind a proxy the server's side describes the
// stretch edge → server and proves nothing about the device.
type TCP struct {
	Side          string `json:"side"` // "device" or "server"
	Seq           Opt    `json:"seq,omitzero"`
	FreeBytes     Opt    `json:"free_bytes,omitzero"` // free in the send buffer
	QueueSegments Opt    `json:"queue_segments,omitzero"`
	FlyBytes      Opt    `json:"fly_bytes,omitzero"` // sent, not acknowledged
	CwndBytes     Opt    `json:"cwnd_bytes,omitzero"`
	SsthreshBytes Opt    `json:"ssthresh_bytes,omitzero"`
	WndBytes      Opt    `json:"wnd_bytes,omitzero"` // the peer's receive window
	RTTUS         Opt    `json:"rtt_us,omitzero"`
	RTOCount      Opt    `json:"rto_count,omitzero"`  // retransmissions by time-out, since connect
	FastCount     Opt    `json:"fast_count,omitzero"` // fast retransmissions, since connect
	Extra         Text   `json:"extra,omitempty"`
}

func (*TCP) Kind() string { return "tcp" }

func (t *TCP) clone() Body {
	c := *t
	c.Extra = t.Extra.clone()
	return &c
}
