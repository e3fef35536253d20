package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

// ErrNoDevice says that no device is connected to take a command.
var ErrNoDevice = errors.New("no device is connected to the metrics server")

// Send sends a command line (`lt #8 set frame=4096`) to the newest connection.
// It returns when the line is queued; whether it arrived, the device's answer
// tells.
func (s *Server) Send(ctx context.Context, line string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("sending a command to the device by WebSocket: %w", err)
	}
	c := s.newest()
	if c == nil {
		return fmt.Errorf("sending a command by WebSocket: %w; tell it the URL over its serial line, or wait for it", ErrNoDevice)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // small JSON parsers know no \u0026
	if err := enc.Encode(command{"lt", strings.TrimRight(line, "\r\n")}); err != nil {
		return fmt.Errorf("sending a command by WebSocket: %w", err)
	}
	if !c.queue(bytes.TrimRight(b.Bytes(), "\n")) {
		return fmt.Errorf("sending a command to %s by WebSocket: the device does not read what it is sent (%d messages wait)", c.peer.Address, cap(c.out))
	}
	return nil
}

// Connected tells whether a device is connected to take a command.
func (s *Server) Connected() bool { return s.newest() != nil }

// newest is the connection that steers, nil without one.
func (s *Server) newest() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *conn
	for id, c := range s.conns {
		if best == nil || id > best.id {
			best = c
		}
	}
	return best
}

// queue puts a message in line to be sent, if there is room.
func (c *conn) queue(b []byte) bool {
	select {
	case c.out <- b:
		return true
	default:
		return false
	}
}

// write sends what is queued and a ping now and then, until reading ended.
func (c *conn) write() {
	defer close(c.written)
	tick := time.NewTicker(c.s.limits.Ping)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-c.done:
			return
		case b := <-c.out:
			c.ws.SetWriteDeadline(time.Now().Add(c.s.limits.Write))
			err = c.ws.WriteMessage(websocket.TextMessage, b)
		case <-tick.C:
			err = c.ping()
		}
		if errors.Is(err, websocket.ErrCloseSent) {
			<-c.done // the reader waits for the device's answer
			return
		}
		if err != nil {
			c.unwritten(err)
			<-c.done
			return
		}
	}
}

// unwritten ends a connection that cannot be written to. Unless the device just
// does not read, the reader is about to learn the reason: a close frame may be
// waiting there.
func (c *conn) unwritten(err error) {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		c.fail(fmt.Sprintf("the device did not read what it was sent for %s", c.s.limits.Write))
		return
	}
	c.k.expire(closeGrace)
}

func (c *conn) ping() error {
	c.mu.Lock()
	c.pinged++
	n := c.pinged
	c.pings[n%uint64(len(c.pings))] = ping{n, c.s.cfg.Now()}
	c.mu.Unlock()
	return c.ws.WriteControl(websocket.PingMessage, strconv.AppendUint(nil, n, 10), time.Now().Add(c.s.limits.Write))
}

// pong tells the round trip of a ping. A pong that answers none says nothing.
func (c *conn) pong(data string) {
	n, err := strconv.ParseUint(data, 10, 64)
	if err != nil || n == 0 {
		return
	}
	at := c.s.cfg.Now()
	c.mu.Lock()
	slot := &c.pings[n%uint64(len(c.pings))]
	sent := *slot
	if sent.n == n {
		*slot = ping{}
	}
	c.mu.Unlock()
	if sent.n == n {
		c.s.emitAt(at, &model.Ping{Peer: c.id, RTTUS: max(0, at.Sub(sent.at).Microseconds())})
	}
}
