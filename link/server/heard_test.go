package server

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

// patience is how long a test waits for what must happen: long, as it passes
// only when the test fails.
const patience = 20 * time.Second

// heard collects what a server tells.
type heard struct {
	t  *testing.T
	mu sync.Mutex
	es []model.Event
}

func (h *heard) sink(e model.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.es = append(h.es, e.Clone())
}

func (h *heard) all() []model.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]model.Event(nil), h.es...)
}

// bodies are the events of one kind so far.
func bodies[B model.Body](h *heard) (out []B) {
	for _, e := range h.all() {
		if b, ok := e.Body.(B); ok {
			out = append(out, b)
		}
	}
	return out
}

// await waits until n events of a kind fit and gives the newest.
func await[B model.Body](h *heard, n int, fits func(B) bool) B {
	h.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		var found []B
		for _, b := range bodies[B](h) {
			if fits == nil || fits(b) {
				found = append(found, b)
			}
		}
		if len(found) >= n {
			return found[len(found)-1]
		}
	}
	var told []string
	for _, e := range h.all() {
		b, _ := e.AppendJSON(nil)
		told = append(told, string(b))
	}
	var none B
	h.t.Fatalf("waited in vain for %d %T; told:\n%s", n, none, strings.Join(told, "\n"))
	return none
}

func peerIs(state string) func(*model.Peer) bool {
	return func(p *model.Peer) bool { return p.State == state }
}

// start serves on a free loopback port until the test ends.
func start(t *testing.T, cfg Config) (*Server, *heard) {
	t.Helper()
	h := &heard{t: t}
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	if cfg.Sink == nil {
		cfg.Sink = h.sink
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, h
}

func dial(t *testing.T, url string, header http.Header) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial(url, header)
	if err != nil {
		t.Fatalf("dialling %s: %v", url, err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

func say(t *testing.T, ws *websocket.Conn, text string) {
	t.Helper()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, ws *websocket.Conn) string {
	t.Helper()
	ws.SetReadDeadline(time.Now().Add(patience))
	_, b, err := ws.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// dialRaw opens a plain TCP connection to the server.
func dialRaw(t *testing.T, s *Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// clock is a time that passes when told to.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Unix(1_790_000_000, 0)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}
