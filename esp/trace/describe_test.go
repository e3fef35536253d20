package trace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// decode is all that a console's output gives when it arrives in one piece.
func decode(p []byte) []model.Event {
	var out []model.Event
	keep := func(e *model.Event) { out = append(out, e.Clone()) }
	d := trace.New()
	d.Feed(1, p, keep)
	d.Close(1, keep)
	return out
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	p, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// line is one event in a few words, so that a table can be read.
func line(e *model.Event) string {
	var b strings.Builder
	b.WriteString(e.Body.Kind())
	put := func(name string, v any) { fmt.Fprintf(&b, " %s=%v", name, v) }
	opt := func(name string, v model.Opt) {
		if v.Known() {
			put(name, v.Value())
		}
	}
	str := func(name, v string) {
		if v != "" {
			put(name, v)
		}
	}
	switch v := e.Body.(type) {
	case *model.Log:
		str("", v.Level)
		fmt.Fprintf(&b, " %s|%s", v.Tag, v.Text)
	case *model.Frame:
		opt("seq", v.Seq)
		opt("op", v.Opcode)
		opt("n", v.PayloadBytes)
		opt("t", v.TotalUS)
		opt("p", v.PollUS)
		opt("m", v.MaskUS)
		opt("h", v.HeaderUS)
		opt("w", v.PayloadUS)
		opt("other", v.OtherUS())
		opt("r", v.Ret)
		opt("rev", v.Rev)
		if v.Repaired {
			b.WriteString(" repaired")
		}
		if v.AfterIdle {
			b.WriteString(" idle")
		}
		str("extra", v.Extra.String())
	case *model.Parent:
		opt("seq", v.Seq)
		str("k", v.Transport)
		opt("n", v.LenBytes)
		opt("p", v.PollUS)
		opt("w", v.WriteUS)
		opt("t", v.TotalUS)
		opt("r", v.Ret)
		opt("e", v.Errno)
	case *model.Settings:
		opt("rev", v.Rev)
		opt("frame", v.FrameBytes)
		opt("burst", v.BurstFrames)
		opt("idle", v.IdleMS)
	case *model.Answer:
		put("n", v.N)
		put("ok", v.OK)
		str("code", v.Code)
		str("caps", v.Fields["caps"])
		str("key", v.Fields["key"])
		str("min", v.Fields["min"])
		str("max", v.Fields["max"])
	case *model.Boot:
		str("reason", v.Reason)
		str("code", v.Code)
		str("idf", v.IDF)
	case *model.Panic:
		opt("core", v.Core)
		str("cause", v.Cause)
		str("pc", v.PC)
		put("backtrace", len(v.Backtrace))
	case *model.WiFi:
		str("state", v.State)
		opt("reason", v.Reason)
	case *model.Fault:
		str("area", v.Area)
		str("code", v.Code)
	case *model.Damage:
		str("what", v.What)
		if v.What == "lost" {
			opt("from", v.SeqFrom)
			opt("to", v.SeqTo)
		}
	}
	return b.String()
}

// checkText: nothing that a terminal would obey is in any text.
func checkText(t testing.TB, events []model.Event) {
	t.Helper()
	check := func(kind string, b string) {
		if !utf8.ValidString(b) {
			t.Errorf("%s has what is no UTF-8: %q", kind, b)
		}
		if i := strings.IndexFunc(b, unicode.IsControl); i >= 0 {
			t.Errorf("%s has a control character at %d: %q", kind, i, b)
		}
	}
	for i := range events {
		kind := events[i].Body.Kind()
		switch b := events[i].Body.(type) {
		case *model.Log:
			check(kind, b.Tag.String())
			check(kind, b.Text.String())
			if len(b.Text) == 0 && len(b.Tag) == 0 && b.Level == "" {
				t.Error("a log event without a text")
			}
		case *model.Frame:
			check(kind, b.Extra.String())
		case *model.Parent:
			check(kind, b.Extra.String())
			check(kind, b.Transport)
		case *model.TCP:
			check(kind, b.Extra.String())
		case *model.Answer:
			check(kind, b.Code)
			for k, v := range b.Fields {
				check(kind, k+v)
			}
		case *model.Settings:
			check(kind, b.Agg+b.Codec)
		case *model.Boot:
			check(kind, b.Reason+b.Code+b.IDF)
		case *model.Panic:
			check(kind, b.Cause+b.PC+strings.Join(b.Backtrace, ""))
		case *model.WiFi:
			check(kind, b.State+b.Meaning)
		case *model.Fault:
			check(kind, b.Area+b.Code+b.Meaning+b.Detail.String())
		}
	}
}

// logged finds the log line with that text.
func logged(events []model.Event, text string) *model.Event {
	for i := range events {
		if l, ok := events[i].Body.(*model.Log); ok && l.Text.String() == text {
			return &events[i]
		}
	}
	return nil
}
