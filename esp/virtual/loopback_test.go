package virtual

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Over a real socket, in real time, plain and with TLS.
func TestLoopback(t *testing.T) {
	for name, c := range map[string]struct {
		tls        bool
		kind, want string
	}{
		"ws":  {false, "k=tcp", "ws"},
		"wss": {true, "k=ssl", "wss"},
	} {
		t.Run(name, func(t *testing.T) {
			server := &sink{t: t}
			h := httptest.NewUnstartedServer(server)
			o := Options{RTT: time.Millisecond, Rate: 250_000, FreeCPU: true, Baud: -1}
			if c.tls {
				h.StartTLS()
				roots := x509.NewCertPool()
				roots.AddCert(h.Certificate())
				o.TLS = &tls.Config{RootCAs: roots}
			} else {
				h.Start()
			}
			defer h.Close()
			o.URL = strings.Replace(h.URL, "http", "ws", 1) + "/audio?token=abc"
			l := &lab{t: t, dev: New(o), server: server}
			l.open()
			ctx, cancel := context.WithCancel(context.Background())
			var run sync.WaitGroup
			run.Go(func() { l.dev.Run(ctx) })
			defer run.Wait()
			defer cancel()

			l.until("the console", func() bool { return len(l.printed("LT cfg")) > 0 })
			l.enter("lt #1 set frame=256", "LT #1 ok")
			l.until("300 frames and a report", func() bool {
				server.mu.Lock()
				defer server.mu.Unlock()
				return server.frames >= 300
			})
			l.until("a report", func() bool { return server.last("audio_sr") != nil })
			l.enter("lt #2 stop", "LT #2 ok")
			l.until("session_end", func() bool { return server.last("session_end") != nil })
			stat := words(l.enter("lt #3 stat", "LT #3 ok"))

			server.mu.Lock()
			defer server.mu.Unlock()
			var traced int64
			for _, f := range l.frames() {
				traced += f["r"]
			}
			if stat["sent_bytes"] != itoa(server.bytes) || stat["sent_frames"] != itoa(server.frames) || traced != server.bytes {
				t.Errorf("device %s bytes in %s frames, traced %d bytes, server %d in %d", stat["sent_bytes"], stat["sent_frames"], traced,
					server.bytes, server.frames)
			}
			if len(server.uneven) > 0 {
				t.Errorf("reports that did not agree with what had arrived: %q", server.uneven)
			}
			if s := server.texts[0]; s["scheme"] != c.want || server.query != "token=abc" {
				t.Errorf("%v, query %q", s, server.query)
			}
			if p := l.printed("LT p"); len(p) == 0 || !strings.Contains(p[0], c.kind) {
				t.Errorf("parent writes %q, want %s", p[:min(1, len(p))], c.kind)
			}
		})
	}
}

func TestHandshakeFails(t *testing.T) {
	server := httptest.NewUnstartedServer(&sink{t: t})
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	l := &lab{t: t, dev: New(Options{RTT: time.Millisecond, URL: strings.Replace(server.URL, "http", "ws", 1)})}
	l.open()
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { l.dev.Run(ctx) })
	defer run.Wait()
	defer cancel()
	l.until("a certificate nobody knows to be refused", func() bool {
		for _, line := range l.printed("E (") {
			if strings.Contains(line, "mbedtls_ssl_handshake returned -0x2700") {
				return true
			}
		}
		return false
	})
}

// until polls for what must come, however slow the machine.
func (l *lab) until(what string, done func() bool) {
	l.t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.t.Fatalf("no %s in 30 s; the console's last lines: %q", what, l.lines[max(0, len(l.lines)-10):])
		}
	}
}

// enter types a line and waits for the answer that begins with prefix.
func (l *lab) enter(line, prefix string) (answer string) {
	l.t.Helper()
	l.console.Write([]byte(line + "\r"))
	l.until(prefix, func() bool { return len(l.printed(prefix)) > 0 })
	return l.printed(prefix)[0]
}
