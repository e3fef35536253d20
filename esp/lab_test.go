package esp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dev.local/linktop/model"
)

// board is a device of paper on a console: it prints what a test says, and
// hands what it is told to hear.
type board struct {
	mu      sync.Mutex
	hear    func(line string) (answer string) // nil: deaf and dumb
	lines   []string
	closed  int
	prints  chan []byte
	gone    chan struct{}
	resets  int
	stalls  bool
	hangs   bool // Read does not end by Close
	unplugs sync.Once
}

func newBoard(hear func(line string) string) *board {
	return &board{hear: hear, prints: make(chan []byte, 1000), gone: make(chan struct{})}
}

// probe answers as a firmware that speaks the protocol.
func probe(line string) string {
	n := numberOf(line)
	if strings.HasSuffix(line, " hello") {
		return fmt.Sprintf("LT #%d ok proto=1 fw=probe/1 caps=frame,burst\r\n", n)
	}
	return fmt.Sprintf("LT #%d ok rev=2 frame=4096\r\n", n)
}

func mute(string) string { return "" }

// repl answers as a console that knows no command lt.
func repl(line string) string { return line + "\r\nUnrecognized command\r\nesp> " }

func (b *board) print(s string) { b.prints <- []byte(s) }

func (b *board) unplug() { b.unplugs.Do(func() { close(b.gone) }) }

func (b *board) Read(p []byte) (int, error) {
	select {
	case s := <-b.prints:
		return copy(p, s), nil
	default:
	}
	select {
	case s := <-b.prints:
		return copy(p, s), nil
	case <-b.gone:
		return 0, io.ErrUnexpectedEOF
	}
}

func (b *board) Write(p []byte) (int, error) {
	if b.stalls {
		b.unplug()
		return 0, fmt.Errorf("writing: %w", ErrStalled)
	}
	line, ok := bytes.CutSuffix(p, []byte("\r"))
	if !ok || bytes.ContainsAny(line, "\r\n") || len(line) > MaxLine {
		return 0, fmt.Errorf("not a line with a lone CR: %q", p)
	}
	b.mu.Lock()
	b.lines = append(b.lines, string(line))
	hear := b.hear
	b.mu.Unlock()
	if hear != nil {
		if answer := hear(string(line)); answer != "" {
			b.print(answer)
		}
	}
	return len(p), nil
}

func (b *board) Close() error {
	b.mu.Lock()
	b.closed++
	b.mu.Unlock()
	if !b.hangs {
		b.unplug()
	}
	return nil
}

func (b *board) Reset() error { b.resets++; return nil }

func (b *board) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.lines...)
}

// socket is a Source whose boards and errors a test plugs in.
type socket struct {
	mu    sync.Mutex
	board *board
	err   error
	tries int
}

type reasoned struct{ reason, text string }

func (e reasoned) Error() string  { return e.text }
func (e reasoned) Reason() string { return e.reason }

func (s *socket) Name() string { return "COM6" }
func (s *socket) Baud() int    { return 115200 }

func (s *socket) Open(context.Context) (Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	if s.err != nil {
		return nil, s.err
	}
	return s.board, nil
}

func (s *socket) plug(b *board, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.board, s.err = b, err
}

// room is a Console at work in a synctest bubble.
type room struct {
	*Console
	t      *testing.T
	socket *socket
	end    func() // ends Run and waits for it
	err    error  // of Run

	mu     sync.Mutex
	events []model.Event
	raw    []byte
	bytes  int64 // of the newest accounts that told saw
	inSink atomic.Int32
}

func newRoom(t *testing.T, b *board) *room {
	r := &room{t: t, socket: &socket{board: b}}
	r.Console = NewConsole(Config{
		Source: r.socket,
		Sink: func(batch []model.Event) {
			if r.inSink.Add(1) != 1 {
				t.Error("two calls of Sink at once")
			}
			defer r.inSink.Add(-1)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, batch...)
		},
		Raw: func(_ int64, p []byte) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.raw = append(r.raw, p...)
		},
	})
	return r
}

func (r *room) run() *room {
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.err = r.Run(ctx) }()
	r.end = func() { cancel(); <-done }
	synctest.Wait()
	return r
}

// after lets time pass.
func (r *room) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// told is the events since the last call, in short, without log lines.
func (r *room) told() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s []string
	for _, e := range r.events {
		switch b := e.Body.(type) {
		case *model.Port:
			s = append(s, strings.TrimSpace("port "+b.State+" "+b.Reason))
		case *model.Serial:
			word := "serial"
			if b.ReadOnly {
				word = "read-only"
			}
			s = append(s, word)
			r.bytes = b.Bytes
		case *model.Command:
			s = append(s, strings.Fields(b.Line)[2])
		case *model.Answer:
			word := "ok"
			if !b.OK {
				word = b.Code
			}
			s = append(s, word)
		case *model.Boot:
			s = append(s, "boot")
		}
	}
	r.events = nil
	return strings.Join(s, ", ")
}

// logs is the lines told since the last call.
func (r *room) logs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s []string
	for _, e := range r.events {
		if l, ok := e.Body.(*model.Log); ok {
			s = append(s, string(l.Text))
		}
	}
	r.events = nil
	return s
}

var errAny = errors.New("something else")
