// Package esp is the device's end: its console, kept open and decoded, and
// numbered commands to its firmware.
package esp

import (
	"context"
	"errors"
	"io"
)

// Stream is an open console.
type Stream interface {
	io.Reader // a read may end with (0, nil): nothing came yet
	io.Writer // bounded in time by the stream; ErrStalled when it gave up
	io.Closer // bounded in time too; ends a blocked Read
}

// ErrStalled is the error of a Write whose device takes no bytes. The stream is
// closed then: such a write cannot be called back.
var ErrStalled = errors.New("the device takes no bytes")

// Resetter is a Stream that can reset its device.
type Resetter interface{ Reset() error }

// Source is how a console is come by.
type Source interface {
	// Name is what the user calls it: "COM6", "/dev/ttyACM0", "sim". It may
	// change when the device is found under another name.
	Name() string
	// Baud is the line's rate, 0 when it has none.
	Baud() int
	// Open opens it. After a loss it is called again, and finds the same
	// device, be it under another name.
	Open(ctx context.Context) (Stream, error)
}

// Reasoned is an error of Open that knows its reason in one word: "busy",
// "missing", "forbidden", "other".
type Reasoned interface{ Reason() string }
