package virtual

import "golang.org/x/sys/unix"

// unread is how many bytes wait in the PTY for its reader.
func unread(slave int) (int, error) { return unix.IoctlGetInt(slave, unix.TIOCINQ) }

// discard throws them away.
func discard(slave int) error { return unix.IoctlSetInt(slave, unix.TCFLSH, unix.TCIFLUSH) }
