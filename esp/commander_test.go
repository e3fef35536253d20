package esp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dev.local/linktop/model"
)

// lab is a Commander whose device is a function.
type lab struct {
	*Commander
	device func(attempt int, line string) // may call answer; nil: it is silent
	sends  error                          // what sending gives

	mu     sync.Mutex
	lines  []string
	events []model.Event
}

func newLab() *lab {
	l := &lab{}
	l.Commander = NewCommander("serial", l.line, l.event, nil)
	return l
}

func (l *lab) line(_ context.Context, line string) error {
	l.mu.Lock()
	l.lines = append(l.lines, line)
	attempt := 0
	for _, s := range l.lines {
		if s == line {
			attempt++
		}
	}
	l.mu.Unlock()
	if l.sends == nil && l.device != nil {
		go l.device(attempt, line)
	}
	return l.sends
}

func (l *lab) event(e model.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// answer is the device's answer to a line, as the decoder gives it.
func (l *lab) answer(line, code string) model.Answer {
	a := &model.Answer{N: numberOf(line), OK: code == "", Code: code, Fields: map[string]string{"rev": "2"}}
	l.Observe(&model.Event{HostUS: time.Now().UnixMicro(), Body: a})
	return *a
}

func numberOf(line string) int64 {
	w := strings.Fields(line)
	n, _ := strconv.ParseInt(strings.TrimPrefix(w[1], "#"), 10, 64)
	return n
}

// told is the events in short: "command 1", "answer timeout".
func (l *lab) told() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var s []string
	for _, e := range l.events {
		switch b := e.Body.(type) {
		case *model.Command:
			s = append(s, fmt.Sprintf("command %d", b.Attempt))
		case *model.Answer:
			s = append(s, "answer "+b.Code)
		}
	}
	return strings.Join(s, ", ")
}

func TestCommandEnds(t *testing.T) {
	for name, c := range map[string]struct {
		device func(l *lab, attempt int, line string)
		sends  error
		cancel time.Duration // of the caller, 0 for never
		gone   time.Duration // of the channel
		ok     bool
		code   string
		sent   int
		took   time.Duration
		told   string
		err    func(error) bool
		says   string
	}{
		"answered": {
			device: func(l *lab, _ int, line string) { time.Sleep(40 * time.Millisecond); l.answer(line, "") },
			ok:     true, sent: 1, took: 40 * time.Millisecond, told: "command 0",
		},
		"refused": {
			device: func(l *lab, _ int, line string) { l.answer(line, "range") },
			code:   "range", sent: 1, told: "command 0",
			err: func(err error) bool { return errors.As(err, new(*RefusedError)) }, says: "refused",
		},
		"answered when repeated": {
			device: func(l *lab, attempt int, line string) {
				if attempt == 2 {
					time.Sleep(100 * time.Millisecond)
					l.answer(line, "")
				}
			},
			ok: true, sent: 2, took: 1100 * time.Millisecond, told: "command 0, command 2",
		},
		"answered late, and again": {
			device: func(l *lab, attempt int, line string) { time.Sleep(1200 * time.Millisecond); l.answer(line, "") },
			ok:     true, sent: 2, took: 1200 * time.Millisecond, told: "command 0, command 2",
		},
		"silent": {
			code: "timeout", sent: 2, took: 2 * time.Second, told: "command 0, command 2, answer timeout",
			err: func(err error) bool { return errors.As(err, new(*TimeoutError)) }, says: "is it running",
		},
		"damaged on the way": {
			device: func(l *lab, attempt int, line string) { l.answer(line, map[int]string{1: "checksum"}[attempt]) },
			ok:     true, sent: 2, told: "command 0, command 2",
		},
		"damaged twice": {
			device: func(l *lab, _ int, line string) { l.answer(line, "checksum") },
			code:   "checksum", sent: 2, told: "command 0, command 2",
			err: func(err error) bool { return errors.As(err, new(*RefusedError)) },
		},
		"damaged, then silent": {
			device: func(l *lab, attempt int, line string) {
				if attempt == 1 {
					l.answer(line, "checksum")
				}
			},
			code: "timeout", sent: 2, took: time.Second, told: "command 0, command 2, answer timeout",
			err: func(err error) bool { return errors.As(err, new(*TimeoutError)) },
		},
		"not sent": {
			sends: errors.New("the cable is cut"), code: "gone", sent: 1, told: "command 0, answer gone",
			err: func(err error) bool { return true }, says: "the cable is cut",
		},
		"given up by the caller": {
			cancel: 300 * time.Millisecond, code: "gone", sent: 1, took: 300 * time.Millisecond, told: "command 0, answer gone",
			err: func(err error) bool { return errors.Is(err, context.Canceled) },
		},
		"channel closed": {
			gone: 200 * time.Millisecond, code: "gone", sent: 1, took: 200 * time.Millisecond, told: "command 0, answer gone",
			err: func(err error) bool { return errors.Is(err, ErrGone) },
		},
		"unknown to the console": {
			device: func(l *lab, _ int, _ string) { time.Sleep(5 * time.Millisecond); l.Unrecognized() },
			code:   "unknown", sent: 1, took: 5 * time.Millisecond, told: "command 0, answer unknown",
			err: func(err error) bool { return errors.Is(err, ErrUnrecognized) },
		},
		"another's answer": {
			device: func(l *lab, _ int, line string) {
				l.Observe(&model.Event{Body: &model.Answer{N: numberOf(line) + 1, OK: true}})
			},
			code: "timeout", sent: 2, took: 2 * time.Second, told: "command 0, command 2, answer timeout",
			err: func(err error) bool { return errors.As(err, new(*TimeoutError)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.sends = c.sends
				if c.device != nil {
					l.device = func(attempt int, line string) { c.device(l, attempt, line) }
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, cancel)
				}
				if c.gone > 0 {
					time.AfterFunc(c.gone, l.Gone)
				}
				began := time.Now()
				a, err := l.Do(ctx, "set  frame=4096\tburst=4 ")
				took := time.Since(began)
				if a.OK != c.ok || a.Code != c.code || (err == nil) != c.ok {
					t.Fatalf("answer %+v, error %v", a, err)
				}
				if err != nil && (!c.err(err) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "frame=4096")) {
					t.Errorf("error %v", err)
				}
				if took != c.took || a.TookUS.Value() != c.took.Microseconds() {
					t.Errorf("took %v, the answer says %v µs, want %v", took, a.TookUS, c.took)
				}
				if a.Via != "serial" || a.N == 0 {
					t.Errorf("answer %+v", a)
				}
				if got := l.told(); got != c.told {
					t.Errorf("told %q, want %q", got, c.told)
				}
				time.Sleep(5 * time.Second) // late answers find nobody
				l.mu.Lock()
				defer l.mu.Unlock()
				for _, line := range l.lines {
					if line != fmt.Sprintf("lt #%d set frame=4096 burst=4", a.N) {
						t.Errorf("sent %q", line)
					}
				}
				if len(l.lines) != c.sent || len(l.pending) != 0 {
					t.Errorf("sent %d times, want %d; %d pending", len(l.lines), c.sent, len(l.pending))
				}
			})
		})
	}
}

// A command that is answered late is not answered by the answer to the one
// before it, and its own number is never used again.
func TestLateAnswerIsNotTakenTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.device = func(attempt int, line string) {
			time.Sleep(1500 * time.Millisecond)
			l.answer(line, "")
		}
		first, err := l.Do(t.Context(), "set frame=1024")
		if err != nil {
			t.Fatal(err)
		}
		l.device = nil // the repeated answer to the first arrives while the second waits
		second, err := l.Do(t.Context(), "set frame=2048")
		if err == nil || second.N == first.N {
			t.Errorf("second command %+v, first %+v", second, first)
		}
	})
}

// The oldest waiting command is the one that the console did not know.
func TestUnrecognizedEndsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		var wait sync.WaitGroup
		errs := make([]error, 2)
		for i := range errs {
			wait.Go(func() { _, errs[i] = l.Do(t.Context(), "stat") })
			synctest.Wait()
		}
		l.Unrecognized()
		wait.Wait()
		if !errors.Is(errs[0], ErrUnrecognized) || !errors.As(errs[1], new(*TimeoutError)) {
			t.Errorf("first %v, second %v", errs[0], errs[1])
		}
	})
}

func TestManyCommandsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ws := newLab(), NewCommander("ws", func(context.Context, string) error { return nil }, func(model.Event) {}, nil)
		var wait sync.WaitGroup
		seen := make([]model.Answer, maxPending)
		for i := range seen {
			wait.Go(func() {
				var err error
				if seen[i], err = l.Do(t.Context(), "set frame="+strconv.Itoa(256+2*i)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if _, err := l.Do(t.Context(), "stat"); err == nil || !strings.Contains(err.Error(), "64 commands wait") {
			t.Errorf("one command too many: %v", err)
		}
		l.mu.Lock()
		lines := append([]string(nil), l.lines...)
		l.mu.Unlock()
		for i := len(lines) - 1; i >= 0; i-- { // in any order
			a := &model.Answer{N: numberOf(lines[i]), OK: true, Fields: map[string]string{"frame": lines[i][strings.LastIndex(lines[i], "=")+1:]}}
			ws.Observe(&model.Event{Body: &model.Answer{N: a.N, OK: true}}) // of another channel
			l.Observe(&model.Event{Body: a})
			l.Observe(&model.Event{Body: a})
		}
		wait.Wait()
		numbers := map[int64]bool{}
		for i, a := range seen {
			numbers[a.N] = true
			if a.Fields["frame"] != strconv.Itoa(256+2*i) {
				t.Errorf("command %d got the answer %+v", i, a)
			}
		}
		if len(numbers) != len(seen) {
			t.Errorf("%d commands have %d numbers", len(seen), len(numbers))
		}
	})
}

func TestCommandLine(t *testing.T) {
	for name, c := range map[string]struct{ words, line, says string }{
		"plain":              {words: "hello", line: "lt #7 hello"},
		"blanks":             {words: "  set\t frame=4096 ", line: "lt #7 set frame=4096"},
		"longest":            {words: "url ws://" + strings.Repeat("a", 184), line: "lt #7 url ws://" + strings.Repeat("a", 184)},
		"too long":           {words: "url ws://" + strings.Repeat("a", 185), says: "200 bytes, a device takes 199"},
		"too many words":     {words: strings.Repeat("a ", 30), says: "30 words, a device takes 29"},
		"nothing":            {words: " \t", says: "no command"},
		"a line end":         {words: "stop\rlt #1 reboot", says: `'\r'`},
		"a line feed":        {words: "stop\n", says: `'\n'`},
		"an escape":          {words: "stop\x1b[2J", says: `'\x1b'`},
		"quotes":             {words: `start run="a"`, says: `'"'`},
		"a backslash":        {words: `start run=a\ b`, says: "act on"},
		"token kept private": {words: "url ws://h/?token=" + strings.Repeat("s", 200), says: "token=…"},
	} {
		t.Run(name, func(t *testing.T) {
			line, err := commandLine(7, c.words)
			if line != c.line || (err != nil) != (c.says != "") {
				t.Fatalf("line %q, error %v", line, err)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q, want %q in it", err, c.says)
			}
		})
	}
}

// Events and errors go into recordings and screenshots: no token in them.
func TestTokenStaysInTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		_, err := l.Do(t.Context(), "url ws://192.168.1.10:8765/audio?token=secret&x=1")
		l.mu.Lock()
		defer l.mu.Unlock()
		if !strings.Contains(l.lines[0], "token=secret&x=1") {
			t.Errorf("sent %q", l.lines[0])
		}
		for _, e := range l.events {
			text, _ := e.AppendJSON(nil)
			if strings.Contains(string(text), "secret") {
				t.Errorf("event %s", text)
			}
		}
		if strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "token=…&x=1") {
			t.Errorf("error %v", err)
		}
	})
}
