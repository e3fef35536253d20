// Package esp is the device's end: its console, kept open and decoded, and
// numbered commands to its firmware.
package esp

import (
	"context"
	"io"
)

// Stream is an open console.
type Stream interface {
	io.Reader // a read may end with (0, nil): nothing came yet
	io.Writer // bounded in time by the stream
	io.Closer // ends a blocked Read
}

// Resetter is a Stream that can reset its device.
type Resetter interface{ Reset() error }

// Source is how a console is come by.
type Source interface {
	// Name is what the user calls it: "COM6", "/dev/ttyACM0", "sim".
	Name() string
	// Baud is the line's rate, 0 when it has none.
	Baud() int
	// Open opens it. After a loss it is called again, and finds the same
	// device, be it under another name.
	Open(ctx context.Context) (Stream, error)
}
