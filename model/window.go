package model

// window gathers the parts of the frames of one stretch.
type window struct {
	sinceUS      int64
	n            int
	payloadBytes int64
	totalUS      int64 // sum of the known totals
	parts        [NumParts]ranked
	bins         *[NumParts]bins // nil where nobody asks how often
}

func (w *window) reset(sinceUS int64) { *w = window{sinceUS: sinceUS} }

func (w *window) add(f *Frame) {
	w.n++
	w.payloadBytes += f.PayloadBytes.Value()
	w.totalUS += f.TotalUS.Value()
	for p := range NumParts {
		if us := f.PartUS(p); us.Known() {
			w.parts[p].insert(us.Value())
			if w.bins != nil {
				w.bins[p].add(us.Value())
			}
		}
	}
}

func (w *window) drop(f *Frame) {
	w.n--
	w.payloadBytes -= f.PayloadBytes.Value()
	w.totalUS -= f.TotalUS.Value()
	for p := range NumParts {
		if us := f.PartUS(p); us.Known() {
			w.parts[p].remove(us.Value())
			if w.bins != nil {
				w.bins[p].drop(us.Value())
			}
		}
	}
}

// figures are the window as a value.
func (w *window) figures() Window {
	out := Window{SinceUS: w.sinceUS, N: w.n, PayloadBytes: w.payloadBytes}
	if n := int64(w.parts[PartTotal].n); n > 0 {
		out.MeanTotalUS = Some(w.totalUS / n)
	}
	for p := range NumParts {
		out.Parts[p] = w.parts[p].quantiles()
		if w.bins != nil {
			out.Parts[p].Bins = w.bins[p].all()
		}
	}
	return out
}

// keptChunk frames are allocated at a time, so that a short run stays small.
const keptChunk = 1024

// KeptFrames is how many frames stay whole in memory, at least.
const KeptFrames = 100_000

const keptChunks = (KeptFrames + keptChunk - 1) / keptChunk

// kept is one frame in memory and the condition it belongs to.
type kept struct {
	TimedFrame
	cond *condition
}

// store keeps the newest frames. Frames are numbered from 0 on, by arrival.
type store struct {
	chunks [][]kept
	next   int64
}

func (s *store) oldest() int64 { return max(0, s.next-keptChunks*keptChunk) }

func (s *store) at(i int64) *kept {
	return &s.chunks[i/keptChunk%keptChunks][i%keptChunk]
}

// put adds a frame; leaving is told the frame that gives way, if one does.
func (s *store) put(k kept, leaving func(i int64, k *kept)) {
	if s.next >= keptChunks*keptChunk {
		leaving(s.next-keptChunks*keptChunk, s.at(s.next))
	} else if s.next%keptChunk == 0 {
		s.chunks = append(s.chunks, make([]kept, keptChunk))
	}
	*s.at(s.next) = k
	s.next++
}

// newest copies the last n frames, oldest first.
func (s *store) newest(n int64) []TimedFrame {
	from := max(s.oldest(), s.next-n)
	out := make([]TimedFrame, 0, s.next-from)
	for i := from; i < s.next; i++ {
		out = append(out, s.at(i).TimedFrame)
	}
	return out
}

// condition is the kept frames of equal settings.
type condition struct {
	settings Settings
	window   window
	idlePoll ranked // poll of frames after an idle pause
	busyPoll ranked // poll of the others
	produced int64  // bytes over whole reports
	sent     int64
	dropped  int64
	reported bool
}

func (c *condition) poll(k *kept) *ranked {
	if k.AfterIdle {
		return &c.idlePoll
	}
	return &c.busyPoll
}

func (c *condition) add(k *kept) {
	c.window.add(&k.Frame)
	if k.PollUS.Known() {
		c.poll(k).insert(k.PollUS.Value())
	}
}

func (c *condition) drop(k *kept) {
	c.window.drop(&k.Frame)
	if k.PollUS.Known() {
		c.poll(k).remove(k.PollUS.Value())
	}
}

// maxConditions bounds how many different settings are told apart at a time.
const maxConditions = 64

func (s *State) condition(set Settings) *condition {
	set = set.Condition()
	for _, c := range s.conditions {
		if c.settings == set {
			return c
		}
	}
	if len(s.conditions) >= maxConditions {
		s.conditions = append(s.conditions[:0:0], s.conditions[1:]...)
	}
	c := &condition{settings: set}
	s.conditions = append(s.conditions, c)
	return c
}
