package esp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

const (
	// quietTime: after it a line without an end is told as it stands.
	quietTime = 300 * time.Millisecond
	readBytes = 16 << 10
	readAhead = 64 // chunks between the port and the decoder
	// accountEvery is how often the line's accounts are told while bytes come.
	accountEvery = time.Second
	// leaveTime is how long a stream may take to end once it is closed.
	leaveTime = 2 * time.Second
	// idlePause keeps a stream whose reads do not wait from taking a core.
	idlePause = 5 * time.Millisecond
)

// chunk is what one read gave.
type chunk struct {
	hostUS int64
	p      []byte
}

// link is one open stream, from opening to loss.
type link struct {
	*Console
	stream   Stream
	decoder  *trace.Decoder
	batch    []model.Event
	answered []func() // commands that go on once the batch is told
	told     int64    // bytes, as the accounts told them
}

// serve works on one open stream until it ends, and returns why.
func (c *Console) serve(ctx context.Context, s Stream) error {
	l := &link{Console: c, stream: s, decoder: trace.New()}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	c.mu.Lock()
	c.stream, c.heard = s, false
	l.told = c.bytes
	c.mu.Unlock()

	chunks := make(chan chunk, readAhead)
	why := errors.New("the stream ended")
	c.spawn(func() { why = c.read(reading, s, chunks) }, func() { close(chunks) })
	c.introduce(reading, 0)
	ended := l.run(reading, chunks)

	c.mu.Lock()
	c.stream = nil
	c.mu.Unlock()
	c.greetNoMore()
	c.commands.Gone()
	s.Close()
	if !ended {
		return fmt.Errorf("%s does not close", c.cfg.Source.Name())
	}
	return why
}

func (c *Console) read(ctx context.Context, s Stream, chunks chan<- chunk) error {
	buf := make([]byte, readBytes)
	for {
		n, err := s.Read(buf)
		if n > 0 {
			if ctx.Err() != nil && len(chunks) == cap(chunks) {
				return ctx.Err() // it was given up
			}
			hostUS := c.cfg.Now().UnixMicro()
			c.cfg.Raw(hostUS, buf[:n])
			chunks <- chunk{hostUS, append([]byte(nil), buf[:n]...)}
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", c.cfg.Source.Name(), err)
		}
		if n == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			sleep(ctx, idlePause)
		}
	}
}

// run decodes chunks until there are no more. It reports false when the stream
// did not end although it was closed.
func (l *link) run(ctx context.Context, chunks <-chan chunk) bool {
	quiet := time.NewTimer(quietTime)
	defer quiet.Stop()
	second := time.NewTicker(accountEvery)
	defer second.Stop()
	stop := ctx.Done()
	var leave <-chan time.Time
	defer l.end()
	for {
		select {
		case ch, ok := <-chunks:
			if !ok {
				return true
			}
			l.feed(ctx, ch)
			quiet.Reset(quietTime)
		case <-quiet.C:
			l.decoder.Flush(l.now(), l.event(ctx))
			l.flush()
		case <-second.C:
			l.account(false)
		case <-stop:
			// What was read before is still told.
			stop = nil
			leave = time.After(leaveTime)
			l.spawn(func() { l.stream.Close() }, nil)
		case <-leave:
			return false
		}
	}
}

func (l *link) now() int64 { return l.cfg.Now().UnixMicro() }

func (l *link) feed(ctx context.Context, ch chunk) {
	l.mu.Lock()
	first := !l.heard
	l.heard = true
	l.bytes += int64(len(ch.p))
	l.mu.Unlock()
	l.decoder.Feed(ch.hostUS, ch.p, l.event(ctx))
	l.flush()
	if first {
		l.voice(ctx)
	}
}

// event takes in one decoded event.
func (l *link) event(ctx context.Context) func(*model.Event) {
	return func(e *model.Event) {
		if complete := l.commands.match(e); complete != nil {
			l.answered = append(l.answered, complete)
		}
		l.batch = append(l.batch, e.Clone())
		switch b := e.Body.(type) {
		case *model.Boot:
			l.introduce(ctx, bootPause)
		case *model.Answer:
			if b.OK && b.Fields["proto"] != "" && l.speaks() {
				l.batch = append(l.batch, model.Event{HostUS: e.HostUS, Body: l.accounts()})
			}
		case *model.Log:
			if b.Level == "" && unrecognized(string(b.Text)) {
				l.answered = append(l.answered, l.commands.Unrecognized)
			}
		}
	}
}

// unrecognized tells the words with which a console says that it knows no such
// command: ESP-IDF's, and those of other REPLs.
func unrecognized(line string) bool {
	line = strings.ToLower(line)
	return strings.Contains(line, "unrecognized command") || strings.Contains(line, "unrecognised command") ||
		strings.Contains(line, "unknown command") || strings.Contains(line, "command not found")
}

// flush tells what was decoded; only then the commands go on that it answers,
// so that no later command is told before.
func (l *link) flush() {
	if len(l.batch) > 0 {
		l.sink(l.batch)
		l.batch = nil
	}
	for _, complete := range l.answered {
		complete()
	}
	clear(l.answered)
	l.answered = l.answered[:0]
}

// end tells what is left of a stream that ended.
func (l *link) end() {
	l.decoder.Close(l.now(), l.event(context.Background()))
	l.flush()
	l.account(false)
}

// account tells the line's accounts, when they changed or always.
func (l *link) account(always bool) {
	l.sinking.Lock()
	defer l.sinking.Unlock()
	s := l.accounts()
	if s.Bytes == l.told && !always {
		return
	}
	l.told = s.Bytes
	l.cfg.Sink([]model.Event{{HostUS: l.now(), Body: s}})
}

func (c *Console) accounts() *model.Serial {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &model.Serial{Bytes: c.bytes, Baud: baud(c.cfg.Source.Baud()), ReadOnly: c.mute}
}
