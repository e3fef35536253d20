package virtual

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// channel is what a command came over; each numbers its own.
type channel int

const (
	overSerial channel = iota
	overWS
)

// keptAnswer is how many answers can be repeated.
const keptAnswer = 16

// answers are the newest ones of a channel, for commands that are repeated.
type answers struct{ kept []answered }

type answered struct {
	n    int64
	line string
}

func (a *answers) find(n int64) (string, bool) {
	for _, k := range a.kept {
		if k.n == n {
			return k.line, true
		}
	}
	return "", false
}

func (a *answers) keep(n int64, line string) {
	if _, ok := a.find(n); ok || n == 0 {
		return
	}
	if len(a.kept) == keptAnswer {
		a.kept = slices.Delete(a.kept, 0, 1)
	}
	a.kept = append(a.kept, answered{n, line})
}

// command does what a line asks, once, and returns the answer to print, without
// a line end; "" for an empty line.
func (f *firmware) command(line string, via channel) string {
	if strings.TrimSpace(line) == "" {
		return ""
	}
	p, ours, refused := parseLine(line)
	if !ours {
		return "Unrecognized command"
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.answers[via]
	if refused == nil {
		first, repeated := known.find(p.n)
		if p.name == "hello" {
			// A host that says hello begins to count anew.
			known.kept = slices.DeleteFunc(known.kept, func(a answered) bool { return a.n != p.n })
		}
		if repeated {
			return first
		}
	}
	words := ""
	if refused == nil {
		words, refused = f.do(p, via)
	}
	if refused != nil {
		answer := fmt.Sprintf("LT #%d err code=%s %s", p.n, refused.code, refused.words)
		if refused.code != "checksum" {
			known.keep(p.n, answer) // a line that was damaged is sent again
		}
		return answer
	}
	answer := strings.TrimRight(fmt.Sprintf("LT #%d ok %s", p.n, words), " ")
	known.keep(p.n, answer)
	return answer
}

// do is the commands; f is locked.
func (f *firmware) do(p parsed, via channel) (string, *refusal) {
	if len(p.words) > 0 && (p.name == "hello" || p.name == "stop" || p.name == "stat" || p.name == "reboot") {
		return "", refuse("parse", "word=%s", printable(p.words[0]))
	}
	switch p.name {
	case "hello":
		if via == overSerial {
			f.mark = true // a new listener learns the settings in force
			signal(f.wake)
		}
		return fmt.Sprintf("proto=1 fw=%s idf=%s chip=%s id=%s caps=%s", firmwareName, idfVersion, chipName, chipID, capabilities), nil
	case "set":
		if r := f.settings.set(p.words); r != nil {
			return "", r
		}
		f.rev++
		f.mark = true
		f.hurry()
		return fmt.Sprintf("rev=%d %s", f.rev, f.settings), nil
	case "start":
		return f.startRun(p.words)
	case "stop":
		if !f.stream.on {
			return "", refuse("state", "stream=off")
		}
		f.stream = stream{stop: "stop"}
		f.hurry()
		return "", nil
	case "stat":
		return f.stat(), nil
	case "url":
		return f.newURL(p.words)
	case "trace":
		if len(p.words) != 1 {
			return "", refuse("parse", "need=off|compact|full")
		}
		switch form := p.words[0]; form {
		case traceOff, traceCompact, traceFull:
			f.trace = form
			return "trace=" + form, nil
		}
		return "", refuse("range", "key=trace one=off,compact,full")
	case "reboot":
		wait := rebootAfter
		if via == overWS {
			wait = rebootAfterWS
		}
		time.AfterFunc(wait, func() {
			if f.life.Err() == nil {
				f.dev.restart(bootSoftware)
			}
		})
		return "", nil
	}
	return "", refuse("unknown", "cmd=%s", printable(p.name))
}

// The answer to `reboot` has so long to get out.
const (
	rebootAfter   = 50 * time.Millisecond
	rebootAfterWS = time.Second
)

// startRun begins a session of its own: `start run=… dur=…`.
func (f *firmware) startRun(words []string) (string, *refusal) {
	next := stream{on: true, fresh: true}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "run":
			if !plainWord(value, 64) {
				return "", refuse("parse", "key=run")
			}
			next.run = value
		case "dur":
			var ms int64
			if r := whole(&ms, key, value, 0, 3_600_000, 1); r != nil {
				return "", r
			}
			next.dur = time.Duration(ms) * time.Millisecond
		default:
			return "", refuse("unknown", "key=%s", printable(key))
		}
	}
	if f.wsState != "up" {
		return "", refuse("state", "ws=%s", f.wsState)
	}
	if f.stream.on && f.stream.run != "" {
		return "", refuse("busy", "run=%s", f.stream.run)
	}
	if f.stream.on && !f.stream.fresh {
		next.stop = "run"
	}
	f.stream = next
	f.hurry()
	return fmt.Sprintf("run=%s dur=%d", next.run, next.dur.Milliseconds()), nil
}

func (f *firmware) newURL(words []string) (string, *refusal) {
	if len(words) != 1 {
		return "", refuse("parse", "need=url")
	}
	u, err := checkURL(words[0])
	if err != nil {
		return "", refuse("parse", "key=url want=ws://host:port/path")
	}
	f.dev.saveURL(words[0])
	f.moves++
	f.hurry()
	// The query may hold a token: logs are shared.
	u.RawQuery, u.User = "", nil
	return "url=" + u.String(), nil
}

func (f *firmware) stat() string {
	a := &f.audio
	return fmt.Sprintf("ws=%s rev=%d %s trace=%s produced_bytes=%d sent_bytes=%d sent_frames=%d dropped_bytes=%d drop_count=%d "+
		"ringbuf_ms=%d lost_lines=%d", f.wsState, f.rev, f.settings, f.trace, a.produced, a.sent, a.frames, a.dropped, a.drops,
		backlogMS(a.ring.len()), f.uart.lost())
}

// consoleTask reads commands: lines that end with CR, LF or both.
func (f *firmware) consoleTask(ctx context.Context) {
	var lines lineReader
	p := make([]byte, 512)
	for {
		n, err := f.uart.read(ctx, p)
		if err != nil {
			return
		}
		lines.feed(p[:n], func(line string) {
			if answer := f.command(line, overSerial); answer != "" {
				f.print(append([]byte(answer), '\r', '\n'))
			}
		})
	}
}
