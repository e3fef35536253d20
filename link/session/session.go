// Package session is one live session: a device's console, the metrics server
// and an optional recorder, joined into one stream of events and one state.
//
// Sources hand their events to a bounded queue; one goroutine owns the state,
// folds them in, writes them to the recorder and passes them on. What does not
// fit in a queue is counted and told as an event, and never holds a source up.
package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"dev.local/linktop/esp"
	"dev.local/linktop/link/server"
	"dev.local/linktop/model"
	"dev.local/linktop/model/evidence"
)

// Config is what a session is made of. Every part is optional.
type Config struct {
	// Source is the device's console, nil for none.
	Source esp.Source
	// Server is the metrics server's configuration, nil for none; its Sink is
	// set by the session.
	Server *server.Config
	// NeedServer ends Run with an error where the server cannot start; without
	// it that is told by an event and the rest goes on.
	NeedServer bool
	// Recorder gets raw bytes and events; the session closes it. Nil for none.
	Recorder *evidence.Recorder
	// Point tells when a device is sent this server's URL.
	Point Point
	// Beside runs as long as the session does: a virtual device. Nil for none.
	Beside func(ctx context.Context) error
	// Listening is told once the server listens. Nil for nobody.
	Listening func(*server.Server)
	// Now is the clock, time.Now by default.
	Now func() time.Time
}

// Session is one live session. Make it with New, start it with Run.
type Session struct {
	cfg     Config
	now     func() time.Time
	server  *server.Server
	console *esp.Console
	steer   *steer

	queue    chan []model.Event
	lost     atomic.Int64 // events that found the queue full
	ask      chan chan *model.Snapshot
	changed  chan struct{}
	done     chan struct{} // closed when the owner has ended
	last     atomic.Pointer[model.Snapshot]
	jobs     sync.WaitGroup // goroutines of the session
	mu       sync.Mutex
	ctx      context.Context // of Run, nil before
	ending   bool            // no job is started any more
	readers  []*Reader
	panicked chan error
}

// queueBatches bounds the queue between sources and state. A batch is what one
// read of the console gave, at most some hundred lines.
const queueBatches = 1024

// New makes a session; nothing is opened yet.
func New(cfg Config) (*Session, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Session{
		cfg: cfg, now: cfg.Now,
		queue: make(chan []model.Event, queueBatches), ask: make(chan chan *model.Snapshot),
		changed: make(chan struct{}, 1), done: make(chan struct{}), panicked: make(chan error, 1),
	}
	if cfg.Server != nil {
		sc := *cfg.Server
		sc.Sink = func(e model.Event) { s.fromServer(e.Clone()) }
		srv, err := server.New(sc)
		if err != nil {
			return nil, err
		}
		s.server = srv
	}
	if cfg.Source != nil {
		s.console = esp.NewConsole(esp.Config{
			Source: cfg.Source, Sink: s.fromConsole, Raw: s.raw, Now: cfg.Now,
		})
	}
	s.steer = newSteer(s)
	return s, nil
}

// Server is the metrics server, nil without one.
func (s *Session) Server() *server.Server { return s.server }

// Run works until ctx ends. It returns nil then, and an error where a part
// that the session needs could not start or crashed.
func (s *Session) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.ctx = ctx
	s.mu.Unlock()

	stop := make(chan struct{}) // ends the owner, after the sources
	owner := make(chan struct{})
	go func() {
		defer close(owner)
		defer s.guard("the session's state")
		s.own(stop)
	}()
	err := s.startServer(ctx)
	if err == nil {
		if s.cfg.Beside != nil {
			s.part(ctx, "the virtual device", s.cfg.Beside)
		}
		if s.console != nil {
			s.part(ctx, "the device's console", s.console.Run)
		}
		select {
		case <-ctx.Done():
		case err = <-s.panicked:
		}
	}
	cancel()
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	if s.server != nil {
		err = errors.Join(err, s.server.Close())
	}
	s.jobs.Wait()
	close(stop)
	<-owner
	if s.cfg.Recorder != nil {
		err = errors.Join(err, s.cfg.Recorder.Close())
	}
	return err
}

func (s *Session) startServer(ctx context.Context) error {
	if s.server == nil {
		return nil
	}
	err := s.server.Start(ctx)
	if err == nil {
		if s.cfg.Listening != nil {
			s.cfg.Listening(s.server)
		}
		return nil
	}
	if s.cfg.NeedServer {
		return err
	}
	s.emit(&model.Server{State: "failed", Error: err.Error()})
	return nil
}

// part runs one of the session's sources; its error ends the session.
func (s *Session) part(ctx context.Context, what string, run func(context.Context) error) {
	s.spawn(what, func() {
		if err := run(ctx); err != nil && ctx.Err() == nil {
			s.fail(err)
		}
	})
}

// spawn starts a goroutine that Run waits for; a panic in it ends the session
// with an error instead of the program.
func (s *Session) spawn(what string, f func()) {
	s.mu.Lock()
	if s.ending {
		s.mu.Unlock()
		return
	}
	s.jobs.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.jobs.Done()
		defer s.guard(what)
		f()
	}()
}

func (s *Session) guard(what string) {
	if r := recover(); r != nil {
		s.fail(fmt.Errorf("linktop has a fault in %s: %v", what, r))
	}
}

func (s *Session) fail(err error) {
	select {
	case s.panicked <- err:
	default:
	}
}

// emit puts an event of the session's own into the stream.
func (s *Session) emit(b model.Body) {
	s.push([]model.Event{{HostUS: s.now().UnixMicro(), Body: b}})
}

func (s *Session) push(batch []model.Event) {
	select {
	case s.queue <- batch:
	default:
		s.lost.Add(int64(len(batch)))
	}
}

func (s *Session) raw(hostUS int64, p []byte) {
	if s.cfg.Recorder != nil {
		s.cfg.Recorder.Raw(hostUS, p)
	}
}

func (s *Session) fromConsole(batch []model.Event) {
	for i := range batch {
		s.steer.observe(&batch[i])
	}
	s.push(batch)
}

func (s *Session) fromServer(e model.Event) {
	s.steer.observeServer(&e)
	s.push([]model.Event{e})
}

// Snapshot is the newest state; safe from any goroutine, also after the end.
func (s *Session) Snapshot() *model.Snapshot {
	reply := make(chan *model.Snapshot, 1)
	select {
	case s.ask <- reply:
		return <-reply
	case <-s.done:
	}
	if snap := s.last.Load(); snap != nil {
		return snap
	}
	return new(model.State).Snapshot(s.now().UnixMicro())
}

// Changed has a value after something changed since it was last read.
func (s *Session) Changed() <-chan struct{} { return s.changed }
