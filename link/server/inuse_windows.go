package server

import (
	"errors"

	"golang.org/x/sys/windows"
)

// addressInUse tells whether another program listens there. Windows refuses a
// port that is held exclusively with WSAEACCES.
func addressInUse(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}
