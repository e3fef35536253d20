package virtual

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A host that does not read holds nothing up: lines are lost whole and counted.
func TestConsoleNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{RTT: time.Millisecond})
		defer l.stop()
		l.start("frame=256")
		l.console.Close()
		c, err := l.dev.OpenConsole() // and nobody reads it
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if l.server.seen().frames < 5000 {
			t.Errorf("only %d frames in a minute", l.server.seen().frames)
		}
		c.Close()
		l.open()
		l.forget()
		time.Sleep(time.Second)
		if s := words(l.ask("stat")); s["lost_lines"] == "0" {
			t.Error("lost lines are not counted")
		}
		for _, line := range l.printed("LT w") {
			if len(strings.Fields(line)) != 11 {
				t.Errorf("a torn line: %q", line)
			}
		}
	})
}

func TestUnplug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{RTT: time.Millisecond})
		defer l.stop()
		l.start("")
		if _, err := l.dev.OpenConsole(); err == nil {
			t.Error("the console was opened twice")
		}
		l.dev.Unplug()
		if _, err := l.dev.OpenConsole(); err == nil {
			t.Error("an unplugged console was opened")
		}
		time.Sleep(time.Second)
		l.mu.Lock()
		gone := l.gone
		l.mu.Unlock()
		if _, err := io.WriteString(l.console, "x"); err == nil || !gone {
			t.Error("an unplugged console still works")
		}
		before := l.server.seen().frames
		l.dev.Plug()
		l.open()
		l.forget()
		time.Sleep(time.Second)
		if l.server.seen().frames == before || len(l.frames()) == 0 || len(l.printed("rst:")) != 0 {
			t.Error("the firmware did not run on while the cable was out")
		}
		l.console.Close()
		if _, err := l.console.Read(make([]byte, 1)); err == nil {
			t.Error("a closed console can be read")
		}
		if l.console.Reset() == nil {
			t.Error("a closed console can reset")
		}
	})
}
