package live

import (
	"strconv"

	"dev.local/linktop/model"
)

// minScaleUS keeps a fast frame looking fast.
const minScaleUS = 100_000

// scale is how times become cells: from 0, grid lines at steps of 1, 2 or 5
// times a power of ten, each a whole number of cells apart.
type scale struct {
	stepUS int64
	cells  int // per step
	w      int
}

// scaled is the scale on which maxUS fits into w cells.
func scaled(maxUS int64, w int) scale {
	maxUS = max(maxUS, minScaleUS)
	w = max(w, 1)
	for ten := int64(10_000); ; ten *= 10 {
		for _, m := range []int64{1, 2, 5} {
			step := m * ten
			cells := int(int64(w) * step / maxUS)
			if cells >= max(7, w/5) || cells >= w {
				return fitted(step, min(cells, w), w)
			}
		}
	}
}

// fitted narrows the steps where that lets the last label end within the width.
func fitted(stepUS int64, cells, w int) scale {
	for n := cells; n > max(cells-3, 1); n-- {
		last := (w - 1) / n
		if last*n+len(strconv.FormatInt(int64(last)*stepUS/1000, 10)) <= w {
			return scale{stepUS, n, w}
		}
	}
	return scale{stepUS, cells, w}
}

// eighths is where a time ends, in eighths of a cell.
func (s scale) eighths(us int64) int {
	return int((us*8*int64(s.cells) + s.stepUS/2) / s.stepUS)
}

// cell is the cell that a time falls into.
func (s scale) cell(us int64) int { return int(us * int64(s.cells) / s.stepUS) }

// full is the time that the whole width stands for.
func (s scale) full() int64 { return s.stepUS * int64(s.w) / int64(s.cells) }

// Scale is the longest time that a screen of this size has to show, µs: what the
// bars' full width must stand for. The screen lets it grow at once and shrink
// only after a while.
func Scale(s *model.Snapshot, w, h int) int64 {
	if w < fullW || h < fullH {
		return minScaleUS
	}
	longest := max(minScaleUS, s.Setting.Parts[model.PartTotal].P95.Value())
	n := planned(w, h, true).rows
	for i := len(s.Frames) - 1; i >= 0 && n > 0; i-- {
		if f := &s.Frames[i].Frame; f.Audio() {
			longest = max(longest, spent(f))
			n--
		}
	}
	return longest
}

// spent is the time of a frame as its bar shows it: its total, or the sum of
// what is known of its parts.
func spent(f *model.Frame) int64 {
	return f.TotalUS.Or(f.PollUS.Value() + f.MaskUS.Value() + f.HeaderUS.Value() + f.PayloadUS.Value())
}
