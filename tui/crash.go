package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"
)

// Guard keeps a panic from leaving the terminal unusable: goroutines started
// through it end the program in order, and the panic becomes an error that
// names a file with the details. The zero value is ready.
type Guard struct {
	// Dir is where crash files go; empty means the user's cache directory, or
	// the directory for temporary files where there is none.
	Dir string

	mu   sync.Mutex
	err  error
	stop []func()
}

// Go runs f in a goroutine of its own, guarded.
func (g *Guard) Go(f func()) {
	go func() {
		defer g.Catch()
		f()
	}()
}

// Catch ends a panic of the function that deferred it. It must be deferred
// directly.
func (g *Guard) Catch() {
	if v := recover(); v != nil {
		g.crashed(v, debug.Stack())
	}
}

// OnCrash adds what a panic stops: the program, a context. It is called at
// once when there was a panic already.
func (g *Guard) OnCrash(stop func()) {
	g.mu.Lock()
	crashed := g.err != nil
	g.stop = append(g.stop, stop)
	g.mu.Unlock()
	if crashed {
		stop()
	}
}

// Err is the first panic, nil without one.
func (g *Guard) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

func (g *Guard) crashed(v any, stack []byte) {
	g.mu.Lock()
	if g.err != nil {
		g.mu.Unlock()
		return
	}
	if file, err := g.write(v, stack); err == nil {
		g.err = fmt.Errorf("linktop crashed: %v; details are in %s, please send it along", v, file)
	} else {
		g.err = fmt.Errorf("linktop crashed: %v; the details could not be saved (%w):\n%s", v, err, stack)
	}
	stop := g.stop
	g.mu.Unlock()
	for _, f := range stop {
		f()
	}
}

func (g *Guard) write(v any, stack []byte) (string, error) {
	dir := g.Dir
	if dir == "" {
		if cache, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(cache, "linktop")
		} else {
			dir = os.TempDir()
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		dir = os.TempDir()
	}
	now := time.Now()
	build, _ := debug.ReadBuildInfo()
	text := fmt.Sprintf("%s\npanic: %v\n\n%s\n%s\n", now.Format(time.RFC3339), v, stack, build)
	file := filepath.Join(dir, "crash-"+now.Format("20060102-150405.000")+".txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	return file, nil
}
