package virtual

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

func TestServerSteersAndPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{})
		defer l.stop()
		l.start("")
		time.Sleep(4 * time.Second)
		ponged := make(chan string, 1)
		l.server.mu.Lock()
		l.server.ws.SetPongHandler(func(s string) error { ponged <- s; return nil })
		l.server.ws.WriteControl(websocket.PingMessage, []byte("x1"), time.Now().Add(time.Second))
		l.server.mu.Unlock()
		l.server.say(map[string]string{"type": "weather", "line": "sunny"})
		asked := time.Now()
		l.server.say(map[string]string{"type": "lt", "line": "lt #8 set frame=1024"})
		for l.server.last("lt") == nil && time.Since(asked) < 3*time.Second {
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(asked); took > time.Second {
			t.Errorf("the answer took %v, a host waits a second", took)
		}
		if got := l.server.last("lt")["line"]; got != "LT #8 ok rev=2 frame=1024 burst=0 idle=0 pace=0 agg=off codec=pcm16 sndbuf=5760" {
			t.Errorf("answer %v", got)
		}
		select {
		case s := <-ponged:
			if s != "x1" {
				t.Errorf("pong %q", s)
			}
		case <-time.After(time.Second):
			t.Error("no pong")
		}
		// The answer stays where the question was.
		if len(l.printed("LT #8")) != 0 || len(l.printed("LT cfg rev=2 frame=1024")) != 1 {
			t.Error("the console should show the mark and not the answer")
		}
	})
}

func TestServerGoneAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{RTT: 20 * time.Millisecond})
		defer l.stop()
		l.start("")
		time.Sleep(2 * time.Second)
		for range 2 {
			conns := l.server.seen().conns
			l.server.mu.Lock()
			l.server.ws.Close() // as a server that died
			l.server.mu.Unlock()
			time.Sleep(800 * time.Millisecond)
			if got := l.ask("stat"); !strings.HasPrefix(got, "ok ws=connecting") {
				t.Error(got)
			}
			time.Sleep(time.Second)
			if got := l.ask("stat"); !strings.HasPrefix(got, "ok ws=up") || l.server.seen().conns != conns+1 {
				t.Errorf("%d connections; %s", l.server.seen().conns, got)
			}
		}
		if len(l.printed("E (")) == 0 {
			t.Error("no error line tells of it")
		}
		l.server.mu.Lock()
		l.server.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1001, ""), time.Now().Add(time.Second))
		l.server.mu.Unlock()
		time.Sleep(2 * time.Second)
		if l.server.seen().conns != 4 || len(l.printed("W (")) == 0 {
			t.Errorf("%d connections after a close; %q", l.server.seen().conns, l.printed("W ("))
		}
	})
}

// Retries grow from one second to five, and a new URL is heeded at once.
func TestRetriesGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := []time.Time{}
		n := newPipeNet()
		d := New(Options{URL: labURL, Dial: func(ctx context.Context, a string) (Parent, error) {
			fails = append(fails, time.Now())
			return nil, errors.New("connection refused")
		}})
		n.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- d.Run(ctx) }()
		time.Sleep(40 * time.Second)
		c, err := d.OpenConsole()
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "lt #1 url ws://other/\r")
		before := time.Now()
		time.Sleep(100 * time.Millisecond)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		for i, want := range []time.Duration{1, 2, 3, 4, 5, 5, 5} {
			if got := fails[i+1].Sub(fails[i]); got != want*time.Second {
				t.Errorf("pause %d = %v, want %d s", i+1, got, want)
			}
		}
		if last := fails[len(fails)-1]; last.Before(before) {
			t.Error("a new URL waited for the retry")
		}
	})
}

// A server that stops reading: what is blocked times out as on the device, is
// traced as failed, and a new connection is made.
func TestServerStalls(t *testing.T) {
	for name, c := range map[string]struct {
		set, failed string
		stall       time.Duration
	}{
		"in poll":              {"frame=4096", "transport_ws: Error transport_poll_write(0)", 8 * time.Second},
		"in a payload's write": {"frame=16384", "esp_transport_write() returned", 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, Options{RTT: 50 * time.Millisecond})
				defer l.stop()
				l.start(c.set)
				time.Sleep(3 * time.Second)
				stall := make(chan struct{})
				l.server.mu.Lock()
				l.server.stall = stall
				l.server.mu.Unlock()
				time.Sleep(c.stall)
				l.server.mu.Lock()
				l.server.stall = nil
				l.server.mu.Unlock()
				close(stall)
				time.Sleep(5 * time.Second)
				short := 0
				for _, line := range l.printed("LT w") {
					w := words(line)
					if w["n"] != w["r"] {
						short++
					}
				}
				if short != 1 {
					t.Errorf("%d failed writes traced, want 1", short)
				}
				if errors := strings.Join(l.printed("E ("), "\n"); !strings.Contains(errors, c.failed) {
					t.Errorf("no %q in %q", c.failed, l.printed("E ("))
				}
				if got := l.ask("stat"); l.server.seen().conns != 2 || !strings.HasPrefix(got, "ok ws=up") {
					t.Errorf("%d connections; %s", l.server.seen().conns, got)
				}
			})
		})
	}
}

// A new URL ends the session in order, all that was sent included, and the
// next one begins there at once.
func TestURLMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{})
		defer l.stop()
		l.start("")
		time.Sleep(6300 * time.Millisecond)
		before := words(l.ask("stat"))
		if got := l.ask("url ws://other/audio?token=xyz"); got != "ok url=ws://other/audio" {
			t.Fatal(got)
		}
		time.Sleep(3 * time.Second)
		got := l.server.seen()
		if got.conns != 2 || got.query != "token=xyz" {
			t.Errorf("%d connections, query %q", got.conns, got.query)
		}
		if end := l.server.last("session_end"); end["reason"] != "url" {
			t.Errorf("session_end %v", end)
		}
		if sent := before["sent_frames"]; sent == "0" || got.total < 10 || l.server.count("session_start") != 2 {
			t.Errorf("%s frames before; %+v", sent, got.total)
		}
		l.ask("stop")
		time.Sleep(2 * time.Second)
		// Over both sessions nothing traced as sent is missing at the server.
		if traced := int64(len(l.frames())); traced != l.server.seen().total {
			t.Errorf("%d frames traced, %d received", traced, l.server.seen().total)
		}
	})
}
