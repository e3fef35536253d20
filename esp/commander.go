package esp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"dev.local/linktop/model"
)

const (
	// AnswerTime is how long a command waits for its answer before it is sent
	// again, once, under the same number.
	AnswerTime = time.Second
	// MaxLine is the longest command line in bytes: an ESP-IDF REPL cuts at 256.
	MaxLine  = 200
	attempts = 2
)

// Commander numbers commands, sends them over one channel and matches their
// answers. It is safe for use by several goroutines.
type Commander struct {
	via  string
	send func(ctx context.Context, line string) error
	emit func(model.Event)
	now  func() time.Time

	mu      sync.Mutex
	next    int64
	pending map[int64]*pending
}

type pending struct {
	asked time.Time
	done  chan model.Answer // capacity 1
}

// NewCommander makes a commander for one channel ("serial" or "ws"). send hands
// over one line without its end; emit takes the command and answer events.
func NewCommander(via string, send func(ctx context.Context, line string) error, emit func(model.Event), now func() time.Time) *Commander {
	// A device answers a repeated number with its first answer: start where an
	// earlier run hardly was.
	return &Commander{via: via, send: send, emit: emit, now: now, next: rand.Int64N(1_000_000), pending: map[int64]*pending{}}
}

// TimeoutError says that a command was sent and not answered.
type TimeoutError struct{ Line string }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the device did not answer %q: is it running, and does its firmware speak linktop's protocol?", e.Line)
}

// RefusedError is the device's own refusal.
type RefusedError struct {
	Line   string
	Answer model.Answer
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the device refused %q: %s", e.Line, e.Answer.Code)
}

// Do sends `lt #n words` and waits for the answer. Without one in AnswerTime it
// sends the same line again, once: the device does the work of a number once.
// The error is a *TimeoutError, a *RefusedError, or why it could not be sent.
func (c *Commander) Do(ctx context.Context, words string) (model.Answer, error) {
	n, p := c.begin()
	defer c.end(n)
	line := fmt.Sprintf("lt #%d %s", n, words)
	if len(line) >= MaxLine {
		return model.Answer{}, fmt.Errorf("the command %.40q… has %d bytes, a device takes %d", line, len(line), MaxLine)
	}
	last := "timeout"
	for attempt := 1; attempt <= attempts; attempt++ {
		c.tell(&model.Command{N: n, Line: line, Via: c.via, Attempt: retry(attempt)})
		if err := c.send(ctx, line); err != nil {
			return c.unanswered(n, "gone"), fmt.Errorf("sending %q: %w", line, err)
		}
		a, again, err := c.wait(ctx, p)
		if err != nil {
			return c.unanswered(n, "gone"), fmt.Errorf("waiting for the answer to %q: %w", line, err)
		}
		if again {
			if a.Code != "" {
				last = a.Code
			}
			continue
		}
		if !a.OK {
			return a, &RefusedError{line, a}
		}
		return a, nil
	}
	a := c.unanswered(n, last)
	if last != "timeout" {
		return a, &RefusedError{line, a}
	}
	return a, &TimeoutError{line}
}

// retry is the attempt as an event tells it: absent for the first.
func retry(attempt int) int {
	if attempt == 1 {
		return 0
	}
	return attempt
}

// wait is for one attempt; again means: send once more.
func (c *Commander) wait(ctx context.Context, p *pending) (a model.Answer, again bool, err error) {
	t := time.NewTimer(AnswerTime)
	defer t.Stop()
	select {
	case a = <-p.done:
		return a, a.Code == "checksum", nil
	case <-t.C:
		return a, true, nil
	case <-ctx.Done():
		return a, false, ctx.Err()
	}
}

func (c *Commander) begin() (int64, *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	p := &pending{asked: c.now(), done: make(chan model.Answer, 1)}
	c.pending[c.next] = p
	return c.next, p
}

func (c *Commander) end(n int64) {
	c.mu.Lock()
	delete(c.pending, n)
	c.mu.Unlock()
}

func (c *Commander) tell(b model.Body) { c.emit(model.Event{HostUS: c.now().UnixMicro(), Body: b}) }

func (c *Commander) unanswered(n int64, code string) model.Answer {
	a := model.Answer{N: n, Code: code, Via: c.via}
	c.tell(&a)
	return a
}

// Observe lets the commander see an event of its channel. An answer to a
// pending command completes it, and learns how long it took.
func (c *Commander) Observe(e *model.Event) {
	a, ok := e.Body.(*model.Answer)
	if !ok {
		return
	}
	a.Via = c.via
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[a.N]
	if p == nil {
		return
	}
	a.TookUS = model.Some(max(0, c.now().Sub(p.asked).Microseconds()))
	copied := e.Clone().Body.(*model.Answer)
	select {
	case p.done <- *copied:
	default: // answered before
	}
}

// Unrecognized ends the pending commands: the console said that it knows no
// such command.
func (c *Commander) Unrecognized() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n, p := range c.pending {
		select {
		case p.done <- model.Answer{N: n, Code: "unknown", Via: c.via}:
		default:
		}
	}
}
