package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// write is the one goroutine that touches the files.
func (r *Recorder) write() {
	defer close(r.ended)
	err := r.guarded(r.loop)
	if err == nil {
		return
	}
	r.mu.Lock()
	r.err = fmt.Errorf("recording to %s stopped: %w; what was written until then is kept", r.dir, err)
	for i := range r.pending {
		r.lose(i, r.pending[i])
		r.pending[i], r.spare[i] = nil, nil
	}
	err = r.err
	r.mu.Unlock()
	r.closeFiles()
	r.guarded(func() error { r.o.OnError(err); return nil })
}

// guarded turns a panic into an error.
func (r *Recorder) guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}

func (r *Recorder) loop() error {
	tick := time.NewTicker(r.o.FlushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := r.stillThere(); err != nil {
				return err
			}
		case <-r.wake:
		case <-r.stop:
			return r.finish()
		}
		if err := r.flush(); err != nil {
			return err
		}
	}
}

// flush hands to the system what waits. Raw bytes go first.
func (r *Recorder) flush() error {
	r.mu.Lock()
	full := r.pending
	r.pending = r.spare
	r.mu.Unlock()
	for i, p := range full {
		if len(p) == 0 {
			continue
		}
		n, err := r.files[i].f.Write(p)
		r.mu.Lock()
		r.bytes += int64(n)
		r.waiting -= int64(len(p))
		r.mu.Unlock()
		if err != nil {
			r.mu.Lock()
			r.lose(i, p[n:])
			for j := i + 1; j < numStreams; j++ {
				r.lose(j, full[j])
			}
			r.mu.Unlock()
			return fmt.Errorf("writing %s: %w", r.files[i].name, reason(err))
		}
	}
	// The buffers are used in turn; one that a burst blew up is let go.
	for i := range full {
		if cap(full[i]) > 2*wakeBytes {
			full[i] = nil
		}
		full[i] = full[i][:0]
	}
	r.spare = full
	return nil
}

// lose counts what will not be written. An event counts once, in the file of
// all. Called with mu held.
func (r *Recorder) lose(i int, p []byte) {
	switch i {
	case rawStream:
		r.lost.Bytes += int64(len(p))
	case eventStream:
		r.lost.Events += int64(bytes.Count(p, []byte{'\n'}))
	}
}

// finish writes the rest, makes the system put it on the disk, and closes.
func (r *Recorder) finish() error {
	if err := r.flush(); err != nil {
		return err
	}
	for _, s := range r.files {
		if err := s.f.Sync(); err != nil {
			return fmt.Errorf("putting %s on the disk: %w", s.name, reason(err))
		}
	}
	if err := r.closeFiles(); err != nil {
		return err
	}
	r.mu.Lock()
	c := r.o.Config
	c.end(r.o.Now(), r.serial, r.bytes, r.lost)
	r.mu.Unlock()
	return writeConfig(r.dir, c)
}

// stillThere tells whether the files can still be found: a write to a removed
// file succeeds on most systems and is lost.
func (r *Recorder) stillThere() error {
	for _, s := range r.files {
		have, err := s.f.Stat()
		if err != nil || !have.Mode().IsRegular() {
			continue
		}
		there, err := os.Stat(filepath.Join(r.dir, s.name))
		if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(have, there) {
			return fmt.Errorf("writing %s: the file is gone, its folder was removed or renamed", s.name)
		}
	}
	return nil
}

func (r *Recorder) closeFiles() error {
	var errs []error
	for _, s := range r.files {
		if s.f == nil {
			continue
		}
		if err := s.f.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing %s: %w", s.name, reason(err)))
		}
	}
	return errors.Join(errs...)
}

// reason is a file error without the path, which may be long; the message
// around it names the file.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Close writes what waits, puts it on the disk and ends the recording. The
// error is why the recording is not whole. It waits closeWait at the longest
// for a disk that does not answer.
func (r *Recorder) Close() error {
	r.closed.Do(func() {
		r.mu.Lock()
		r.closing = true
		r.mu.Unlock()
		close(r.stop)
		select {
		case <-r.ended:
			r.closeErr = r.Err()
		case <-time.After(closeWait):
			r.closeErr = fmt.Errorf("recording to %s: the disk did not take the rest in %s", r.dir, closeWait)
		}
	})
	return r.closeErr
}
