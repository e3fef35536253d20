package port

import (
	"errors"
	"time"

	"go.bug.st/serial"
	"golang.org/x/sys/windows"
)

func interrupted(error) bool { return false }

// noLines tells a port that has no control lines.
func noLines(err error) bool { return errors.Is(err, windows.ERROR_INVALID_FUNCTION) }

func sharing(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

func missing(err error) bool {
	for _, e := range []error{windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND, windows.ERROR_INVALID_NAME,
		windows.ERROR_BAD_PATHNAME, windows.ERROR_DEVICE_NOT_CONNECTED, windows.ERROR_NO_SUCH_DEVICE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// watch makes reads look for the device: with some drivers a read of a port
// that was unplugged waits for ever.
func (p *Port) watch(l serial.Port) error {
	p.check = func() error {
		_, err := l.GetModemStatusBits()
		return err
	}
	return l.SetReadTimeout(500 * time.Millisecond)
}

func permission(name string) string {
	return "ask who administers this computer for access to " + name
}
