package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

func refusedFor(words string) func(*model.Peer) bool {
	return func(p *model.Peer) bool { return p.State == "refused" && strings.Contains(p.Reason, words) }
}

func closedFor(words string) func(*model.Peer) bool {
	return func(p *model.Peer) bool { return p.State == "closed" && strings.Contains(p.Reason, words) }
}

// frameHeader is a masked frame's header with a 64-bit length.
func frameHeader(opcode byte, n uint64) []byte {
	b := []byte{0x80 | opcode, 0x80 | 127}
	for i := 56; i >= 0; i -= 8 {
		b = append(b, byte(n>>i))
	}
	return append(b, 0, 0, 0, 0)
}

func TestMessagesTooBig(t *testing.T) {
	for name, c := range map[string]struct {
		header []byte
		send   int64
		reason string
	}{
		"100 MB binary":        {frameHeader(model.OpBinary, 100<<20), 100 << 20, "too big (1009)"},
		"100 MB text":          {frameHeader(model.OpText, 100<<20), 100 << 20, "too big (1009)"},
		"text of 65537 bytes":  {frameHeader(model.OpText, 65537), 65537, "text message was too big (1009)"},
		"length of 2^62":       {frameHeader(model.OpBinary, 1<<62), 1 << 20, "too big (1009)"},
		"length of 2^63":       {frameHeader(model.OpBinary, 1<<63), 1 << 20, "too big (1009)"},
		"endless fragments":    {[]byte{model.OpBinary, 0x80, 0, 0, 0, 0}, 0, "too big (1009)"},
		"control frame of 4 K": {frameHeader(model.OpPing, 4096), 4096, "protocol (1002)"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := start(t, Config{})
			ws := dial(t, s.DeviceURL(), nil)
			raw := ws.NetConn()
			sent := make(chan struct{})
			go func() { // blasts, whatever comes back
				defer close(sent)
				raw.Write(c.header)
				if c.send == 0 {
					part := append([]byte{model.OpContinuation, 0x80 | 126, 0x40, 0, 0, 0, 0, 0}, make([]byte, 0x4000)...)
					for err := error(nil); err == nil; {
						_, err = raw.Write(part)
					}
				}
				io.CopyN(raw, zeros{}, c.send)
			}()
			ws.SetReadDeadline(time.Now().Add(patience))
			_, _, err := ws.ReadMessage()
			want := websocket.CloseMessageTooBig
			if strings.Contains(c.reason, "1002") {
				want = websocket.CloseProtocolError
			}
			if !websocket.IsCloseError(err, want) {
				t.Errorf("the client saw %v, want close %d", err, want)
			}
			await(h, 1, closedFor(c.reason))
			ws.Close()
			<-sent
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestTextUpToTheLimitIsTaken(t *testing.T) {
	s, h := start(t, Config{})
	ws := dial(t, s.DeviceURL(), nil)
	say(t, ws, strings.Repeat("a", 64<<10))
	await[*model.Message](h, 1, nil)
	w, _ := ws.NextWriter(websocket.TextMessage) // in fragments, one byte more
	w.Write(bytes.Repeat([]byte("a"), 64<<10+1))
	w.Close()
	await(h, 1, closedFor("text message was too big (1009)"))
}

func TestAMessageOfAnySizeTakesNoMemory(t *testing.T) {
	s, h := start(t, Config{Limits: Limits{BinaryBytes: 1 << 40}})
	ws := dial(t, s.DeviceURL(), nil)
	await(h, 1, peerIs("open"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const size = 100 << 20
	ws.NetConn().Write(frameHeader(model.OpBinary, size))
	io.CopyBuffer(struct{ io.Writer }{ws.NetConn()}, io.LimitReader(zeros{}, size), make([]byte, 64<<10))
	if b := await[*model.Binary](h, 1, nil); b.LenBytes != size {
		t.Errorf("told %d bytes, want %d", b.LenBytes, size)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("reading %d bytes allocated %d", size, grown)
	}
}

func TestHandshakesThatDoNotEnd(t *testing.T) {
	for name, c := range map[string]struct {
		send   string
		reason string
	}{
		"nothing":     {"", "connected and sent nothing"},
		"half a line": {"GET /aud", "no whole HTTP request in 150ms"},
		"half a head": {"GET /audio HTTP/1.1\r\nHost: a\r\n", "no whole HTTP request in 150ms"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := start(t, Config{Limits: Limits{Handshake: 150 * time.Millisecond}})
			c1 := dialRaw(t, s)
			io.WriteString(c1, c.send)
			io.Copy(io.Discard, c1) // until the server closes
			await(h, 1, refusedFor(c.reason))
		})
	}
	t.Run("a byte now and then", func(t *testing.T) {
		s, h := start(t, Config{Limits: Limits{Handshake: 150 * time.Millisecond}})
		c1 := dialRaw(t, s)
		io.WriteString(c1, "GET /audio HTTP/1.1\r\n")
		for {
			if _, err := io.WriteString(c1, "a: b\r\n"); err != nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		await(h, 1, refusedFor("no whole HTTP request"))
	})
}

func TestGarbageBeforeTheUpgrade(t *testing.T) {
	for name, c := range map[string]struct {
		send, answer, reason string
	}{
		"no HTTP":      {"\x00\x01\x02\r\n\r\n", "400", "no HTTP request that can be read"},
		"TLS":          {"\x16\x03\x01\x00\x05hello\r\n\r\n", "400", "speaks TLS"},
		"header 20 KB": {"GET /audio HTTP/1.1\r\nHost: a\r\nx: " + strings.Repeat("y", 20<<10) + "\r\n\r\n", "431", "no HTTP request that can be read"},
		"bad key":      {"GET /audio HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n", "400", "Sec-WebSocket-Key"},
		"version 8":    {"GET /audio HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n\r\n", "426", `version "8"`},
		"no upgrade":   {"GET /audio HTTP/1.1\r\nHost: a\r\n\r\n", "426", "asks for no WebSocket"},
		"POST":         {"POST /audio HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n", "405", "method POST"},
		"wrong path":   {"GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "404", "at /audio, not at /ws"},
		"DELETE":       {"DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", "405", "method DELETE"},
		"no such page": {"GET /admin HTTP/1.1\r\nHost: a\r\n\r\n", "404", "nothing is at /admin"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := start(t, Config{})
			c1 := dialRaw(t, s)
			io.WriteString(c1, c.send)
			line, err := bufio.NewReader(c1).ReadString('\n')
			if !strings.HasPrefix(line, "HTTP/1.1 "+c.answer) {
				t.Errorf("answered %q (%v), want %s", line, err, c.answer)
			}
			c1.Close()
			await(h, 1, refusedFor(c.reason))
		})
	}
}

func TestAHeaderWithoutEndTakesNoMemory(t *testing.T) {
	s, h := start(t, Config{})
	c := dialRaw(t, s)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	io.WriteString(c, "GET /audio HTTP/1.1\r\nHost: a\r\nx: ")
	n, err := io.CopyBuffer(struct{ io.Writer }{c}, io.LimitReader(zeros{}, 100<<20), make([]byte, 64<<10))
	if err == nil {
		t.Error("the server took a header of 100 MB")
	}
	await(h, 1, peerIs("refused"))
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("%d bytes of header allocated %d", n, grown)
	}
}

func TestTooManyConnections(t *testing.T) {
	s, h := start(t, Config{Limits: Limits{Connections: 3}})
	var open []*websocket.Conn
	for range 3 {
		open = append(open, dial(t, s.DeviceURL(), nil))
	}
	_, resp, err := websocket.DefaultDialer.Dial(s.DeviceURL(), nil)
	if err == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("the fourth: %v", err)
	}
	await(h, 1, refusedFor("3 devices are connected"))
	await(h, 3, peerIs("open"))
	open[0].Close()
	await(h, 1, peerIs("closed"))
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		ws, _, err := websocket.DefaultDialer.Dial(s.DeviceURL(), nil)
		if err == nil {
			ws.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no place became free: %v", err)
		}
	}
}

func TestTooManyHalfOpenConnections(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		reason string
	}{
		"in all":           {Limits{HalfOpen: 4}, "too many connections that do not"},
		"from one address": {Limits{HalfOpenAddress: 4}, "from this address"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := start(t, Config{Limits: c.limits})
			dial(t, s.DeviceURL(), nil) // those that upgraded do not count
			await(h, 1, peerIs("open"))
			var half []net.Conn
			for range 4 {
				half = append(half, dialRaw(t, s))
			}
			over := dialRaw(t, s)
			if _, err := over.Read(make([]byte, 1)); err == nil || errors.Is(err, errTimeout(err)) {
				t.Errorf("the fifth was not closed: %v", err)
			}
			await(h, 1, refusedFor(c.reason))
			for _, c := range half {
				c.Close()
			}
			await(h, 4, refusedFor("sent nothing"))
			dial(t, s.DeviceURL(), nil)
		})
	}
}

// errTimeout is err where it is a time-out, else no error that occurs.
func errTimeout(err error) error {
	var e net.Error
	if errors.As(err, &e) && e.Timeout() {
		return err
	}
	return io.ErrNoProgress
}

func TestRefusalsAreToldAtABoundedRate(t *testing.T) {
	clock := newClock()
	var told []model.Peer
	r := refusals{now: clock.now, tell: func(p model.Peer) { told = append(told, p) }}
	for range 1000 {
		r.add(model.Peer{}, "no")
	}
	if len(told) != refusalsPerSecond {
		t.Errorf("told %d at once, want %d", len(told), refusalsPerSecond)
	}
	r.flush()
	r.add(model.Peer{}, "no")
	var sum int64
	for _, p := range told {
		sum += max(1, p.Count)
	}
	if len(told) != refusalsPerSecond+1 || sum != 1000 {
		t.Errorf("told %d events for %d refusals, want %d for 1000", len(told), sum, refusalsPerSecond+1)
	}
}

func TestHeldRefusalsAreToldWhenTheSecondIsOver(t *testing.T) {
	s, h := start(t, Config{})
	for range 12 {
		resp, err := http.Get("http://" + s.Addr().String() + "/nowhere")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		var sum int64
		for _, p := range bodies[*model.Peer](h) {
			sum += max(1, p.Count)
		}
		if sum == 12 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("told of %d refusals, want 12", sum)
		}
	}
}

func TestASilentDeviceIsClosed(t *testing.T) {
	s, h := start(t, Config{Limits: Limits{Idle: 200 * time.Millisecond, Ping: time.Hour}})
	ws := dial(t, s.DeviceURL(), nil)
	busy := dial(t, s.DeviceURL(), nil)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				busy.WriteMessage(websocket.BinaryMessage, []byte{1})
			}
		}
	}()
	p := await(h, 1, closedFor("no byte came for 200ms"))
	if p.Address != ws.LocalAddr().String() {
		t.Errorf("closed %s, want the silent %s", p.Address, ws.LocalAddr())
	}
}

func TestADeviceThatDoesNotRead(t *testing.T) {
	s, h := start(t, Config{Limits: Limits{Write: 200 * time.Millisecond, Ping: 20 * time.Millisecond}})
	ws := dial(t, s.DeviceURL(), nil)
	ws.NetConn().(*net.TCPConn).SetReadBuffer(1)
	await(h, 1, peerIs("open"))
	line := "lt #1 " + strings.Repeat("x", 60<<10)
	var refused error
	for end := time.Now().Add(patience); time.Now().Before(end) && len(bodies[*model.Peer](h)) < 2; {
		if err := s.Send(t.Context(), line); err != nil {
			refused = err
		}
	}
	p := await(h, 1, peerIs("closed"))
	if !strings.Contains(p.Reason, "did not read") {
		t.Errorf("closed: %s", p.Reason)
	}
	if refused == nil || !strings.Contains(refused.Error(), "does not read") {
		t.Errorf("a full queue said %v", refused)
	}
}

func TestReasonsOfTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(*websocket.Conn)
		reason string
	}{
		"1000":             {sendClose(1000, ""), "closed by the device (1000)"},
		"1001 with text":   {sendClose(1001, "deep sleep\x07"), "it goes away (1001): deep sleep "},
		"code of its own":  {sendClose(4001, ""), "closed by the device (4001)"},
		"no code":          {func(ws *websocket.Conn) { ws.WriteControl(websocket.CloseMessage, nil, time.Now().Add(patience)) }, "no code given (1005)"},
		"no close frame":   {func(ws *websocket.Conn) { ws.NetConn().Close() }, "without a close frame (1006)"},
		"reset":            {func(ws *websocket.Conn) { ws.NetConn().(*net.TCPConn).SetLinger(0); ws.NetConn().Close() }, "without a close frame (1006)"},
		"cut in a message": {func(ws *websocket.Conn) { ws.NetConn().Write(append(frameHeader(2, 4096), 1)); ws.NetConn().Close() }, "without a close frame (1006)"},
		"no mask":          {func(ws *websocket.Conn) { ws.NetConn().Write([]byte{0x82, 1, 1}) }, "protocol (1002): bad MASK"},
		"bad opcode":       {func(ws *websocket.Conn) { ws.NetConn().Write([]byte{0x83, 0x80, 0, 0, 0, 0}) }, "protocol (1002): bad opcode 3"},
		"compressed":       {func(ws *websocket.Conn) { ws.NetConn().Write([]byte{0xc2, 0x80, 0, 0, 0, 0}) }, "protocol (1002): RSV1 set"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := start(t, Config{})
			ws := dial(t, s.DeviceURL(), nil)
			say(t, ws, `{"type":"session_start"}`)
			await[*model.SessionStart](h, 1, nil)
			c.end(ws)
			p := await(h, 1, peerIs("closed"))
			if !strings.Contains(p.Reason, c.reason) {
				t.Errorf("closed: %q, want %q in it", p.Reason, c.reason)
			}
			if e := await[*model.SessionEnd](h, 1, nil); e.Reason != p.Reason {
				t.Errorf("the session ended for %q, the connection for %q", e.Reason, p.Reason)
			}
		})
	}
}

func sendClose(code int, text string) func(*websocket.Conn) {
	return func(ws *websocket.Conn) {
		ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, text), time.Now().Add(patience))
	}
}

func TestSessionEndIsToldOnce(t *testing.T) {
	s, h := start(t, Config{})
	ws := dial(t, s.DeviceURL(), nil)
	say(t, ws, `{"type":"session_start"}`)
	say(t, ws, `{"type":"session_end","reason":"done","frames":9}`)
	e := await[*model.SessionEnd](h, 1, nil)
	if e.Reason != "done" || string(e.Extra["frames"]) != "9" {
		t.Errorf("told %+v", *e)
	}
	ws.Close()
	await(h, 1, peerIs("closed"))
	if n := len(bodies[*model.SessionEnd](h)); n != 1 {
		t.Errorf("told %d ends, want 1", n)
	}
}
