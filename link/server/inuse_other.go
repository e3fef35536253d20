//go:build !windows

package server

import (
	"errors"
	"syscall"
)

// addressInUse tells whether another program listens there.
func addressInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
