package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dev.local/linktop/model"
)

// FuzzText feeds a text message to a connection: whatever it says, each event
// it gives is JSON that is safe to show.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		`{"type":"session_start","device":"s3","rate":16000,"x":{"y":[1]}}`,
		`{"type":"audio_sr","seq":1,"t_ms":1.5e3,"rssi":-61,"rtt_ms":null}`,
		`{"type":"audio_sr","seq":9223372036854775807,"heap":-9223372036854775808}`,
		`{"type":"lt","line":"LT #8 ok rev=12 frame=4096"}`, `{"type":"session_end","reason":"\u001b[2J"}`,
		"{\"type\":\"t\",\"a\u009b\":\"\x7f\u202e\"}", "not JSON \x1b]0;x\x07 \xff", `{"type":{}}`, "", "null", "{}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		told := 0
		s, err := New(Config{Sink: func(e model.Event) {
			told++
			line, err := e.AppendJSON(nil)
			if err != nil || !json.Valid(line) {
				t.Fatalf("%q gave %q, %v", text, line, err)
			}
			if i := strings.IndexFunc(string(line), func(r rune) bool { return visible(r) != r }); i >= 0 {
				t.Fatalf("%q gave %q, which is not safe to show", text, line)
			}
			var back model.Event
			if err := back.ParseJSON(line); err != nil {
				t.Fatalf("%q gave %q: %v", text, line, err)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		c := &conn{s: s, id: 1, out: make(chan []byte, 1)}
		c.message(time.UnixMicro(1), text)
		if told == 0 {
			t.Fatalf("%q was told nowhere", text)
		}
		if len(c.out) == 1 && !json.Valid(<-c.out) {
			t.Fatalf("%q was answered with what is no JSON", text)
		}
	})
}
