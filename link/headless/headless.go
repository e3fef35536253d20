// Package headless runs a session without a screen: its events as JSON lines.
package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"dev.local/linktop/link/jsonl"
	"dev.local/linktop/link/session"
)

// lastWrite is how long a slow reader of stdout may take for what is left at the
// end.
const lastWrite = 2 * time.Second

// Run prints the events of a session on out until it ends, or until nobody reads
// them any more; remarks go to remarks. A port that never opened is an error.
func Run(ctx context.Context, s *session.Session, out, remarks io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := s.Reader()
	written := make(chan error, 1)
	go func() {
		err := jsonl.Copy(out, r.C)
		cancel()
		written <- err
	}()
	err := s.Run(ctx)
	select {
	case wrote := <-written:
		err = errors.Join(err, wrote)
	case <-time.After(lastWrite):
		err = errors.Join(err, errors.New("nobody reads stdout: the last events are missing there"))
	}
	if p := s.Snapshot().Port; p.State == "failed" && err == nil {
		err = fmt.Errorf("no device was read: %s", p.Error)
	}
	if n := r.Lost(); n > 0 {
		fmt.Fprintf(remarks, "linktop: stdout was too slow: %d events are missing there\n", n)
	}
	return err
}
