package server

import (
	"errors"
	"io"
	"sync"
	"time"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

// conn is one device's connection: a reader that counts and a writer that
// sends what waits in the queue.
type conn struct {
	s    *Server
	id   int64
	ws   *websocket.Conn
	k    *socket
	peer model.Peer

	out     chan []byte   // text messages to send
	done    chan struct{} // closed when reading ended
	written chan struct{} // closed when writing ended

	mu     sync.Mutex
	reason string // why the server ends it, first reason wins
	pings  [8]ping
	pinged uint64 // count of pings sent

	// Below: the reader's own.
	scratch []byte
	session session
}

// ping is one that was sent and not answered.
type ping struct {
	n  uint64
	at time.Time
}

// reserve takes a place for an upgrade, if one is free.
func (s *Server) reserve() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || len(s.conns)+s.reserved >= s.limits.Connections {
		return false
	}
	s.reserved++
	return true
}

func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved--
}

// accept makes a connection of an upgraded socket.
func (s *Server) accept(ws *websocket.Conn, k *socket, peer model.Peer) {
	c := &conn{
		s: s, ws: ws, k: k, peer: peer,
		out:  make(chan []byte, s.limits.Queue),
		done: make(chan struct{}), written: make(chan struct{}),
		scratch: make([]byte, max(32<<10, int(s.limits.TextBytes)+1)),
	}
	k.upgraded(s.limits.Idle)
	ws.SetReadLimit(s.limits.BinaryBytes)
	ws.SetPongHandler(func(data string) error { c.pong(data); return nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved--
	if s.closing {
		ws.Close()
		return
	}
	s.lastID++
	c.id = s.lastID
	c.peer.ID, c.session.bin.Peer = c.id, c.id
	s.conns[c.id] = c
	s.spawn("writing to "+peer.Address, c.write, func(err error) { c.fail(err.Error()) })
	s.spawn("reading from "+peer.Address, c.run, func(err error) { c.ended(err.Error()) })
}

// run reads until the connection ends, tells why and gives it up.
func (c *conn) run() {
	defer c.drop()
	open := c.peer
	open.State = "open"
	c.s.emit(&open)
	err := c.read()
	why, linger := c.ending(err)
	c.ended(why)
	close(c.done)
	if errors.Is(err, websocket.ErrReadLimit) || errors.Is(err, errTextTooBig) {
		// Sent already in most cases, and then not again.
		c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseMessageTooBig, ""), time.Now().Add(closeGrace))
	}
	if linger {
		c.k.linger(c.scratch)
	}
}

// drop closes the socket and waits for the writer.
func (c *conn) drop() {
	select {
	case <-c.done:
	default:
		close(c.done)
	}
	c.ws.Close()
	<-c.written
	c.s.mu.Lock()
	delete(c.s.conns, c.id)
	c.s.mu.Unlock()
}

// ended tells of the end, of the session's too where the device did not.
func (c *conn) ended(why string) {
	if c.session.started {
		c.session.started = false
		c.s.emit(&model.SessionEnd{Peer: c.id, Reason: why})
	}
	closed := c.peer
	closed.State, closed.Reason = "closed", why
	c.s.emit(&closed)
}

// fail ends the connection from this side, for a reason.
func (c *conn) fail(why string) {
	c.mu.Lock()
	if c.reason == "" {
		c.reason = why
	}
	c.mu.Unlock()
	c.ws.Close()
}

// shutdown tells the device why the server ends the connection and gives it
// closeGrace to answer.
func (c *conn) shutdown(code int, why string) {
	c.mu.Lock()
	if c.reason == "" {
		c.reason = why
	}
	c.mu.Unlock()
	c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, why), time.Now().Add(closeGrace))
	c.k.expire(closeGrace)
}

// read handles messages until one cannot be read.
func (c *conn) read() error {
	for {
		kind, r, err := c.ws.NextReader()
		if err != nil {
			return err
		}
		if kind == websocket.BinaryMessage {
			n, err := c.discard(r)
			if err != nil {
				return err
			}
			// The time of an arrival is when its last byte was read.
			at := c.s.cfg.Now()
			c.s.emitAt(at, c.session.binary(at, n))
			continue
		}
		text, err := c.text(r)
		if err != nil {
			return err
		}
		c.message(c.s.cfg.Now(), text)
	}
}

// discard counts a message's bytes and lets them go.
func (c *conn) discard(r io.Reader) (int64, error) {
	var total int64
	for {
		n, err := r.Read(c.scratch)
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

var errTextTooBig = errors.New("text message too big")

// text reads a text message whole; it is valid until the next read.
func (c *conn) text(r io.Reader) ([]byte, error) {
	buf := c.scratch[:c.s.limits.TextBytes+1]
	n, err := io.ReadFull(r, buf)
	switch err {
	case io.EOF, io.ErrUnexpectedEOF:
		return buf[:n], nil
	case nil:
		return nil, errTextTooBig
	default:
		return nil, err
	}
}
