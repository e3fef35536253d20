package esp

import (
	"context"
	"errors"
	"time"

	"dev.local/linktop/model"
)

const (
	helloTries = 3 // a second each
	// A firmware that did not answer is asked again, once each time, after this
	// long and then after twice as long, up to helloLast. After that only a
	// restart or a new opening is a reason to ask: a console that is never read
	// fills up.
	helloAgain = 15 * time.Second
	helloLast  = time.Minute
	// bootPause: a device that just restarted does not listen yet.
	bootPause = 300 * time.Millisecond
)

// introduce asks the firmware who it is; a round already under way ends.
func (c *Console) introduce(ctx context.Context, pause time.Duration) {
	c.mu.Lock()
	if c.greet != nil {
		c.greet()
	}
	ctx, c.greet = context.WithCancel(ctx)
	if pause > 0 {
		c.deaf = false // it restarted
	}
	deaf := c.deaf
	c.mute, c.asked = deaf, false
	c.mu.Unlock()
	if deaf {
		c.tellAccounts()
		return
	}
	c.spawn(func() {
		sleep(ctx, pause)
		c.hello(ctx)
	}, nil)
}

// greetNoMore ends the round of hello under way.
func (c *Console) greetNoMore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.greet != nil {
		c.greet()
		c.greet = nil
	}
}

// hello asks until the firmware answers, or there is no sense in it any more.
func (c *Console) hello(ctx context.Context) {
	tries, unknown := helloTries, 0
	for pause := helloAgain; ctx.Err() == nil; {
		_, err := c.commands.ask(ctx, "hello", tries)
		if err == nil || ctx.Err() != nil {
			return
		}
		if errors.Is(err, ErrUnrecognized) {
			// Once may be the fault of what was typed before, without an end.
			if unknown++; unknown < 2 {
				continue
			}
		}
		c.silent(ctx)
		if unknown >= 2 || pause > helloLast {
			return
		}
		sleep(ctx, pause)
		tries, pause = 1, 2*pause
	}
}

// silent notes that the firmware did not answer hello. A device that prints
// nothing at all is not called read-only: it may not run.
func (c *Console) silent(ctx context.Context) {
	c.mu.Lock()
	if ctx.Err() != nil { // of a stream that is gone
		c.mu.Unlock()
		return
	}
	news := c.heard && !c.mute
	c.mute = c.mute || c.heard
	c.asked = !c.heard
	c.mu.Unlock()
	if news {
		c.tellAccounts()
	}
}

// voice notes the first bytes of a stream. One that was asked in vain before it
// said a word is asked again.
func (c *Console) voice(ctx context.Context) {
	c.mu.Lock()
	again := c.asked
	c.asked = false
	c.mu.Unlock()
	if again {
		c.introduce(ctx, 0)
	}
}

// speaks notes that the firmware answered hello, and reports whether it had
// been called read-only.
func (c *Console) speaks() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.mute
	c.mute, c.deaf = false, false
	return was
}

func (c *Console) tellAccounts() {
	c.sinking.Lock()
	defer c.sinking.Unlock()
	c.cfg.Sink([]model.Event{{HostUS: c.cfg.Now().UnixMicro(), Body: c.accounts()}})
}
