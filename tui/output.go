package tui

import (
	"bytes"
	"errors"
	"os"
	"sync"
)

// Synchronized output (DEC private mode 2026): the terminal shows what stands
// between the two at once, without tearing. Terminals that do not know the mode
// ignore it.
const (
	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
)

// output is a terminal whose screen updates arrive whole, and that can be given
// up. It embeds the file so that Bubble Tea still recognises a terminal (it asks
// for Fd). Bubble Tea writes under a lock of its own: one write at a time.
type output struct {
	*os.File
	buf  []byte
	once sync.Once
	gone chan struct{} // closed when the terminal is given up
}

func newOutput(f *os.File) *output { return &output{File: f, gone: make(chan struct{})} }

var errGivenUp = errors.New("the terminal takes no more")

// giveUp ends the write under way and fails all later ones. The system cannot
// be told to: what waits for such a terminal stays behind until the program
// ends.
func (o *output) giveUp() { o.once.Do(func() { close(o.gone) }) }

// Write brackets what is long enough to be a screen update; Bubble Tea's
// renderer writes one in a single call. Short sequences (cursor, modes) pass as
// they are.
func (o *output) Write(p []byte) (int, error) {
	select {
	case <-o.gone: // buf may be in use still
		return 0, errGivenUp
	default:
	}
	update := bytes.IndexByte(p, '\n') >= 0 || len(p) >= 64
	o.buf = o.buf[:0]
	if update {
		o.buf = append(o.buf, beginUpdate...)
	}
	o.buf = append(o.buf, p...)
	if update {
		o.buf = append(o.buf, endUpdate...)
	}
	wrote := make(chan error, 1)
	go func(b []byte) {
		_, err := o.File.Write(b)
		wrote <- err
	}(o.buf)
	select {
	case err := <-wrote:
		if err != nil {
			return 0, err
		}
		return len(p), nil
	case <-o.gone:
		return 0, errGivenUp
	}
}

// WriteString is Write: the file's own would pass by what was given up.
func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }
