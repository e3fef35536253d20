package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dev.local/linktop/esp"
	"dev.local/linktop/model"
)

// Point tells when a device is sent this server's URL.
type Point int

const (
	// PointAuto sends it to a device that says it has no server.
	PointAuto Point = iota
	// PointHere sends it to every device that answers hello.
	PointHere
	// PointNever leaves the device's URL alone.
	PointNever
)

// ParsePoint reads "auto", "here" or "never".
func ParsePoint(word string) (Point, error) {
	for i, w := range [...]string{"auto", "here", "never"} {
		if w == word {
			return Point(i), nil
		}
	}
	return 0, fmt.Errorf("--point takes auto, here or never, not %q", word)
}

// steer sends commands over the channel that reaches the device: its console
// where the firmware answers there, else its WebSocket.
type steer struct {
	s       *Session
	ws      *esp.Commander
	hello   atomic.Bool // the firmware answered on its console
	refused atomic.Bool // it did not
	mu      sync.Mutex
	unsent  int64 // numbers of commands that no channel took, counting down
}

func newSteer(s *Session) *steer {
	st := &steer{s: s}
	if s.server != nil {
		st.ws = esp.NewCommander("ws", s.server.Send, func(e model.Event) { s.push([]model.Event{e}) }, s.now)
	}
	return st
}

// observe follows what the console says of the firmware.
func (st *steer) observe(e *model.Event) {
	switch b := e.Body.(type) {
	case *model.Answer:
		// An answer that nobody asked for has no time it took.
		if b.OK && b.TookUS.Known() && b.Fields["proto"] != "" {
			st.refused.Store(false)
			st.hello.Store(true)
			st.s.spawn("pointing the device at the server", func() { st.point(b.Fields["caps"]) })
		}
	case *model.Serial:
		st.refused.Store(b.ReadOnly)
	case *model.Boot, *model.Port:
		st.hello.Store(false)
	}
}

func (st *steer) observeServer(e *model.Event) {
	if st.ws != nil {
		st.ws.Observe(e)
	}
}

// do sends one command and waits for its end.
func (st *steer) do(ctx context.Context, words string) (model.Answer, error) {
	switch {
	case st.hello.Load():
		return st.s.console.Do(ctx, words)
	case st.ws != nil && st.s.server.Connected():
		return st.ws.Do(ctx, words)
	}
	return model.Answer{}, st.refuse(words)
}

var errReadOnly = errors.New("the firmware does not answer hello: it is read-only")

// refuse tells of a command that no channel can carry, so that the screen shows
// it as refused.
func (st *steer) refuse(words string) error {
	st.mu.Lock()
	st.unsent--
	n := st.unsent
	st.mu.Unlock()
	code, err := "gone", errors.New("no device is reached: neither its serial port nor its WebSocket is open")
	if st.refused.Load() {
		code, err = "readonly", errReadOnly
	}
	st.s.emit(&model.Command{N: n, Line: fmt.Sprintf("lt #%d %s", n, words), Via: "none"})
	st.s.emit(&model.Answer{N: n, Code: code, Via: "none"})
	return err
}

// commandTime bounds a command with its retry.
const commandTime = 5 * time.Second

// Do sends one command ("set frame=4096") and waits for the device's answer.
func (s *Session) Do(ctx context.Context, words string) (model.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	return s.steer.do(ctx, words)
}

// Set asks for a change of settings ("burst=4 idle=1000") and returns at once;
// how it went is told by events.
func (s *Session) Set(words string) { s.background("set " + words) }

// PointHere tells the device this server's URL.
func (s *Session) PointHere() {
	if s.server == nil {
		return
	}
	if url := s.server.DeviceURL(); url != "" {
		s.background("url " + url)
	}
}

// Reset resets the device: by the lines of its port, else by a command.
func (s *Session) Reset() {
	s.inRun(func(ctx context.Context) {
		if s.console != nil && s.console.Reset() == nil {
			return
		}
		_, _ = s.Do(ctx, "reboot") // told by events
	})
}

func (s *Session) background(words string) {
	s.inRun(func(ctx context.Context) { _, _ = s.Do(ctx, words) }) // told by events
}

// inRun starts work that ends with Run; before and after it does nothing.
func (s *Session) inRun(f func(ctx context.Context)) {
	s.mu.Lock()
	ctx := s.ctx
	s.mu.Unlock()
	if ctx == nil || ctx.Err() != nil {
		return
	}
	s.spawn("steering the device", func() { f(ctx) })
}

// point sends the server's URL to a device that has none.
func (st *steer) point(caps string) {
	s := st.s
	s.mu.Lock()
	ctx := s.ctx
	s.mu.Unlock()
	if ctx == nil || s.server == nil || s.server.Addr() == nil || s.cfg.Point == PointNever || !slices.Contains(strings.Split(caps, ","), "url") {
		return
	}
	if s.cfg.Point == PointAuto {
		a, err := s.console.Do(ctx, "stat")
		if err != nil || a.Fields["ws"] != "none" {
			return
		}
	}
	s.PointHere()
}
