//go:build !linux && !darwin

package virtual

import (
	"context"
	"errors"
)

// ServePTY would put the console on a PTY; this system has none.
func (d *Device) ServePTY(context.Context) (path string, err error) {
	return "", errors.New("virtual device: a PTY for its console is not available here; use the port \"sim\" in one program")
}
