package esp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dev.local/linktop/esp/trace"
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
	reopenEvery = time.Second
	// quietTime: after it a line without an end is told as it stands.
	quietTime = 300 * time.Millisecond
	readBytes = 16 << 10
	readAhead = 64 // chunks between the port and the decoder
	// writeTime bounds a write: a device that does not read costs its port,
	// never the program.
	writeTime  = 2 * time.Second
	helloTries = 3
	helloEvery = 15 * time.Second // of a firmware that did not answer
)

// Console keeps a source open: it decodes what comes, sends commands, and opens
// it again after a loss.
type Console struct {
	cfg      Config
	commands *Commander

	mu     sync.Mutex
	stream Stream
	hello  context.CancelFunc
	jobs   sync.WaitGroup
	heard  bool // something came since it was opened
	mute   bool // the firmware does not answer hello
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
	c := &Console{cfg: cfg}
	c.commands = NewCommander("serial", c.write, func(e model.Event) { cfg.Sink([]model.Event{e}) }, cfg.Now)
	return c
}

// Do sends one command ("set frame=4096") and waits for the device's answer.
func (c *Console) Do(ctx context.Context, words string) (model.Answer, error) {
	return c.commands.Do(ctx, words)
}

// ErrClosed says that the console is not open now.
var ErrClosed = errors.New("the console is not open")

// Reset resets the device by the lines of its port. It does not work on a
// console without such lines.
func (c *Console) Reset() error {
	s := c.open()
	if s == nil {
		return fmt.Errorf("resetting %s: %w", c.cfg.Source.Name(), ErrClosed)
	}
	r, ok := s.(Resetter)
	if !ok {
		return fmt.Errorf("resetting %s: it has no reset line", c.cfg.Source.Name())
	}
	return r.Reset()
}

func (c *Console) open() Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stream
}

func (c *Console) tell(b model.Body) {
	c.cfg.Sink([]model.Event{{HostUS: c.cfg.Now().UnixMicro(), Body: b}})
}

// Reasoned is an open error that knows its reason in one word: "busy",
// "missing", "forbidden".
type Reasoned interface{ Reason() string }

// Run keeps the console open until ctx ends.
func (c *Console) Run(ctx context.Context) error {
	defer c.jobs.Wait()
	state, told := "open", ""
	for ctx.Err() == nil {
		s, err := c.cfg.Source.Open(ctx)
		if err != nil {
			if ctx.Err() == nil && err.Error() != told {
				told = err.Error()
				reason := "other"
				if r := Reasoned(nil); errors.As(err, &r) {
					reason = r.Reason()
				}
				c.tell(&model.Port{State: "failed", Name: c.cfg.Source.Name(), Reason: reason, Error: told})
			}
			sleep(ctx, reopenEvery)
			continue
		}
		told = ""
		c.tell(&model.Port{State: state, Name: c.cfg.Source.Name(), Baud: baud(c.cfg.Source.Baud())})
		err = c.serve(ctx, s)
		if ctx.Err() == nil {
			c.tell(&model.Port{State: "lost", Name: c.cfg.Source.Name(), Error: err.Error()})
			state = "back"
			sleep(ctx, reopenEvery/4)
		}
	}
	return nil
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

type chunk struct {
	hostUS int64
	p      []byte
}

// serve reads one open stream until it ends.
func (c *Console) serve(ctx context.Context, s Stream) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.mu.Lock()
	c.stream, c.heard = s, false
	c.mu.Unlock()
	chunks := make(chan chunk, readAhead)
	ended := make(chan error, 1)
	go func() { ended <- c.read(ctx, s, chunks) }()
	defer func() {
		c.mu.Lock()
		c.stream = nil
		c.mu.Unlock()
		s.Close()
		cancel()
		for range chunks {
		}
	}()
	c.introduce(ctx)
	return c.decode(ctx, chunks, ended)
}

func (c *Console) read(ctx context.Context, s Stream, chunks chan<- chunk) error {
	defer close(chunks)
	buf := make([]byte, readBytes)
	for {
		n, err := s.Read(buf)
		if n > 0 {
			hostUS := c.cfg.Now().UnixMicro()
			c.cfg.Raw(hostUS, buf[:n])
			select {
			case chunks <- chunk{hostUS, append([]byte(nil), buf[:n]...)}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", c.cfg.Source.Name(), err)
		}
		if n == 0 {
			sleep(ctx, 5*time.Millisecond)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
}

func (c *Console) decode(ctx context.Context, chunks <-chan chunk, ended <-chan error) error {
	d := trace.New()
	var batch []model.Event
	emit := func(e *model.Event) {
		c.commands.Observe(e)
		switch b := e.Body.(type) {
		case *model.Boot:
			c.introduce(ctx)
		case *model.Answer:
			if b.Fields["proto"] != "" {
				c.mu.Lock()
				c.mute = false
				c.mu.Unlock()
			}
		case *model.Fault:
			if b.Area == "console" {
				c.commands.Unrecognized()
			}
		}
		batch = append(batch, e.Clone())
	}
	flush := func() {
		if len(batch) > 0 {
			c.cfg.Sink(batch)
			batch = nil
		}
	}
	quiet := time.NewTimer(quietTime)
	defer quiet.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	told := int64(-1)
	for {
		select {
		case ch, ok := <-chunks:
			if !ok {
				d.Close(c.cfg.Now().UnixMicro(), emit)
				flush()
				return <-ended
			}
			c.mu.Lock()
			c.heard = true
			c.bytes += int64(len(ch.p))
			c.mu.Unlock()
			d.Feed(ch.hostUS, ch.p, emit)
			flush()
			quiet.Reset(quietTime)
		case <-quiet.C:
			d.Flush(c.cfg.Now().UnixMicro(), emit)
			flush()
		case <-second.C:
			if c.bytes != told {
				told = c.bytes
				c.account()
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// write sends one line in writeTime, or gives the port up.
func (c *Console) write(ctx context.Context, line string) error {
	s := c.open()
	if s == nil {
		return ErrClosed
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.Write([]byte(line + "\r"))
		done <- err
	}()
	t := time.NewTimer(writeTime)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		s.Close()
		return fmt.Errorf("%s took nothing for %v: the port is closed and opened again", c.cfg.Source.Name(), writeTime)
	}
}

// introduce asks the firmware who it is; a round already under way ends.
func (c *Console) introduce(ctx context.Context) {
	c.mu.Lock()
	if c.hello != nil {
		c.hello()
	}
	ctx, c.hello = context.WithCancel(ctx)
	c.mute = false
	c.mu.Unlock()
	c.jobs.Add(1)
	go func() {
		defer c.jobs.Done()
		for try := 1; ; try++ {
			a, err := c.Do(ctx, "hello")
			if err == nil || ctx.Err() != nil {
				return
			}
			known := a.Code != "unknown" // the console may know the command later
			if known && try < helloTries {
				continue
			}
			c.mu.Lock()
			c.mute = c.heard
			c.mu.Unlock()
			c.account()
			if !known {
				return
			}
			sleep(ctx, helloEvery)
		}
	}()
}

// account tells the line's accounts.
func (c *Console) account() {
	c.mu.Lock()
	s := model.Serial{Bytes: c.bytes, Baud: baud(c.cfg.Source.Baud()), ReadOnly: c.mute}
	c.mu.Unlock()
	c.tell(&s)
}
