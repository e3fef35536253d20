package server

import (
	"fmt"
	"runtime"
	"strings"

	"dev.local/linktop/model"
)

// spawn runs f in a goroutine that Close waits for. A panic in f ends f alone:
// it goes to failed, or where that is nil to a failed server event. Call it
// while Close cannot be waiting yet: with mu held and closing false, or from a
// goroutine that Close waits for.
func (s *Server) spawn(what string, f func(), failed func(error)) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		defer s.recovered(what, failed)
		f()
	}()
}

// recovered is deferred by whatever runs on a goroutine of the server's: it
// turns a panic into an error that names the place.
func (s *Server) recovered(what string, failed func(error)) {
	p := recover()
	if p == nil {
		return
	}
	err := fmt.Errorf("%s: internal error: %v at %s", what, p, panicPlace())
	// The panic may have come from the sink: telling it may panic again, and
	// nothing is left to tell then.
	defer func() { _ = recover() }()
	if failed != nil {
		failed(err)
		return
	}
	s.emit(&model.Server{State: "failed", Error: err.Error()})
}

// panicPlace is the function and line that panicked.
func panicPlace() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", f.Function, f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
