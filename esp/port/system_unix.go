//go:build !windows

package port

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// interrupted tells a write that a signal cut short.
func interrupted(err error) bool { return errors.Is(err, syscall.EINTR) }

// noLines tells a port that has no control lines.
func noLines(err error) bool {
	return errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.EINVAL)
}

func sharing(error) bool { return false } // the library tells it

// missing tells a device that is not there, among them a pseudo-terminal whose
// other end is closed.
func missing(err error) bool {
	for _, e := range []syscall.Errno{syscall.ENOENT, syscall.ENXIO, syscall.ENODEV, syscall.EIO, syscall.ENOTDIR} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// watch has nothing to do: reads fail when the device goes.
func (p *Port) watch(any) error { return nil }

// permission says which group to join: the one that may open the port.
func permission(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return "ask who runs this computer for access to " + name
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode().Perm()&0o060 != 0o060 || st.Gid == 0 {
		return fmt.Sprintf("only its owner may open it; sudo chmod a+rw %s helps until it is plugged in again", name)
	}
	group := "group " + strconv.FormatUint(uint64(st.Gid), 10)
	if g, err := user.LookupGroupId(strconv.FormatUint(uint64(st.Gid), 10)); err == nil {
		group = g.Name
	}
	return fmt.Sprintf("join the group that may open it: sudo usermod -aG %s $USER, then log out and in again", group)
}
