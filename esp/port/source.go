package port

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"dev.local/linktop/esp"
)

// AutoName is the name that stands for the one known board there is.
const AutoName = "auto"

// Source opens one port, and after a loss the same device, which it recognises
// by its USB identity even when its port has another name then.
type Source struct {
	wanted string // as the user named it
	baud   int
	// Seams for tests.
	list func() ([]Info, error)
	open func(name string, baud int) (*Port, error)

	mu   sync.Mutex
	last Info // the port that was opened, Name empty before
}

// NewSource makes the source for a port, which may be AutoName. Nothing is
// opened or looked up yet.
func NewSource(name string, baud int) *Source {
	return &Source{wanted: name, baud: baud, list: List, open: Open}
}

// Name is the port's name: as the user gave it, until the device was found.
func (s *Source) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.Name != "" {
		return s.last.Name
	}
	return s.wanted
}

// Baud is the speed of the line in bit/s, 0 on a chip's own USB, which has
// none.
func (s *Source) Baud() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.Native() {
		return 0
	}
	return s.baud
}

// Open opens the port. Its errors are *OpenError.
func (s *Source) Open(ctx context.Context) (esp.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	next, err := s.find(last)
	if err != nil {
		return nil, err
	}
	p, err := s.open(next.Name, s.baud)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.last = next
	s.mu.Unlock()
	return p, nil
}

// find says which port to open, given the one that was open before.
func (s *Source) find(last Info) (Info, error) {
	ports, err := s.list()
	switch {
	case last.VID != "" && err == nil:
		return again(last, ports)
	case last.Name != "":
		return last, nil
	case s.wanted != AutoName:
		// What the list does not know may still be a port: a pseudo-terminal.
		return lookUp(s.wanted, ports), nil
	case err != nil:
		return Info{}, &OpenError{Name: AutoName, Why: Other, Err: err, Advice: "name the port with --port"}
	}
	return Auto(ports)
}

// lookUp is what is known of a port, under the name the user has for it, which
// may be a link to it.
func lookUp(name string, ports []Info) Info {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		real = name
	}
	for _, p := range ports {
		if strings.EqualFold(p.Name, name) || p.Name == real {
			p.Name = name
			return p
		}
	}
	return Info{Name: name}
}

// again finds the device that was open before. Without a serial number it must
// have its old name, or be the only one of its kind.
func again(last Info, ports []Info) (Info, error) {
	var same []Info
	for _, p := range ports {
		if p.Identity() == last.Identity() {
			same = append(same, p)
		}
	}
	old := lookUp(last.Name, same)
	switch {
	case old.VID != "":
		return old, nil
	case len(same) == 1:
		return same[0], nil
	case len(same) > 1:
		return Info{}, &OpenError{Name: last.Name, Why: Other,
			Err:    fmt.Errorf("the device is gone from there, and it cannot be told from others of its kind: %s", names(same)),
			Advice: "start linktop with --port and the one it is"}
	}
	device := strings.TrimSpace(last.Adapter() + " " + last.USB() + " " + last.Serial)
	advice := "plug it in again"
	if len(ports) > 0 {
		advice += "; there are only: " + names(ports)
	}
	return Info{}, &OpenError{Name: last.Name, Why: Missing, Err: errors.New("the device that was there (" + device + ") is gone"), Advice: advice}
}
