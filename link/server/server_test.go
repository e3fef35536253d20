package server

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

func TestEveryFrameIsCountedOnce(t *testing.T) {
	s, h := start(t, Config{})
	ws := dial(t, s.DeviceURL(), nil)
	say(t, ws, `{"type":"session_start","device":"s3"}`)
	var want int64
	for n := range 1000 {
		p := make([]byte, 2+n*7%4096)
		want += int64(len(p))
		if err := ws.WriteMessage(websocket.BinaryMessage, p); err != nil {
			t.Fatal(err)
		}
	}
	say(t, ws, `{"type":"audio_sr","seq":1,"t_ms":1000}`)
	rr := await[*model.ReceiverReport](h, 1, nil)
	if rr.ReceivedFrames != 1000 || rr.ReceivedBytes != want {
		t.Errorf("reported %d frames, %d bytes; want 1000, %d", rr.ReceivedFrames, rr.ReceivedBytes, want)
	}
	var sum int64
	for i, b := range bodies[*model.Binary](h) {
		sum += b.LenBytes
		if b.N != int64(i+1) || b.Peer != 1 || b.GapUS.Known() != (i > 0) {
			t.Fatalf("frame %d is told as %+v", i+1, *b)
		}
	}
	if sum != want {
		t.Errorf("told %d bytes, want %d", sum, want)
	}
}

func TestFragmentsAreOneMessage(t *testing.T) {
	s, h := start(t, Config{})
	ws := dial(t, s.DeviceURL(), nil)
	w, err := ws.NextWriter(websocket.BinaryMessage)
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 5000) // beyond the client's buffer of 4096
	for range 10 {
		w.Write(part)
	}
	w.Close()
	if b := await[*model.Binary](h, 1, nil); b.LenBytes != 50000 || b.N != 1 {
		t.Errorf("told %+v, want one message of 50000 bytes", *b)
	}
}

func TestSessionStartOpensNewAccounts(t *testing.T) {
	s, h := start(t, Config{})
	ws := dial(t, s.DeviceURL(), nil)
	ws.WriteMessage(websocket.BinaryMessage, make([]byte, 100))
	say(t, ws, `{"type":"session_start"}`)
	ws.WriteMessage(websocket.BinaryMessage, make([]byte, 10))
	say(t, ws, `{"type":"audio_sr","seq":1}`)
	if rr := await[*model.ReceiverReport](h, 1, nil); rr.ReceivedFrames != 1 || rr.ReceivedBytes != 10 {
		t.Errorf("reported %+v, want the frame after session_start alone", *rr)
	}
}

func TestReceiverReport(t *testing.T) {
	clock := newClock()
	s, h := start(t, Config{Now: clock.now})
	ws := dial(t, s.DeviceURL(), nil)
	say(t, ws, `{"type":"session_start","device":"s3","fw":"x/1","format":"pcm16","rate":16000,"channels":1,"frame_bytes":4096,"scheme":"ws","run":"r1","mood":"good"}`)
	start := await[*model.SessionStart](h, 1, nil)
	if start.Device != "s3" || start.Rate.Value() != 16000 || start.FrameBytes.Value() != 4096 || start.Run != "r1" || string(start.Extra["mood"]) != `"good"` || start.Peer != 1 {
		t.Errorf("session_start is told as %+v", *start)
	}
	say(t, ws, `{"type":"audio_sr","seq":1,"t_ms":500}`)
	if rr := await[*model.ReceiverReport](h, 1, nil); rr.FirstBinaryDelayMS.Known() {
		t.Errorf("the first frame's delay is told as %v before there was one", rr.FirstBinaryDelayMS)
	}
	hear(t, ws)
	clock.pass(250 * time.Millisecond)
	ws.WriteMessage(websocket.BinaryMessage, make([]byte, 640))
	await[*model.Binary](h, 1, nil)
	clock.pass(time.Second)
	say(t, ws, `{"type":"audio_sr","seq":2,"t_ms":1500,"produced_bytes":27400,"sent_bytes":640,"sent_frames":1,"dropped_bytes":0,"drop_count":0,"ringbuf_ms":812,"ringbuf_max_ms":900,"rtt_ms":287.4,"rssi":-61,"heap":150000,"cpu":"40"}`)

	var got map[string]any
	if err := json.Unmarshal([]byte(hear(t, ws)), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"type": "audio_rr", "seq": 2.0, "t_ms": 1500.0, "received_bytes": 640.0, "received_frames": 1.0, "server_ms": float64(clock.now().UnixMilli())}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the device got %v\nwant %v", got, want)
	}
	sr := await[*model.SenderReport](h, 2, nil)
	if sr.ProducedBytes.Value() != 27400 || sr.RSSI.Value() != -61 || sr.RTTMS.Value() != 287 || !sr.DroppedBytes.Known() || string(sr.Extra["cpu"]) != `"40"` {
		t.Errorf("audio_sr is told as %+v", *sr)
	}
	rr := await[*model.ReceiverReport](h, 2, nil)
	if rr.Seq.Value() != 2 || rr.TMS.Value() != 1500 || rr.ReceivedBytes != 640 || rr.FirstBinaryDelayMS.Value() != 250 {
		t.Errorf("audio_rr is told as %+v", *rr)
	}
}

func TestTextThatIsNotKnownIsKept(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		text  string
		check func(*testing.T, *model.Message)
	}{
		"unknown type": {`{"type":"vad_state","on":true}`, func(t *testing.T, m *model.Message) {
			if m.Type != "vad_state" || !strings.Contains(string(m.Raw), `"on":true`) {
				t.Errorf("told %q %q", m.Type, m.Raw)
			}
		}},
		"no type":       {`{"a":1}`, wantRaw(`{"a":1}`)},
		"type a number": {`{"type":7}`, wantRaw(`{"type":7}`)},
		"no JSON":       {"hello \x1b[31mred\x07\u009b2J\u202e", wantRaw("hello [31mred 2J ")},
		"an array":      {`[1,2]`, wantRaw(`[1,2]`)},
		"null":          {`null`, wantRaw(`null`)},
		"empty":         {"", wantRaw("")},
		"long":          {long, wantRaw(long[:1024])},
		"bad UTF-8":     {"a\xff\xfeb", wantRaw("a b")},
		"lt, no answer": {`{"type":"lt","line":"what?"}`, func(t *testing.T, m *model.Message) {
			if m.Type != "lt" {
				t.Errorf("told %q %q", m.Type, m.Raw)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := start(t, Config{})
			ws := dial(t, s.DeviceURL(), nil)
			say(t, ws, c.text)
			c.check(t, await[*model.Message](h, 1, nil))
			ws.WriteMessage(websocket.BinaryMessage, []byte{1, 2})
			await[*model.Binary](h, 1, nil) // the rest goes on
		})
	}
}

func wantRaw(want string) func(*testing.T, *model.Message) {
	return func(t *testing.T, m *model.Message) {
		if string(m.Raw) != want {
			t.Errorf("told %q, want %q", m.Raw, want)
		}
	}
}

func TestValuesOfTheWrongTypeAreKeptNotBelieved(t *testing.T) {
	s, h := start(t, Config{})
	ws := dial(t, s.DeviceURL(), nil)
	say(t, ws, `{"type":"session_start","device":17,"fw":"a\u001b[2Jb","rate":"16000","channels":1e300,"x\u0007":"\u009b"}`)
	start := await[*model.SessionStart](h, 1, nil)
	if start.Device != "" || start.FW != "a [2Jb" || start.Rate.Known() || start.Channels.Known() {
		t.Errorf("told %+v", *start)
	}
	for key, want := range map[string]string{"device": "17", "rate": `"16000"`, "channels": "1e300", "x ": `" "`} {
		if got := string(start.Extra[key]); got != want && !(key == "x " && got == `"\u009b"`) {
			t.Errorf("Extra[%q] = %q, want %q", key, got, want)
		}
	}
	say(t, ws, `{"type":"audio_sr","seq":"nine","t_ms":{"a":1}}`)
	if got := hear(t, ws); !strings.Contains(got, `"seq":"nine"`) || strings.Contains(got, "t_ms") {
		t.Errorf("the device got %s", got)
	}
}

func TestCommandsBothWays(t *testing.T) {
	s, h := start(t, Config{})
	if err := s.Send(t.Context(), "lt #1 hello"); err == nil || !strings.Contains(err.Error(), "no device") {
		t.Errorf("sending to nobody: %v", err)
	}
	ws := dial(t, s.DeviceURL(), nil)
	await(h, 1, peerIs("open"))
	if err := s.Send(t.Context(), "lt #8 set frame=4096&x<y\r"); err != nil {
		t.Fatal(err)
	}
	if got, want := hear(t, ws), `{"type":"lt","line":"lt #8 set frame=4096&x<y"}`; got != want {
		t.Errorf("the device got %s, want %s", got, want)
	}
	say(t, ws, `{"type":"lt","line":"LT #8 ok rev=12 frame=4096"}`)
	a := await[*model.Answer](h, 1, nil)
	if a.N != 8 || !a.OK || a.Via != "ws" || a.Fields["frame"] != "4096" {
		t.Errorf("the answer is told as %+v", *a)
	}
	say(t, ws, `{"type":"lt","line":"LT #9 err code=range key=frame"}`)
	if a := await[*model.Answer](h, 2, nil); a.OK || a.Code != "range" {
		t.Errorf("the answer is told as %+v", *a)
	}
}

func TestTheNewestConnectionSteers(t *testing.T) {
	s, h := start(t, Config{})
	first := dial(t, s.DeviceURL(), nil)
	await(h, 1, peerIs("open"))
	second := dial(t, s.DeviceURL(), nil)
	await(h, 2, peerIs("open"))
	s.Send(t.Context(), "lt #1 hello")
	if got := hear(t, second); !strings.Contains(got, "#1") {
		t.Errorf("the newest got %s", got)
	}
	first.WriteMessage(websocket.BinaryMessage, make([]byte, 3))
	second.WriteMessage(websocket.BinaryMessage, make([]byte, 5))
	await(h, 1, func(b *model.Binary) bool { return b.Peer == 1 && b.N == 1 && b.LenBytes == 3 })
	await(h, 1, func(b *model.Binary) bool { return b.Peer == 2 && b.N == 1 && b.LenBytes == 5 })
	second.Close()
	await(h, 1, peerIs("closed"))
	for end := time.Now().Add(patience); s.newest() == nil || s.newest().id != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the first connection does not steer again")
		}
	}
	s.Send(t.Context(), "lt #2 hello")
	if got := hear(t, first); !strings.Contains(got, "#2") {
		t.Errorf("the one that remains got %s", got)
	}
}

func TestPingTellsTheRoundTrip(t *testing.T) {
	s, h := start(t, Config{Limits: Limits{Ping: 20 * time.Millisecond}})
	ws := dial(t, s.DeviceURL(), nil)
	go ws.ReadMessage() // answers pings
	ws.WriteControl(websocket.PongMessage, []byte("999"), time.Now().Add(patience))
	if p := await[*model.Ping](h, 2, nil); p.RTTUS <= 0 || p.Peer != 1 {
		t.Errorf("told %+v", *p)
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	h := &heard{t: t}
	s, err := New(Config{Listen: "127.0.0.1:0", Sink: h.sink})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var clients []*websocket.Conn
	for range 5 {
		clients = append(clients, dial(t, s.DeviceURL(), nil))
	}
	half := dialRaw(t, s)
	await(h, 5, peerIs("open"))
	cancel()
	_, _, err = clients[0].ReadMessage()
	if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("the client saw %v, want close 1001", err)
	}
	await[*model.Server](h, 1, func(e *model.Server) bool { return e.State == "stopped" })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, p := range bodies[*model.Peer](h) {
		if p.State == "closed" && p.Reason != "the server stopped" {
			t.Errorf("closed: %s", p.Reason)
		}
	}
	if n := len(h.all()); n != 12 { // listening, 5 open, 5 closed, stopped
		t.Errorf("told %d events, want 12", n)
	}
	half.Close()
	for _, c := range clients {
		c.Close()
	}
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), b[:runtime.Stack(b, true)])
		}
	}
	if err := s.Start(t.Context()); err == nil {
		t.Error("a closed server started again")
	}
}

func TestAPanicEndsOneConnection(t *testing.T) {
	h := &heard{t: t}
	s, _ := start(t, Config{Sink: func(e model.Event) {
		if _, ok := e.Body.(*model.SessionStart); ok {
			panic("boom")
		}
		h.sink(e)
	}})
	other := dial(t, s.DeviceURL(), nil)
	await(h, 1, peerIs("open"))
	ws := dial(t, s.DeviceURL(), nil)
	await(h, 2, peerIs("open"))
	say(t, ws, `{"type":"session_start"}`)
	p := await(h, 1, peerIs("closed"))
	if p.ID != 2 || !strings.Contains(p.Reason, "internal error: boom at ") || !strings.Contains(p.Reason, "TestAPanic") {
		t.Errorf("told %+v", *p)
	}
	other.WriteMessage(websocket.BinaryMessage, []byte{1})
	await[*model.Binary](h, 1, nil)
}

func TestAPanicOverARefusalEndsNothing(t *testing.T) {
	h := &heard{t: t}
	s, _ := start(t, Config{Sink: func(e model.Event) {
		h.sink(e)
		if p, ok := e.Body.(*model.Peer); ok && p.State == "refused" {
			panic("boom")
		}
	}})
	dialRaw(t, s).Close() // told of when the socket closes
	await(h, 1, refusedFor("sent nothing"))
	if _, _, err := websocket.DefaultDialer.Dial("ws://"+s.Addr().String()+"/no", nil); err == nil {
		t.Error("/no was answered")
	}
	await(h, 2, peerIs("refused"))
	dial(t, s.DeviceURL(), nil)
	await(h, 1, peerIs("open"))
}
