package virtual

import (
	"context"
	"encoding/binary"
	"time"
)

const (
	// pollTimeout is the write time-out that firmware gives esp_transport_write.
	pollTimeout = 5 * time.Second
	finBit      = 0x80
	maskBit     = 0x80
)

// outcome of one attempt to send a message.
type outcome int

const (
	sent   outcome = iota
	putOff         // a setting changed while it waited in poll: nothing was sent
	broken         // the connection is of no more use
)

// send writes one message as ESP-IDF's _ws_write does: poll the parent, build
// the header, draw a mask, mask the payload in place, write header and payload
// apart, unmask. payload is as it was afterwards. With waits, the poll is given
// up when wait ends.
func (c *connection) send(wait context.Context, opcode byte, payload []byte, afterIdle bool) outcome {
	began := time.Now()
	ready, err := c.parent.Poll(wait, pollTimeout)
	if err != nil && wait.Err() != nil && c.life.Err() == nil {
		return putOff
	}
	c.seq++
	w := write{seq: c.seq, opcode: opcode, n: len(payload), afterIdle: afterIdle, poll: time.Since(began)}
	defer func() {
		w.total = time.Since(began)
		c.fw.traceWrite(&w)
		c.tellTCP(w.seq)
	}()
	if err != nil || !ready {
		if w.ret = 0; err != nil {
			w.ret = -1
			c.fw.log('E', "transport_base", "poll_write select error %d, errno = %s, fd = 54", errno(err), reason(err))
		}
		c.fw.log('E', "transport_ws", "Error transport_poll_write(%d)", w.ret)
		return broken
	}

	header, mask := c.header(opcode, len(payload))
	w.header = len(header)
	at := time.Now()
	xor(payload, mask)
	c.busy(maskCost(len(payload)))
	w.mask = time.Since(at)

	at = time.Now()
	n, err := c.parentWrite(header)
	w.head = time.Since(at)
	if err != nil || n < len(header) {
		w.ret = -1
		c.fw.log('E', "transport_ws", "Error write header")
		return broken
	}
	if len(payload) == 0 {
		return sent
	}
	at = time.Now()
	w.ret, err = c.parentWrite(payload)
	w.payload = time.Since(at)
	xor(payload, mask)
	c.busy(maskCost(len(payload)))
	if err != nil {
		c.fw.log('E', "websocket_client", "esp_transport_write() returned %d, transport_error=ESP_OK, tls_error_code=0, "+
			"tls_flags=0, errno=%d", w.ret, errno(err))
		if w.ret == 0 {
			w.ret = -1
		}
		return broken
	}
	return sent
}

// control answers a ping or a close: ESP-IDF does so inside, without the outer
// call that is traced.
func (c *connection) control(wait context.Context, opcode byte, payload []byte) outcome {
	if ready, err := c.parent.Poll(wait, pollTimeout); err != nil || !ready {
		if wait.Err() != nil && c.life.Err() == nil {
			return putOff
		}
		return broken
	}
	header, mask := c.header(opcode, len(payload))
	xor(payload, mask)
	for _, part := range [][]byte{header, payload} {
		if len(part) == 0 {
			continue
		}
		if _, err := c.parentWrite(part); err != nil {
			return broken
		}
	}
	return sent
}

// header is that of an unfragmented, masked frame: 6, 8 or 14 bytes.
func (c *connection) header(opcode byte, n int) (header []byte, mask [4]byte) {
	c.fw.mu.Lock()
	binary.LittleEndian.PutUint32(mask[:], c.fw.rng.Uint32())
	c.fw.mu.Unlock()
	h := append(c.head[:0], finBit|opcode)
	switch {
	case n < 126:
		h = append(h, maskBit|byte(n))
	case n < 1<<16:
		h = binary.BigEndian.AppendUint16(append(h, maskBit|126), uint16(n))
	default:
		h = binary.BigEndian.AppendUint64(append(h, maskBit|127), uint64(n))
	}
	return append(h, mask[:]...), mask
}

// parentWrite is one traced write below the WebSocket.
func (c *connection) parentWrite(p []byte) (int, error) {
	c.parentSeq++
	began := time.Now()
	c.busy(writeCost(len(p)))
	n, err := c.parent.Write(c.life, p)
	took := time.Since(began)
	ret := n
	if err != nil && n == 0 {
		ret = -1
	}
	c.fw.traceParent(&parentWrite{
		seq: c.parentSeq, kind: c.kind, n: len(p), ret: ret, errno: errno(err), write: took, total: took,
	})
	return n, err
}

// tellTCP prints the connection's state, at most ten times a second.
func (c *connection) tellTCP(seq int64) {
	if now := time.Now(); now.Sub(c.told) >= 100*time.Millisecond {
		c.told = now
		c.fw.traceTCP(seq, c.parent.TCP())
	}
}

// busy is time the chip's core needs.
func (c *connection) busy(d time.Duration) {
	if !c.fw.opts.FreeCPU {
		// An end of the connection shows in what follows.
		_ = pause(c.life, d)
	}
}

// writeCost is what an ESP32-S3 takes to encrypt and copy a write, and maskCost
// to mask a payload once, as measured on real ones.
func writeCost(n int) time.Duration {
	return 2*time.Millisecond + time.Duration(n)*1900*time.Microsecond/1024
}

func maskCost(n int) time.Duration { return time.Duration(n) * 100 * time.Nanosecond }

func xor(p []byte, mask [4]byte) {
	for i := range p {
		p[i] ^= mask[i&3]
	}
}
