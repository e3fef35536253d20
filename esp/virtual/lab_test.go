package virtual

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// pipeNet is a network of net.Pipes: it works in a synctest bubble, where time
// is simulated and a minute takes no time.
type pipeNet struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeNet() *pipeNet { return &pipeNet{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipeNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, &net.OpError{Op: "dial", Err: fmt.Errorf("connection refused")}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipeNet) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipeNet) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipeNet) Addr() net.Addr { return noAddr{} }

// sink is a metrics server that counts.
type sink struct {
	t *testing.T

	stall chan struct{} // while it is not closed, the sink reads nothing more; nil = reads

	mu sync.Mutex
	ws *websocket.Conn
	tally
}

// tally is what a sink has seen.
type tally struct {
	conns         int
	frames, bytes int64 // of this session
	total         int64 // binary frames of all sessions
	texts         []map[string]any
	uneven        []string // reports that did not agree
	query         string
}

func (s *sink) seen() tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tally
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer ws.Close()
	s.mu.Lock()
	s.ws, s.query = ws, r.URL.RawQuery
	s.conns++
	s.mu.Unlock()
	for {
		s.mu.Lock()
		stall := s.stall
		s.mu.Unlock()
		if stall != nil {
			<-stall
		}
		kind, data, err := ws.ReadMessage()
		if err != nil {
			return
		}
		s.mu.Lock()
		if kind == websocket.BinaryMessage {
			s.frames++
			s.total++
			s.bytes += int64(len(data))
		} else {
			s.text(data)
		}
		s.mu.Unlock()
	}
}

func (s *sink) text(data []byte) {
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		s.t.Errorf("device sent no JSON: %q", data)
		return
	}
	s.texts = append(s.texts, m)
	switch m["type"] {
	case "session_start":
		s.frames, s.bytes = 0, 0
	case "audio_sr":
		if int64(m["sent_bytes"].(float64)) != s.bytes || int64(m["sent_frames"].(float64)) != s.frames {
			s.uneven = append(s.uneven, fmt.Sprintf("%s, received %d bytes in %d frames", data, s.bytes, s.frames))
		}
		s.ws.WriteJSON(map[string]any{"type": "audio_rr", "seq": m["seq"], "t_ms": m["t_ms"], "received_bytes": s.bytes})
	}
}

// last is the newest text of a type, nil without.
func (s *sink) last(kind string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range slices.Backward(s.texts) {
		if m["type"] == kind {
			return m
		}
	}
	return nil
}

func (s *sink) count(kind string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.texts {
		if m["type"] == kind {
			n++
		}
	}
	return n
}

func (s *sink) say(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ws.WriteJSON(v); err != nil {
		s.t.Errorf("server: %v", err)
	}
}

// lab is a device, its console's reader and a server, on a simulated clock.
type lab struct {
	t       *testing.T
	dev     *Device
	console Console
	server  *sink
	next    int

	mu    sync.Mutex
	lines []string
	gone  bool
	stop  context.CancelFunc
}

const labURL = "ws://lab/audio?token=abc"

// newLab starts all three; call it in a synctest bubble, and close it there.
func newLab(t *testing.T, o Options) *lab {
	n := newPipeNet()
	if o.RTT == 0 {
		o.RTT = DefaultRTT
	}
	o.Dial = Path{Drain: o.Drain, RTT: o.RTT, Seed: o.Seed, Net: n.dial}.Dial
	l := &lab{t: t, dev: New(o), server: &sink{t: t}}
	l.open()
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{Handler: l.server}
	var all sync.WaitGroup
	all.Go(func() { server.Serve(n) })
	all.Go(func() { l.dev.Run(ctx) })
	l.stop = func() {
		cancel()
		server.Close()
		n.Close()
		l.server.mu.Lock()
		if l.server.ws != nil {
			l.server.ws.Close()
		}
		l.server.mu.Unlock()
		all.Wait()
		time.Sleep(2 * lingerTime)
	}
	return l
}

func (l *lab) open() {
	c, err := l.dev.OpenConsole()
	if err != nil {
		l.t.Fatal(err)
	}
	l.console = c
	l.gone = false
	go l.read(c)
}

func (l *lab) read(c io.Reader) {
	var r lineReader
	p := make([]byte, 4096)
	for {
		n, err := c.Read(p)
		l.mu.Lock()
		r.feed(p[:n], func(line string) { l.lines = append(l.lines, line) })
		l.gone = err != nil
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// printed is all lines so far that begin with prefix.
func (l *lab) printed(prefix string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.HasPrefix(line, prefix) {
			found = append(found, line)
		}
	}
	return found
}

func (l *lab) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = nil
}

// fromLast forgets all lines before the newest one with prefix.
func (l *lab) fromLast(prefix string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, line := range slices.Backward(l.lines) {
		if strings.HasPrefix(line, prefix) {
			l.lines = l.lines[i:]
			return
		}
	}
}

// ask gives a command its number and returns the answer's words after `LT #n `.
func (l *lab) ask(words string) string {
	l.t.Helper()
	l.next++
	return l.line(fmt.Sprintf("lt #%d %s", l.next, words), fmt.Sprintf("LT #%d ", l.next))
}

// line types a line and returns what follows prefix in the answer.
func (l *lab) line(line, prefix string) string {
	l.t.Helper()
	before := len(l.printed(prefix))
	io.WriteString(l.console, line+"\r")
	time.Sleep(20 * time.Millisecond)
	got := l.printed(prefix)
	if len(got) != before+1 {
		l.t.Fatalf("%q: %d answers within 20 ms, want 1", line, len(got)-before)
	}
	return strings.TrimPrefix(got[before], prefix)
}

// start tells the device its server, with settings, and waits for the session.
func (l *lab) start(set string) {
	l.t.Helper()
	time.Sleep(500 * time.Millisecond)
	if set != "" {
		if got := l.ask("set " + set); !strings.HasPrefix(got, "ok ") {
			l.t.Fatalf("set %s: %s", set, got)
		}
	}
	if got := l.ask("url " + labURL); !strings.HasPrefix(got, "ok ") {
		l.t.Fatalf("url: %s", got)
	}
}

// frame is a traced write: the words of an `LT w` line.
type frame map[string]int64

func (l *lab) frames() (all []frame) {
	for _, line := range l.printed("LT w ") {
		f := frame{}
		for w := range strings.FieldsSeq(line[5:]) {
			key, value, _ := strings.Cut(w, "=")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				l.t.Fatalf("bad trace line %q", line)
			}
			f[key] = n
		}
		if f["o"] == 2 {
			all = append(all, f)
		}
	}
	return all
}

// percentile by nearest rank, in ms.
func percentile(frames []frame, key string, q float64) float64 {
	var v []int64
	for _, f := range frames {
		v = append(v, f[key])
	}
	if len(v) == 0 {
		return -1
	}
	slices.Sort(v)
	return float64(v[max(0, int(q*float64(len(v))+0.999999)-1)]) / 1000
}
