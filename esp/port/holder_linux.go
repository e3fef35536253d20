package port

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// holderOf names the program that has a port open, empty for none and where it
// may not be known. Both ends of a pseudo-terminal belong to programs, so that
// one counts as held only when it is somebody's terminal – numbers are used
// again, and what was a device may be a shell's window now – or when a program
// has it for its own that does not have the far end too, as the device does.
func holderOf(name string) string {
	dev, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	if strings.HasPrefix(dev, "/dev/pts/") {
		var st unix.Stat_t
		if unix.Stat(dev, &st) != nil {
			return ""
		}
		if window := terminalOf("/proc", st.Rdev); window != "" {
			return window
		}
		if !exclusive(dev) {
			return ""
		}
		return process("/proc", func(fds string) bool {
			return opens(fds, dev) && !opens(fds, "/dev/ptmx") && !opens(fds, "/dev/pts/ptmx")
		})
	}
	return holderIn("/proc", dev)
}

// exclusive tells whether a program asked for the terminal to be its own, as
// linktop does. To root the system does not say so by itself.
func exclusive(dev string) bool {
	fd, err := unix.Open(dev, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return false // opening it in earnest tells why
	}
	defer unix.Close(fd)
	mine, err := unix.IoctlGetInt(fd, unix.TIOCGEXCL)
	return err == nil && mine != 0
}

// terminalOf names a program whose controlling terminal is the device.
func terminalOf(proc string, dev uint64) string {
	// Field 7 of stat: bits 31–20 and 7–0 are the minor number, 15–8 the major.
	minor := unix.Minor(dev)
	number := strconv.FormatUint(uint64(minor&0xff|minor>>8<<20|unix.Major(dev)<<8), 10)
	pids, err := os.ReadDir(proc)
	if err != nil {
		return ""
	}
	for _, e := range pids {
		pid := e.Name()
		if pid[0] < '1' || pid[0] > '9' {
			continue
		}
		const terminal = 7 - 3
		if f := stat(proc, pid); len(f) > terminal && f[terminal] == number {
			return "a terminal window: " + describeProcess(proc, pid)
		}
	}
	return ""
}

// stat is the fields of a process from the third on. The name in the second may
// hold blanks and brackets.
func stat(proc, pid string) []string {
	b, err := os.ReadFile(filepath.Join(proc, pid, "stat"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
}

// holderIn names a program that has the device open.
func holderIn(proc, dev string) string {
	return process(proc, func(fds string) bool { return opens(fds, dev) })
}

// process looks at the folders of open files of all processes that this user
// may look into, except this one, and names the first that is.
func process(proc string, is func(fds string) bool) string {
	pids, err := os.ReadDir(proc)
	if err != nil {
		return ""
	}
	self := strconv.Itoa(os.Getpid())
	for _, e := range pids {
		pid := e.Name()
		if pid[0] < '1' || pid[0] > '9' || pid == self {
			continue
		}
		if is(filepath.Join(proc, pid, "fd")) {
			return describeProcess(proc, pid)
		}
	}
	return ""
}

func opens(dir, dev string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	fds, _ := d.Readdirnames(-1) // what was read of a process that ended is as good
	for _, fd := range fds {
		if to, err := os.Readlink(dir + "/" + fd); err == nil && to == dev {
			return true
		}
	}
	return false
}

// tools are programs known to hold a port, by a word of their command line.
var tools = []struct{ word, name string }{
	{"idf_monitor", "idf.py monitor"},
	{"esptool", "esptool"},
	{"linktop", "another linktop"},
	{"ModemManager", "ModemManager (it lets go within a minute)"},
}

// describeProcess is "idf.py monitor: python3, process 8124, started 10:02".
func describeProcess(proc, pid string) string {
	comm, _ := os.ReadFile(filepath.Join(proc, pid, "comm"))
	s := clean(string(comm))
	if s == "" {
		s = "a program"
	}
	s += ", process " + pid
	if since, ok := started(proc, pid); ok {
		if now := time.Now(); since.YearDay() == now.YearDay() && since.Year() == now.Year() {
			s += since.Format(", started 15:04")
		} else {
			s += since.Format(", started 2 January 15:04")
		}
	}
	line, _ := os.ReadFile(filepath.Join(proc, pid, "cmdline"))
	for _, t := range tools {
		if strings.Contains(string(line), t.word) {
			return t.name + ": " + s
		}
	}
	return s
}

// ticksPerSecond is the unit of times in /proc: USER_HZ, 100 on every Linux.
const ticksPerSecond = 100

// started is when a process began: field 22 of its stat, counted from boot.
func started(proc, pid string) (time.Time, bool) {
	fields := stat(proc, pid)
	const start = 22 - 3
	if len(fields) <= start {
		return time.Time{}, false
	}
	ticks, err := strconv.ParseInt(fields[start], 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	boot, err := bootTime(proc)
	if err != nil {
		return time.Time{}, false
	}
	return boot.Add(time.Duration(ticks) * time.Second / ticksPerSecond), true
}

func bootTime(proc string) (time.Time, error) {
	b, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return time.Time{}, err
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "btime "); ok {
			s, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
			return time.Unix(s, 0), err
		}
	}
	return time.Time{}, fmt.Errorf("%s/stat has no btime", proc)
}
