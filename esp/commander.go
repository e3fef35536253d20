package esp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"dev.local/linktop/model"
)

const (
	// AnswerTime is how long a command waits for its answer before it is sent
	// again, once, under the same number.
	AnswerTime = time.Second
	attempts   = 2
	// maxPending bounds the commands that wait for an answer at once.
	maxPending = 64
)

// Commander numbers commands, sends them over one channel and matches their
// answers. It is safe for use by several goroutines.
type Commander struct {
	via  string
	send func(ctx context.Context, line string) error
	emit func(model.Event)
	now  func() time.Time

	mu      sync.Mutex
	pending []*pending // oldest first
}

// pending is a command that waits for its answer.
type pending struct {
	n     int64
	asked time.Time    // zero until it was sent
	done  chan verdict // capacity 1: the first one counts
}

// verdict is how an attempt ended: with the device's answer, or with why there
// is none.
type verdict struct {
	answer model.Answer
	why    error
}

// settled is the device's own answer as Do gives it.
func (v verdict) settled(line string) (model.Answer, error) {
	if v.answer.OK {
		return v.answer, nil
	}
	return v.answer, &RefusedError{masked(line), v.answer}
}

// Why a command ended without an answer of the device.
var (
	// ErrGone: the channel closed before the device answered.
	ErrGone = errors.New("the connection to the device is gone")
	// ErrUnrecognized: the device's console knows no command `lt`.
	ErrUnrecognized = errors.New("the device's console knows no lt command: its firmware does not speak linktop's protocol")

	errNoAnswer = errors.New("no answer")
)

// NewCommander makes a commander for one channel ("serial" or "ws"). send hands
// over one line without its end; emit takes the command events, and the answers
// that stand for none of the device. Both are called by whoever calls Do.
func NewCommander(via string, send func(ctx context.Context, line string) error, emit func(model.Event), now func() time.Time) *Commander {
	if now == nil {
		now = time.Now
	}
	return &Commander{via: via, send: send, emit: emit, now: now}
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
// The error is a *TimeoutError, a *RefusedError, ErrGone, ErrUnrecognized, or
// why it could not be sent.
func (c *Commander) Do(ctx context.Context, words string) (model.Answer, error) {
	return c.ask(ctx, words, attempts)
}

// ask is Do with a number of attempts.
func (c *Commander) ask(ctx context.Context, words string, attempts int) (model.Answer, error) {
	p := &pending{n: nextNumber(), done: make(chan verdict, 1)}
	line, err := commandLine(p.n, words)
	if err != nil {
		return model.Answer{}, err
	}
	if err := c.begin(p); err != nil {
		return model.Answer{}, fmt.Errorf("sending %q: %w", masked(line), err)
	}
	defer c.end(p)
	for attempt := 1; ; attempt++ {
		c.tell(&model.Command{N: p.n, Line: masked(line), Via: c.via, Attempt: retry(attempt)})
		c.stamp(p)
		if err := c.send(ctx, line); err != nil {
			return c.unanswered(p, line, "gone", fmt.Errorf("sending %q: %w", masked(line), err))
		}
		v := c.wait(ctx, p)
		again := attempt < attempts
		switch {
		case v.why == nil && v.answer.Code == "checksum" && again: // damaged on the way
		case v.why == nil:
			return v.settled(line)
		case errors.Is(v.why, errNoAnswer) && again:
		case errors.Is(v.why, errNoAnswer):
			return c.unanswered(p, line, "timeout", &TimeoutError{masked(line)})
		case errors.Is(v.why, ErrUnrecognized):
			return c.unanswered(p, line, "unknown", fmt.Errorf("%q: %w", masked(line), v.why))
		default:
			return c.unanswered(p, line, "gone", fmt.Errorf("waiting for the answer to %q: %w", masked(line), v.why))
		}
	}
}

// retry is the attempt as an event tells it: absent for the first.
func retry(attempt int) int {
	if attempt == 1 {
		return 0
	}
	return attempt
}

// wait is for one attempt.
func (c *Commander) wait(ctx context.Context, p *pending) verdict {
	t := time.NewTimer(AnswerTime)
	defer t.Stop()
	select {
	case v := <-p.done:
		return v
	case <-t.C:
		return verdict{why: errNoAnswer}
	case <-ctx.Done():
		return verdict{why: ctx.Err()}
	}
}

// unanswered ends a command that the device did not answer, and tells so. An
// answer that came in the last moment counts after all.
func (c *Commander) unanswered(p *pending, line, code string, why error) (model.Answer, error) {
	c.end(p)
	select {
	case v := <-p.done:
		if v.why == nil {
			return v.settled(line)
		}
	default:
	}
	a := model.Answer{N: p.n, Code: code, Via: c.via, TookUS: c.took(p)}
	c.tell(&a)
	return a, why
}

// Observe lets the commander see an event of its channel. An answer to a
// pending command completes it, and learns how long it took. A second answer to
// the same number completes nothing.
func (c *Commander) Observe(e *model.Event) {
	if complete := c.match(e); complete != nil {
		complete()
	}
}

// match is Observe in two steps: the event learns what it is the answer to, and
// the command it completes, if any, goes on when the returned function is
// called.
func (c *Commander) match(e *model.Event) (complete func()) {
	a, ok := e.Body.(*model.Answer)
	if !ok {
		return nil
	}
	a.Via = c.via
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pending {
		if p.n == a.N && !p.asked.IsZero() {
			a.TookUS = c.tookLocked(p)
			copied := e.Clone().Body.(*model.Answer)
			return func() { p.complete(verdict{answer: *copied}) }
		}
	}
	return nil
}

// Unrecognized ends the oldest command that waits: the console said that it
// knows no such command, and a console answers in order.
func (c *Commander) Unrecognized() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pending {
		if !p.asked.IsZero() && p.complete(verdict{why: ErrUnrecognized}) {
			return
		}
	}
}

// Gone ends all commands that wait: their channel closed.
func (c *Commander) Gone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pending {
		p.complete(verdict{why: ErrGone})
	}
}

// complete reports whether it was the first verdict of an attempt.
func (p *pending) complete(v verdict) bool {
	select {
	case p.done <- v:
		return true
	default:
		return false
	}
}

func (c *Commander) begin(p *pending) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) >= maxPending {
		return fmt.Errorf("%d commands wait for their answers already", maxPending)
	}
	c.pending = append(c.pending, p)
	return nil
}

func (c *Commander) end(p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.pending, p); i >= 0 {
		c.pending = slices.Delete(c.pending, i, i+1)
	}
}

// stamp notes when a command was first sent: the time it took counts from then.
func (c *Commander) stamp(p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.asked.IsZero() {
		p.asked = c.now()
	}
}

func (c *Commander) took(p *pending) model.Opt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tookLocked(p)
}

func (c *Commander) tookLocked(p *pending) model.Opt {
	return model.Some(max(0, c.now().Sub(p.asked).Microseconds()))
}

func (c *Commander) tell(b model.Body) {
	e := model.Event{HostUS: c.now().UnixMicro(), Body: b}
	c.emit(e.Clone())
}
