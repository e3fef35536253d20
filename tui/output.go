package tui

import (
	"bytes"
	"os"
)

// Synchronized output (DEC private mode 2026): the terminal shows what stands
// between the two at once, without tearing. Terminals that do not know the mode
// ignore it.
const (
	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
)

// output is a terminal whose screen updates arrive whole. It embeds the file so
// that Bubble Tea still recognises a terminal (it asks for Fd).
type output struct {
	*os.File
	buf []byte
}

// Write brackets what is long enough to be a screen update; Bubble Tea's
// renderer writes one in a single call, under its lock. Short sequences (cursor,
// modes) pass as they are.
func (o *output) Write(p []byte) (int, error) {
	if bytes.IndexByte(p, '\n') < 0 && len(p) < 64 {
		return o.File.Write(p)
	}
	o.buf = append(o.buf[:0], beginUpdate...)
	o.buf = append(o.buf, p...)
	o.buf = append(o.buf, endUpdate...)
	if _, err := o.File.Write(o.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}
