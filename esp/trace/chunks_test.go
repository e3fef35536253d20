package trace_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// full is all of an event but its host time.
func full(e *model.Event) string {
	return fmt.Sprintf("%v %v %s %+v", e.DevUS, e.DevWallUS, e.Body.Kind(), e.Body)
}

// decodeIn decodes p in parts of the sizes that next gives.
func decodeIn(p []byte, next func() int) []string {
	var out []string
	keep := func(e *model.Event) { out = append(out, full(e)) }
	d := trace.New()
	for len(p) > 0 {
		n := min(max(1, next()), len(p))
		d.Feed(1, slices.Clone(p[:n]), keep)
		p = p[n:]
	}
	d.Close(1, keep)
	return out
}

func everything(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "*.log"))
	if err != nil || len(names) == 0 {
		t.Fatal("no fixtures: ", err)
	}
	out, all := map[string][]byte{}, []byte{}
	for _, n := range names {
		p, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(n)] = p
		all = append(all, p...)
	}
	out["all"] = all
	out["overlong"] = []byte(strings.Repeat("x", 300<<10) + "\r\nI (5) a: b\r\n" + strings.Repeat("\xff", 9000) + "\nI (6) a: c\r")
	return out
}

func TestChunksChangeNothing(t *testing.T) {
	for name, p := range everything(t) {
		t.Run(name, func(t *testing.T) {
			want := decodeIn(p, func() int { return len(p) })
			rnd := rand.New(rand.NewPCG(1, 2))
			for cut, next := range map[string]func() int{
				"bytes":  func() int { return 1 },
				"threes": func() int { return 3 },
				"64":     func() int { return 64 },
				"random": func() int { return rnd.IntN(100) },
			} {
				if got := decodeIn(p, next); !slices.Equal(got, want) {
					i := 0
					for i < min(len(got), len(want)) && got[i] == want[i] {
						i++
					}
					t.Errorf("cut in %s: %d events, not %d; they part at %d:\n%v\n%v", cut, len(got), len(want), i,
						got[i:min(i+2, len(got))], want[i:min(i+2, len(want))])
				}
			}
		})
	}
}

func TestLineEnds(t *testing.T) {
	var want []string
	for _, end := range []string{"\n", "\r\n", "\r\r\n", "\r"} {
		p := bytes.ReplaceAll([]byte("I (1) a: one~I (2) a: two~LT w s=1 o=2 n=8 p=1 m=1 h=1 w=1 t=5 r=8~"), []byte("~"), []byte(end))
		got := decodeIn(p, func() int { return 1 })
		if want == nil {
			want = got
		}
		if len(got) != 4 || !slices.Equal(got, want) {
			t.Errorf("lines ended by %q: %v, want %v", end, got, want)
		}
	}
}

func TestOverlongIsBounded(t *testing.T) {
	var overlong, lines int
	var bytes int64
	longest := 0
	each := func(e *model.Event) {
		switch b := e.Body.(type) {
		case *model.Damage:
			if b.What == "overlong" {
				overlong++
				bytes += b.Bytes.Value()
			}
		case *model.Log:
			lines++
			longest = max(longest, len(b.Text))
		}
	}
	d := trace.New()
	for range 300 {
		d.Feed(1, []byte(strings.Repeat("a", 1024)), each)
	}
	d.Feed(1, []byte("\nI (7) app: after\n"), each)
	d.Close(1, each)
	if overlong != 1 || bytes < 290<<10 || longest > 8<<10 {
		t.Errorf("%d overlong lines of %d bytes, longest text %d", overlong, bytes, longest)
	}
	if lines < 1 {
		t.Error("the line after it is lost")
	}
}

func TestFlushTellsWhatWaits(t *testing.T) {
	var got []string
	keep := func(e *model.Event) { got = append(got, line(e)) }
	d := trace.New()
	d.Feed(1, []byte("linktop> "), keep)
	if len(got) != 0 {
		t.Errorf("told before its end: %v", got)
	}
	d.Flush(2, keep)
	d.Flush(3, keep)
	if len(got) != 1 || !strings.Contains(got[0], "linktop>") {
		t.Errorf("a prompt is told as %v", got)
	}
	d.Feed(4, []byte("LT #3 ok rev=4\r\n"), keep)
	if !slices.Contains(got, "answer n=3 ok=true") {
		t.Errorf("the answer behind the prompt: %v", got)
	}
	got = nil
	d.Feed(5, []byte("ESP-ROM:esp32s3-20210327\r\nrst:0x15 (USB_UART_CHIP_RESET),boot:0x8 (SPI_FAST_FLASH_BOOT)\r\n"), keep)
	d.Flush(6, keep)
	if !slices.Contains(got, "boot reason=usb code=0x15 USB_UART_CHIP_RESET") {
		t.Errorf("a reset without more: %v", got)
	}
	got = nil
	d.Feed(7, []byte("LT w s=1 o=2 n=8 p=1 m=1"), keep)
	d.Flush(8, keep)
	d.Feed(9, []byte("0 h=1 w=1 t=14 r=8\r\n"), keep)
	if !slices.Contains(got, "frame seq=1 op=2 n=8 t=14 p=1 m=10 h=1 w=1 other=1 r=8") {
		t.Errorf("a trace line with a pause in it: %v", got)
	}
}
