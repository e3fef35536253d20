package server

import "time"

// Limits bound what one client, or many, can take of the server. A zero field
// means its default.
type Limits struct {
	HeaderBytes     int64         // of a request's header: 8 KiB
	BinaryBytes     int64         // of one binary message: 1 MiB
	TextBytes       int64         // of one text message: 64 KiB
	Handshake       time.Duration // TLS handshake, and then the request's header: 5 s each
	Idle            time.Duration // without a byte from the device: 30 s
	Write           time.Duration // for one write to the device: 5 s
	Ping            time.Duration // between two pings; below Idle, so that a quiet device stays: 5 s
	Connections     int           // WebSocket connections: 16
	HalfOpen        int           // connections that have not upgraded yet: 64
	HalfOpenAddress int           // of those, from one address (IPv6: one /64): 8
	Queue           int           // messages waiting to be sent to one device: 64
}

const (
	// readBuffer is the read buffer of one connection: 16 frames of 4096 bytes
	// in one system call.
	readBuffer = 64 << 10
	// writeBuffer holds what the server says: reports and command lines.
	writeBuffer = 1 << 10
	// closeGrace is how long a peer has to take a close frame and answer it.
	closeGrace = time.Second
	// refusalsPerSecond bounds the refused events; the rest are counted.
	refusalsPerSecond = 5
	// rawBytes is how much of a message linktop does not know is kept.
	rawBytes = 1 << 10
	// wordBytes is the longest string value taken from a device's message.
	wordBytes = 256
	// httpSlop is what net/http reads beyond MaxHeaderBytes before it gives up.
	httpSlop = 4 << 10
)

func (l Limits) withDefaults() Limits {
	or(&l.HeaderBytes, 8<<10)
	or(&l.BinaryBytes, 1<<20)
	or(&l.TextBytes, 64<<10)
	or(&l.Handshake, 5*time.Second)
	or(&l.Idle, 30*time.Second)
	or(&l.Write, 5*time.Second)
	or(&l.Ping, 5*time.Second)
	or(&l.Connections, 16)
	or(&l.HalfOpen, 64)
	or(&l.HalfOpenAddress, 8)
	or(&l.Queue, 64)
	return l
}

func or[T ~int | ~int64](p *T, def T) {
	if *p <= 0 {
		*p = def
	}
}

// httpHeaderBytes is the http.Server.MaxHeaderBytes that makes HeaderBytes the
// true limit.
func (l Limits) httpHeaderBytes() int { return int(max(1, l.HeaderBytes-httpSlop)) }
