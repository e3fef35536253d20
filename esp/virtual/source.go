package virtual

import (
	"context"

	"dev.local/linktop/esp"
)

// Source gives a device's console to whoever keeps consoles open, as a serial
// port would.
type Source struct{ device *Device }

// NewSource is the console of d.
func NewSource(d *Device) Source { return Source{d} }

// Name is "sim".
func (s Source) Name() string { return "sim" }

// Baud is the console's rate, 0 when it has none.
func (s Source) Baud() int { return s.device.Baud() }

// Open opens the console; one host at a time has it.
func (s Source) Open(context.Context) (esp.Stream, error) { return s.device.OpenConsole() }
