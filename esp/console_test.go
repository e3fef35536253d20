package esp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dev.local/linktop/model"
)

func inRoom(t *testing.T, hear func(string) string, f func(*testing.T, *room, *board)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(hear)
		r := newRoom(t, b).run()
		f(t, r, b)
		r.end()
		if r.err != nil {
			t.Errorf("Run: %v", r.err)
		}
	})
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// without takes out an event whose place in the order is left open.
func without(t *testing.T, word, told string) string {
	t.Helper()
	before, after, ok := strings.Cut(told, ", "+word)
	if !ok {
		t.Errorf("no %q in %s", word, told)
	}
	return before + after
}

func TestOpenAndGreet(t *testing.T) {
	inRoom(t, probe, func(t *testing.T, r *room, b *board) {
		want(t, "at first", r.told(), "port open, hello, ok")
		a, err := r.Do(t.Context(), "set frame=4096")
		if err != nil || !a.OK || a.Fields["frame"] != "4096" || a.Via != "serial" || !a.TookUS.Known() {
			t.Errorf("answer %+v, %v", a, err)
		}
		want(t, "a command", r.told(), "set, ok")
		if err := r.Reset(); err != nil || b.resets != 1 {
			t.Errorf("reset %d times: %v", b.resets, err)
		}
		r.end()
		want(t, "at the end", r.told(), "serial")
		if n := int64(len(r.raw)); r.bytes != n {
			t.Errorf("accounts of %d bytes, %d came", r.bytes, n)
		}
		if b.closed == 0 {
			t.Error("the board's console is still open")
		}
		if _, err := r.Do(t.Context(), "stat"); !errors.Is(err, ErrClosed) || !strings.Contains(err.Error(), "COM6") {
			t.Errorf("a command after the end: %v", err)
		}
		if err := r.Reset(); !errors.Is(err, ErrClosed) {
			t.Errorf("a reset after the end: %v", err)
		}
		want(t, "a command after the end", r.told(), "stat, gone")
	})
}

func TestLostAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		r.socket.plug(nil, reasoned{"missing", "opening COM6: there is no such port"})
		r.run()
		r.after(10 * time.Second)
		want(t, "missing", r.told(), "port failed missing")
		r.socket.plug(nil, reasoned{"busy", "opening COM6: it is held by python3"})
		r.after(10 * time.Second)
		want(t, "busy", r.told(), "port failed busy")
		r.socket.plug(nil, reasoned{"busy", "opening COM6: it is held by picocom"})
		r.after(10 * time.Second)
		want(t, "busy otherwise", r.told(), "port failed busy")
		r.socket.plug(nil, errAny)
		r.after(10 * time.Second)
		want(t, "something else", r.told(), "port failed other")
		if n := r.socket.tries; n < 39 || n > 42 {
			t.Errorf("tried %d times in 40 s, want once a second", n)
		}

		b := newBoard(probe)
		r.socket.plug(b, nil)
		r.after(10 * time.Second)
		want(t, "there", r.told(), "port open, hello, ok, serial")
		b.mu.Lock()
		b.hear = mute
		b.mu.Unlock()
		asked := make(chan error, 1)
		go func() { _, err := r.Do(t.Context(), "stat"); asked <- err }()
		r.after(time.Millisecond)
		r.socket.plug(nil, reasoned{"missing", "opening COM6: the device is gone"})
		b.unplug()
		r.after(0)
		if err := <-asked; !errors.Is(err, ErrGone) {
			t.Errorf("a command in flight: %v", err)
		}
		want(t, "lost", without(t, "gone", r.told()), "stat, port lost")
		r.after(10 * time.Second)
		want(t, "still lost", r.told(), "")
		r.socket.plug(nil, reasoned{"forbidden", "opening COM6: you have no permission"})
		r.after(10 * time.Second)
		want(t, "another reason", r.told(), "port failed forbidden")

		b = newBoard(probe)
		r.socket.plug(b, nil)
		r.after(time.Second)
		want(t, "back", r.told(), "port back, hello, ok")

		// A device that resets its USB is soon found again.
		r.after(5 * time.Second)
		r.told()
		next := newBoard(probe)
		r.socket.plug(next, nil)
		b.unplug()
		r.after(reopenSoon)
		want(t, "soon back", r.told(), "port lost, port back, hello, ok")
		r.end()
	})
}

// A port that opens and fails at once is not opened four times a second.
func TestFlapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(mute)
		b.unplug()
		r := newRoom(t, b).run()
		r.after(20 * time.Second)
		if n := r.socket.tries; n < 15 || n > 22 {
			t.Errorf("opened %d times in 20 s", n)
		}
		r.end()
	})
}

func TestAccounts(t *testing.T) {
	inRoom(t, mute, func(t *testing.T, r *room, b *board) {
		r.after(time.Minute)
		r.told()
		for range 25 {
			b.print("0123456789abc\r\n")
			r.after(100 * time.Millisecond)
		}
		r.after(time.Minute)
		var bytes []int64
		r.mu.Lock()
		for _, e := range r.events {
			if s, ok := e.Body.(*model.Serial); ok {
				if s.Baud != model.Some(115200) {
					t.Errorf("%+v", s)
				}
				bytes = append(bytes, s.Bytes)
			}
		}
		r.mu.Unlock()
		if n := len(bytes); n < 3 || n > 6 || bytes[n-1] != 25*15 || !slices.IsSorted(bytes) {
			t.Errorf("accounts %v, want about three, the last of %d bytes", bytes, 25*15)
		}
	})
}

func TestDecodes(t *testing.T) {
	t.Run("raw bytes and quiet ends", func(t *testing.T) {
		inRoom(t, nil, func(t *testing.T, r *room, b *board) {
			b.print("one\r\ntw")
			r.after(quietTime / 2)
			want(t, "a line and a half", strings.Join(r.logs(), "|"), "one")
			b.print("o\r\nesp> ")
			r.after(quietTime - time.Millisecond)
			want(t, "before it is quiet", strings.Join(r.logs(), "|"), "two")
			r.after(time.Millisecond)
			want(t, "a prompt", strings.TrimSpace(strings.Join(r.logs(), "|")), "esp>")
			b.print("the end")
			r.after(0)
			r.end()
			want(t, "the end", strings.Join(r.logs(), "|"), "the end")
			want(t, "raw", string(r.raw), "one\r\ntwo\r\nesp> the end")
		})
	})
	t.Run("a torn answer", func(t *testing.T) {
		inRoom(t, probe, func(t *testing.T, r *room, b *board) {
			r.told()
			b.mu.Lock()
			b.hear = func(line string) string {
				go func() {
					for _, c := range "esp> " + line + "\r\n" + probe(line) {
						time.Sleep(time.Millisecond)
						b.print(string(c))
					}
				}()
				return ""
			}
			b.mu.Unlock()
			if a, err := r.Do(t.Context(), "set frame=4096"); err != nil || a.Fields["frame"] != "4096" {
				t.Errorf("answer %+v, %v", a, err)
			}
			r.after(10 * time.Millisecond)
			want(t, "told", r.told(), "set, ok")
		})
	})
	t.Run("what came before the end", func(t *testing.T) {
		inRoom(t, nil, func(t *testing.T, r *room, b *board) {
			for range 500 {
				b.print("a line\r\n")
			}
			b.unplug()
			r.after(0)
			if n := len(r.logs()); n != 500 {
				t.Errorf("%d lines of 500", n)
			}
		})
	})
}

// The next command is told after the answer that made its sender go on.
func TestAnswerIsToldBeforeTheNextCommand(t *testing.T) {
	inRoom(t, probe, func(t *testing.T, r *room, b *board) {
		r.told()
		for range 200 {
			if _, err := r.Do(t.Context(), "set frame=4096"); err != nil {
				t.Fatal(err)
			}
		}
		got := r.told()
		want(t, "told", strings.ReplaceAll(got, "set, ok, ", ""), "set, ok")
	})
}

func TestRunEnds(t *testing.T) {
	for name, prepare := range map[string]func(*room, *board){
		"while it reads":               func(*room, *board) {},
		"while it waits for a port":    func(r *room, b *board) { r.socket.plug(nil, errAny); b.unplug() },
		"while the stream never ends":  func(_ *room, b *board) { b.hangs = true },
		"while the stream has no rest": func(_ *room, b *board) { close(b.prints) }, // reads give (0, nil)
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBoard(mute)
				r := newRoom(t, b).run()
				prepare(r, b)
				r.after(1500 * time.Millisecond)
				began := time.Now()
				r.end()
				if took := time.Since(began); took > 2*leaveTime || r.err != nil {
					t.Errorf("ended after %v: %v", took, r.err)
				}
				b.unplug() // so that the bubble ends too
			})
		})
	}
}

// A panic in one of the goroutines is an error of Run.
func TestPanic(t *testing.T) {
	for name, break_ := range map[string]func(*room){
		"reading": func(r *room) { r.cfg.Raw = func(int64, []byte) { panic("boom") } },
		"asking":  func(r *room) { r.commands.send = func(context.Context, string) error { panic("boom") } },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t, newBoard(probe))
				break_(r)
				r.run()
				r.socket.board.print("a line\r\n")
				r.after(time.Second)
				r.end()
				if r.err == nil || !strings.Contains(r.err.Error(), "boom") {
					t.Errorf("Run: %v", r.err)
				}
			})
		})
	}
}
