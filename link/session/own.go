package session

import (
	"sync/atomic"
	"time"

	"dev.local/linktop/model"
)

// settleTime is how long after the newest event figures still change: the
// short window reaches 10 s back, accounts become stale.
const settleTime = 16 * time.Second

// own is the goroutine that owns the state, until stop is closed and the queue
// is empty.
func (s *Session) own(stop <-chan struct{}) {
	defer close(s.done)
	var state model.State
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	newest := s.now()
	told := map[string]int64{}
	for {
		select {
		case batch := <-s.queue:
			s.fold(&state, batch)
			newest = s.now()
			s.signal()
		case reply := <-s.ask:
			reply <- state.Snapshot(s.now().UnixMicro())
		case <-tick.C:
			if s.losses(&state, told) || s.now().Sub(newest) < settleTime {
				s.signal()
			}
		case <-stop:
			for len(s.queue) > 0 {
				s.fold(&state, <-s.queue)
			}
			s.losses(&state, told)
			s.last.Store(state.Snapshot(s.now().UnixMicro()))
			s.endReaders()
			s.signal()
			return
		}
	}
}

func (s *Session) signal() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// fold takes a batch in: state, recorder, readers.
func (s *Session) fold(state *model.State, batch []model.Event) {
	s.mu.Lock()
	readers := s.readers
	s.mu.Unlock()
	for i := range batch {
		e := &batch[i]
		state.Apply(e)
		if s.cfg.Recorder != nil {
			s.cfg.Recorder.Event(e)
		}
		for _, r := range readers {
			r.offer(e)
		}
	}
}

// losses tells of what queues had to let go since it was last told, and of the
// recorder's state. It reports whether there was anything to tell.
func (s *Session) losses(state *model.State, told map[string]int64) bool {
	var news []model.Event
	tell := func(where string, count int64) {
		if told[where] != count {
			told[where] = count
			news = append(news, model.Event{HostUS: s.now().UnixMicro(), Body: &model.Loss{Where: where, Count: count}})
		}
	}
	tell("events", s.lost.Load())
	if r := s.cfg.Recorder; r != nil {
		lost := r.Lost()
		tell("recorded bytes", lost.Bytes)
		tell("recorded events", lost.Events)
		if rec := r.Status(); told["recorded "+rec.State] != rec.Bytes+1 {
			told["recorded "+rec.State] = rec.Bytes + 1
			news = append(news, model.Event{HostUS: s.now().UnixMicro(), Body: &rec})
		}
	}
	s.fold(state, news)
	return len(news) > 0
}

// Reader gets a copy of every event from where it was opened. A reader that is
// too slow loses events, which are counted, and holds nobody up.
type Reader struct {
	// C is closed when the session has ended.
	C    <-chan model.Event
	c    chan model.Event
	lost atomic.Int64
}

// readerQueue bounds how far a reader may lag.
const readerQueue = 32 << 10

// Reader opens a reader. Open it before Run to get every event.
func (s *Session) Reader() *Reader {
	c := make(chan model.Event, readerQueue)
	r := &Reader{C: c, c: c}
	s.mu.Lock()
	s.readers = append(s.readers[:len(s.readers):len(s.readers)], r)
	s.mu.Unlock()
	return r
}

// Lost is how many events the reader was too slow for.
func (r *Reader) Lost() int64 { return r.lost.Load() }

func (r *Reader) offer(e *model.Event) {
	select {
	case r.c <- *e:
	default:
		r.lost.Add(1)
	}
}

func (s *Session) endReaders() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.readers {
		close(r.c)
	}
	s.readers = nil
}
