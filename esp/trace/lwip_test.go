package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dev.local/linktop/model"
)

// nearestRank is the smallest value that p percent of the values do not exceed,
// in ms.
func nearestRank(us []int64, p int) int64 {
	slices.Sort(us)
	return us[max(0, (len(us)*p+99)/100-1)] / 1000
}

// TestRealTraces: traces of real lwIP under ESP-IDF's transport code give the
// percentiles that were taken from them by other means.
func TestRealTraces(t *testing.T) {
	for name, want := range map[string]string{
		"lwip-rtt285-4096.log": "n=41 total 297 330 336 poll 285 291 header 2 write 9 40 54",
		"lwip-rtt250-1024.log": "n=135 total 70 181 181 poll 70 180 header 0 write 0 0 180",
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture(t, name)
			var total, poll, header, write []int64
			parents := 0
			for _, e := range decode(p) {
				switch b := e.Body.(type) {
				case *model.Frame:
					if !b.Audio() {
						continue
					}
					total = append(total, b.TotalUS.Value())
					poll = append(poll, b.PollUS.Value())
					header = append(header, b.HeaderUS.Value())
					write = append(write, b.PayloadUS.Value())
				case *model.Parent:
					parents++
				case *model.Log:
				default:
					t.Errorf("%s %+v", b.Kind(), b)
				}
			}
			got := fmt.Sprintf("n=%d total %d %d %d poll %d %d header %d write %d %d %d", len(total),
				nearestRank(total, 50), nearestRank(total, 95), nearestRank(total, 100), nearestRank(poll, 50), nearestRank(poll, 95),
				nearestRank(header, 95), nearestRank(write, 50), nearestRank(write, 95), nearestRank(write, 100))
			if got != want {
				t.Errorf("told %s, want %s", got, want)
			}
			if n := strings.Count(string(p), "IDF_PARENT_WRITE_TRACE:"); parents != n {
				t.Errorf("%d parent writes, %d lines", parents, n)
			}
		})
	}
}
