package virtual

import "golang.org/x/sys/unix"

// unread is how many bytes wait in the PTY for its reader. FIONREAD is not in
// package unix: _IOR('f', 127, int) of sys/filio.h.
func unread(slave int) (int, error) { return unix.IoctlGetInt(slave, 0x4004667f) }

// discard throws them away; 1 is FREAD of sys/fcntl.h.
func discard(slave int) error { return unix.IoctlSetPointerInt(slave, unix.TIOCFLUSH, 1) }
