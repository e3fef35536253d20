package esp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dev.local/linktop/model"
)

// Config is what a Console is made of.
type Config struct {
	Source Source
	// Sink takes what was decoded, a batch at a time, one call at a time. It
	// must return soon; the events are its own.
	Sink func([]model.Event)
	// Raw gets the bytes before they are interpreted; nil for nobody.
	Raw func(hostUS int64, p []byte)
	// Now is the clock, time.Now by default.
	Now func() time.Time
}

const (
	// reopenEvery is how often a port that does not open is tried.
	reopenEvery = time.Second
	// A device that reset its USB is back within a second or two; what it
	// prints at boot is worth looking more often for so long.
	reopenSoon  = 250 * time.Millisecond
	reopenHurry = 2 * time.Second
)

// Console keeps a source open: it decodes what comes, sends commands, and opens
// it again after a loss.
type Console struct {
	cfg      Config
	commands *Commander
	sinking  sync.Mutex // one call of Sink at a time
	jobs     sync.WaitGroup
	crashed  chan error // capacity 1: a panic in one of the jobs

	mu     sync.Mutex
	stream Stream
	greet  context.CancelFunc // ends the round of hello under way
	heard  bool               // something came since it was opened
	asked  bool               // hello was asked in vain before anything came
	mute   bool               // the firmware does not answer hello
	deaf   bool               // it takes no bytes
	bytes  int64
}

// NewConsole makes a console; Run opens it.
func NewConsole(cfg Config) *Console {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Raw == nil {
		cfg.Raw = func(int64, []byte) {}
	}
	c := &Console{cfg: cfg, crashed: make(chan error, 1)}
	c.commands = NewCommander("serial", c.write, func(e model.Event) { c.sink([]model.Event{e}) }, cfg.Now)
	return c
}

// Do sends one command ("set frame=4096") and waits for the device's answer; see
// Commander.Do. While the console is not open its error is ErrClosed.
func (c *Console) Do(ctx context.Context, words string) (model.Answer, error) {
	return c.commands.Do(ctx, words)
}

// ErrClosed says that the console is not open now.
var ErrClosed = errors.New("the console is not open")

// Reset resets the device by the lines of its port. It does not work on a
// console without such lines.
func (c *Console) Reset() error {
	s := c.opened()
	if s == nil {
		return fmt.Errorf("resetting %s: %w", c.cfg.Source.Name(), ErrClosed)
	}
	r, ok := s.(Resetter)
	if !ok {
		return fmt.Errorf("resetting %s: it has no reset line", c.cfg.Source.Name())
	}
	return r.Reset()
}

// write sends one line. A device that takes nothing costs its port, and is not
// spoken to again before it restarts.
func (c *Console) write(_ context.Context, line string) error {
	s := c.opened()
	if s == nil {
		return fmt.Errorf("%s: %w", c.cfg.Source.Name(), ErrClosed)
	}
	_, err := s.Write([]byte(line + "\r"))
	if errors.Is(err, ErrStalled) {
		c.mu.Lock()
		c.deaf = true
		c.mu.Unlock()
	}
	return err
}

func (c *Console) opened() Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stream
}

func (c *Console) sink(batch []model.Event) {
	c.sinking.Lock()
	defer c.sinking.Unlock()
	c.cfg.Sink(batch)
}

func (c *Console) tell(b model.Body) {
	c.sink([]model.Event{{HostUS: c.cfg.Now().UnixMicro(), Body: b}})
}

// Run keeps the console open until ctx ends. It returns nil then, and an error
// when linktop itself failed.
func (c *Console) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer c.leave()
	defer cancel()
	var p ports
	for ctx.Err() == nil && len(c.crashed) == 0 {
		s, err := c.cfg.Source.Open(ctx)
		if err != nil {
			if told := p.failed(err); told && ctx.Err() == nil {
				c.tell(&model.Port{State: "failed", Name: c.cfg.Source.Name(), Reason: p.reason, Error: p.err})
			}
			sleep(ctx, p.pause(c.cfg.Now()))
			continue
		}
		c.tell(&model.Port{State: p.opened(c.cfg.Now()), Name: c.cfg.Source.Name(), Baud: baud(c.cfg.Source.Baud())})
		if err = c.serve(ctx, s); ctx.Err() == nil && len(c.crashed) == 0 {
			p.lost(c.cfg.Now())
			c.tell(&model.Port{State: "lost", Name: c.cfg.Source.Name(), Error: err.Error()})
			sleep(ctx, p.pause(c.cfg.Now()))
		}
	}
	select {
	case crash := <-c.crashed:
		return crash
	default:
		return nil
	}
}

// ports is what was told of a port that comes and goes.
type ports struct {
	before      bool // it was open
	since, gone time.Time
	reason, err string // of the newest failure that was told
}

// failed notes a failure to open, and reports whether it is news. That a device
// which was lost is still missing is none.
func (p *ports) failed(err error) bool {
	reason := "other"
	if r := Reasoned(nil); errors.As(err, &r) {
		reason = r.Reason()
	}
	if reason == p.reason && err.Error() == p.err || p.before && reason == "missing" {
		return false
	}
	p.reason, p.err = reason, err.Error()
	return true
}

func (p *ports) opened(now time.Time) (state string) {
	state = "open"
	if p.before {
		state = "back"
	}
	p.before, p.since, p.reason, p.err = true, now, "", ""
	return state
}

func (p *ports) lost(now time.Time) { p.gone = now }

// pause is how long to wait before the next try.
func (p *ports) pause(now time.Time) time.Duration {
	lived := p.gone.Sub(p.since)
	if p.before && lived >= reopenEvery && now.Sub(p.gone) < reopenHurry {
		return reopenSoon
	}
	return reopenEvery
}

func baud(b int) model.Opt {
	if b <= 0 {
		return 0
	}
	return model.Some(int64(b))
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// spawn starts a goroutine that Run waits for, and calls after, if any, when it
// ended. A panic in it ends Run with an error instead of the program, which
// could not restore the terminal.
func (c *Console) spawn(f, after func()) {
	c.jobs.Add(1)
	go func() {
		defer c.jobs.Done()
		if after != nil {
			defer after()
		}
		defer func() {
			if r := recover(); r != nil {
				c.crash(fmt.Errorf("linktop has a fault in its console: %v", r))
			}
		}()
		f()
	}()
}

func (c *Console) crash(err error) {
	select {
	case c.crashed <- err:
	default:
	}
	if s := c.opened(); s != nil {
		s.Close()
	}
}

// leave waits for the goroutines, but not for one whose stream does not end.
func (c *Console) leave() {
	done := make(chan struct{})
	go func() {
		c.jobs.Wait()
		close(done)
	}()
	t := time.NewTimer(leaveTime)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}
