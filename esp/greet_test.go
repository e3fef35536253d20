package esp

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestGreeting(t *testing.T) {
	t.Run("read-only", func(t *testing.T) {
		inRoom(t, mute, func(t *testing.T, r *room, b *board) {
			r.after(500 * time.Millisecond)
			b.print("a line\r\n")
			r.after(2 * time.Second)
			want(t, "at first", strings.ReplaceAll(r.told(), ", serial", ""), "port open, hello, hello, hello")
			r.after(time.Second)
			want(t, "after three seconds", r.told(), "timeout, read-only")
			if heard := b.heard(); len(heard) != 3 || heard[0] != heard[2] {
				t.Errorf("heard %q", heard)
			}
			b.print("another\r\n")
			r.after(time.Second)
			want(t, "and then", r.told(), "read-only")
			r.after(15 * time.Second)
			want(t, "asked again", r.told(), "hello, timeout")
			// Whoever answers at last is believed.
			b.mu.Lock()
			b.hear = probe
			b.mu.Unlock()
			if _, err := r.Do(t.Context(), "hello"); err != nil {
				t.Error(err)
			}
			r.after(0)
			got := r.told()
			if !strings.HasPrefix(got, "hello, ok, serial") {
				t.Errorf("after an answer: %s", got)
			}
		})
	})
	t.Run("asked a few times only", func(t *testing.T) {
		inRoom(t, mute, func(t *testing.T, r *room, b *board) {
			b.print("a line\r\n")
			r.after(10 * time.Minute)
			if n := len(b.heard()); n != 6 {
				t.Errorf("asked %d times in ten minutes", n)
			}
		})
	})
	t.Run("a console without the command", func(t *testing.T) {
		inRoom(t, repl, func(t *testing.T, r *room, b *board) {
			r.after(500 * time.Millisecond)
			got := r.told()
			if !strings.HasPrefix(got, "port open, hello, unknown, hello, unknown, read-only") {
				t.Errorf("told %s", got)
			}
			r.after(10 * time.Minute)
			if n := len(b.heard()); n != 2 {
				t.Errorf("asked %d times", n)
			}
			b.print("rst:0x1 (POWERON)\r\n")
			r.after(5 * time.Second)
			if n := len(b.heard()); n != 4 {
				t.Errorf("asked %d times after a restart", n)
			}
		})
	})
	t.Run("an unfinished line of somebody else", func(t *testing.T) {
		first := true
		inRoom(t, func(line string) string {
			if first {
				first = false
				return repl("abc" + line)
			}
			return "esp> LT #" + strings.TrimPrefix(probe(line), "LT #")
		}, func(t *testing.T, r *room, b *board) {
			r.after(500 * time.Millisecond)
			want(t, "told", r.told(), "port open, hello, unknown, hello, ok")
		})
	})
	t.Run("silent, then switched on", func(t *testing.T) {
		inRoom(t, mute, func(t *testing.T, r *room, b *board) {
			r.after(5 * time.Second)
			want(t, "silent", r.told(), "port open, hello, hello, hello, timeout")
			b.mu.Lock()
			b.hear = probe
			b.mu.Unlock()
			b.print("it lives\r\n")
			r.after(0)
			want(t, "first words", r.told(), "hello, ok")
		})
	})
	t.Run("after a restart", func(t *testing.T) {
		inRoom(t, probe, func(t *testing.T, r *room, b *board) {
			r.told()
			b.print("ESP-ROM:esp32s3\r\nrst:0x3 (RTC_SW_SYS_RST)\r\n")
			r.after(900 * time.Millisecond)
			want(t, "told", r.told(), "boot, hello, ok")
		})
	})
	t.Run("restarting all the time", func(t *testing.T) {
		inRoom(t, mute, func(t *testing.T, r *room, b *board) {
			for range 50 {
				b.print("rst:0x3 (RTC_SW_SYS_RST)\r\n")
				r.after(200 * time.Millisecond)
			}
			if n := len(b.heard()); n > 2 {
				t.Errorf("asked %d times in between", n)
			}
		})
	})
}

// A device that takes no bytes costs its port once, not for ever: it is read,
// and not spoken to before it restarts.
func TestDeafDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(nil)
		b.stalls = true
		r := newRoom(t, b).run()
		next := newBoard(probe)
		r.socket.plug(next, nil)
		r.after(10 * time.Second)
		want(t, "at first", without(t, "gone", r.told()), "port open, hello, port lost, port back, read-only")
		next.print("a line\r\n")
		r.after(time.Minute)
		want(t, "and then", r.told(), "read-only")
		if heard := next.heard(); len(heard) != 0 {
			t.Errorf("spoken to: %q", heard)
		}
		next.print("rst:0x1 (POWERON)\r\n")
		r.after(time.Second)
		if got := r.told(); !strings.Contains(got, "boot, hello, ok") {
			t.Errorf("after a restart: %s", got)
		}
		r.end()
	})
}
