package port

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

func TestOpenExplains(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(file, []byte("no port"), 0o600); err != nil {
		t.Fatal(err)
	}
	device, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	dead := tty.Name()
	tty.Close()
	device.Close()
	for name, c := range map[string]struct {
		port   string
		baud   int
		reason string
		says   []string
	}{
		"missing":                {filepath.Join(dir, "ttyACM9"), 115200, "missing", []string{"opening " + dir, "there is no such port"}},
		"below a file":           {file + "/ttyACM9", 115200, "missing", []string{"there is no such port"}},
		"its other end has gone": {dead, 115200, "missing", []string{"opening " + dead}},
		"a folder":               {t.TempDir(), 115200, "other", []string{"not a serial port"}},
		"no name":                {"", 115200, "missing", []string{`opening "": `}},
		"not a port":             {file, 115200, "other", []string{"opening " + file, "not a serial port"}},
		"no speed":               {"/dev/ptmx", 0, "other", []string{"0 baud", "--baud 115200"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Open(c.port, c.baud)
			if err == nil {
				p.Close()
				t.Fatal("opened")
			}
			wantError(t, err, c.reason, c.says...)
		})
	}
}

// unprivileged runs f as nobody. Rights belong to a thread on Linux: the one
// used here is not given back.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread()
		var e syscall.Errno
		defer func() { done <- e }()
		if _, _, e = syscall.RawSyscall(syscall.SYS_SETGROUPS, 0, 0, 0); e != 0 {
			return
		}
		if _, _, e = syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody); e != 0 {
			return
		}
		f()
	}()
	if e := <-done; e != 0 {
		t.Skipf("this root may not become nobody: %v", e)
	}
}

func TestForbidden(t *testing.T) {
	_, name := pair(t)
	if err := os.Chmod(name, 0); err != nil {
		t.Fatal(err)
	}
	var err error
	unprivileged(t, func() {
		var p *Port
		if p, err = Open(name, 115200); err == nil {
			p.Close()
		}
	})
	wantError(t, err, "forbidden", "opening "+name, "no permission", "sudo ")
}

func TestPermissionNamesTheGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ttyACM0")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := permission(file); !strings.Contains(got, "only its owner") {
		t.Errorf("mode 0600: %q", got)
	}
	if os.Getuid() != 0 {
		t.Skip("only root can give a file to another group")
	}
	const unnamed = 54321
	if err := os.Chown(file, 0, unnamed); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(file, 0o660); err != nil {
		t.Fatal(err)
	}
	if got := permission(file); !strings.Contains(got, "usermod -aG") || !strings.Contains(got, strconv.Itoa(unnamed)) {
		t.Errorf("mode 0660: %q", got)
	}
}

// TestBusyTwice opens a port that linktop itself has open: exclusive use keeps
// everybody out but root.
func TestBusyTwice(t *testing.T) {
	_, name := pair(t)
	if err := os.Chmod(name, 0o666); err != nil {
		t.Fatal(err)
	}
	first, err := Open(name, 115200)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	unprivileged(t, func() {
		var p *Port
		if p, err = Open(name, 115200); err == nil {
			p.Close()
		}
	})
	wantError(t, err, "busy", "opening "+name, "held by another program", "idf.py monitor", "Ctrl+]")
}

// TestBusyNamesTheHolder: another program has the file open, without having
// asked for exclusive use.
func TestBusyNamesTheHolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ttyACM0")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := holderOf(file); got != "" {
		t.Errorf("held by itself: %q", got)
	}
	cmd := exec.Command("sleep", "1000")
	cmd.ExtraFiles = []*os.File{f}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	f.Close()
	link := file + "-link"
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, link} {
		_, err := Open(name, 115200)
		wantError(t, err, "busy", "opening "+name, "held by sleep, process "+strconv.Itoa(cmd.Process.Pid), ", started ", "end that program")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if got := holderOf(file); got != "" {
		t.Errorf("after it ended: %q", got)
	}
}

func TestDescribeProcess(t *testing.T) {
	root := sysfs(t, map[string]string{
		"stat":        "cpu 1 2 3\nbtime 1600000000\n",
		"812/comm":    "python3\n",
		"812/cmdline": "python3\x00/esp/tools/idf_monitor.py\x00-p\x00/dev/ttyACM0\x00",
		"812/stat":    "812 (py) (x) S 1 812 812 0 -1 4194304 1 0 0 0 1 0 0 0 20 0 1 0 360000 1 1",
		"812/fd/3":    "->/dev/ttyACM0",
		"900/comm":    "evil\x1b[2J\n",
		"900/fd/0":    "->/dev/ttyUSB0",
		"900/stat":    "900 (evil",
		"901/fd/0":    "->/dev/ttyUSB1",
		"self/fd/0":   "->/dev/ttyUSB2",
	})
	for dev, want := range map[string]string{
		"/dev/ttyACM0": "idf.py monitor: python3, process 812, started 13 September ",
		"/dev/ttyUSB0": "evil [2J, process 900",
		"/dev/ttyUSB1": "a program, process 901",
		"/dev/ttyUSB2": "",
		"/dev/ttyS0":   "",
	} {
		got := holderIn(root, dev)
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", dev, got, want)
		}
	}
}
