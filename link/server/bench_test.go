package server

import (
	"context"
	"testing"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

// BenchmarkBinary is frames of 4096 bytes over loopback TCP, the client's work
// included. The allocation is one reader of 8 bytes a message, in
// gorilla/websocket.
func BenchmarkBinary(b *testing.B) {
	last := make(chan struct{})
	frames := 0
	s, err := New(Config{Listen: "127.0.0.1:0", Sink: func(e model.Event) {
		if _, ok := e.Body.(*model.Binary); ok {
			if frames++; frames == b.N {
				close(last)
			}
		}
	}})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Start(context.Background()); err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ws, _, err := websocket.DefaultDialer.Dial(s.DeviceURL(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	const size = 4096
	frame := append([]byte{0x82, 0x80 | 126, size >> 8, size & 0xff, 1, 2, 3, 4}, make([]byte, size)...)
	var batch []byte
	for range 16 {
		batch = append(batch, frame...)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	b.ResetTimer()
	raw := ws.NetConn()
	for sent := 0; sent < b.N; {
		n := min(16, b.N-sent)
		if _, err := raw.Write(batch[:n*len(frame)]); err != nil {
			b.Fatal(err)
		}
		sent += n
	}
	<-last
}
