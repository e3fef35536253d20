//go:build linux || darwin

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// scripted is a device on a pseudo-terminal that says what a test tells it to.
// Its port is a link, so that it can come back under the same name.
type scripted struct {
	t     testing.TB
	path  string
	ptmx  *os.File
	tty   *os.File
	lines chan string
}

func newScripted(t testing.TB) *scripted {
	d := &scripted{t: t, path: filepath.Join(t.TempDir(), "ttyDEV")}
	d.plug()
	t.Cleanup(func() { d.ptmx.Close(); d.tty.Close() })
	return d
}

func (d *scripted) plug() {
	d.t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := term.MakeRaw(int(tty.Fd())); err != nil {
		d.t.Fatal(err)
	}
	// A blocked Read of a file in blocking mode keeps it open beyond Close, and
	// the device would never be gone.
	fd, err := syscall.Dup(int(ptmx.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	ptmx.Close()
	ptmx = os.NewFile(uintptr(fd), "ptmx")
	os.Remove(d.path)
	if err := os.Symlink(tty.Name(), d.path); err != nil {
		d.t.Fatal(err)
	}
	d.ptmx, d.tty = ptmx, tty
	lines := make(chan string, 100)
	d.lines = lines
	go func() {
		defer close(lines)
		in := bufio.NewReader(ptmx)
		for {
			line, err := in.ReadString('\r')
			if err != nil {
				return
			}
			lines <- strings.TrimSpace(line)
		}
	}()
}

// unplug takes the device away: reads and writes of its port fail.
func (d *scripted) unplug() {
	os.Remove(d.path)
	d.tty.Close()
	d.ptmx.Close()
}

func (d *scripted) says(line string) {
	d.t.Helper()
	if _, err := d.ptmx.WriteString(line + "\r\n"); err != nil {
		d.t.Fatalf("the device says %q: %v", line, err)
	}
}

// reads waits for a command that ends so.
func (d *scripted) reads(end string) string {
	d.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case line, ok := <-d.lines:
			if !ok {
				d.t.Fatalf("the port closed before %q came", end)
			}
			if strings.HasSuffix(line, end) {
				return line
			}
		case <-deadline:
			d.t.Fatalf("waited %v in vain for a command %q", patience, end)
		}
	}
}

// number is the number of a command line `lt #7 hello`.
func number(line string) string {
	_, rest, _ := strings.Cut(line, "#")
	n, _, _ := strings.Cut(rest, " ")
	return n
}

// hello waits to be asked and introduces itself: no URL, so that it is not
// pointed anywhere.
func (d *scripted) hello() {
	d.t.Helper()
	n := number(d.reads("hello"))
	d.says("LT #" + n + " ok proto=1 fw=scripted/1 idf=v5.5.3 chip=esp32s3 id=aabbcc caps=frame,burst,pace,trace")
	d.says("LT cfg rev=1 frame=4096 burst=0 idle=0 pace=0 agg=off codec=pcm16")
}

// frames traces frames of 4096 bytes, each about one round trip long.
func (d *scripted) frames(from, to int) {
	for seq := from; seq <= to; seq++ {
		d.says(fmt.Sprintf("LT w s=%d o=2 n=4096 p=%d m=410 h=1812 w=9034 t=%d r=4096", seq, 280000+seq, 293000+seq))
	}
}
