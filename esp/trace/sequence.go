package trace

import "dev.local/linktop/model"

// sequence follows the firmware's count of frames, to tell which were not seen.
type sequence struct {
	last   int64
	before int64 // what last was, while the count seems to have gone back
	known  bool
	back   bool
}

// maxGap is the widest gap that is believed to be one: an hour of 1024-byte
// frames. Beyond it the firmware counts anew.
const maxGap = 100_000

// saw notes a frame and tells which frames are missing before it.
func (s *sequence) saw(seq model.Opt) (from, to int64, missing bool) {
	if !seq.Known() {
		s.known = false
		return 0, 0, false
	}
	v := seq.Value()
	if s.back {
		// A count that goes on where it was before: the one in between had
		// lost digits.
		if s.back = false; v == s.before+1 || v == s.before+2 {
			s.last = v
			return 0, 0, false
		}
	}
	last := s.last
	wasKnown := s.known
	s.last, s.known = v, true
	switch {
	case !wasKnown, v == last, v == last+1:
		return 0, 0, false
	case v < last:
		s.before, s.back = last, true
		return 0, 0, false
	case v-last > maxGap:
		return 0, 0, false
	}
	return last + 1, v - 1, true
}
