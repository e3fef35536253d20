package virtual

import (
	"context"
	"time"
)

const (
	framesPerLoop = 4
	reportEvery   = time.Second
	// The pause before connecting again grows from the first to the last.
	firstRetry, lastRetry = time.Second, 5 * time.Second
)

// websocketTask keeps a connection to the server the device was told.
func (f *firmware) websocketTask(ctx context.Context) {
	retry := firstRetry
	for ctx.Err() == nil {
		f.mu.Lock()
		url, moves := f.dev.savedURL(), f.moves
		f.wsState = "connecting"
		if url == "" {
			f.wsState = "none"
		}
		f.mu.Unlock()
		if url == "" {
			f.rest(ctx, time.Hour, moves)
			continue
		}
		f.log('I', "websocket_client", "Started")
		dial, cancel := context.WithCancel(ctx)
		// Settings are confirmed and a new URL is heeded while it connects.
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			if f.rest(dial, time.Hour, moves) {
				cancel()
			}
		}()
		c, err := f.connect(dial, url)
		cancel()
		<-watched
		if err == nil {
			f.log('I', "websocket_client", "connected, %s", c.kind)
			retry = firstRetry
			moved := c.serve(ctx, moves)
			if moved {
				continue
			}
			f.log('W', "websocket_client", "disconnected, reconnecting in %d ms", retry.Milliseconds())
		}
		if !f.rest(ctx, retry, moves) {
			retry = min(retry+firstRetry, lastRetry)
		} else {
			retry = firstRetry
		}
	}
}

// rest waits for d, marking settings as they change. It returns early, and
// true, when another URL was told.
func (f *firmware) rest(ctx context.Context, d time.Duration, moves int) (moved bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		f.markSettings()
		f.mu.Lock()
		moved = f.moves != moves
		f.mu.Unlock()
		if moved {
			return true
		}
		select {
		case <-f.wake:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
