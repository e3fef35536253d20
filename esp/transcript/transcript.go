// Package transcript reads a device's log from a file: its events, and a count
// of them.
package transcript

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// Counts tells how many events of each kind a log gave.
type Counts struct {
	Bytes   int64
	ByKind  map[string]int64
	Garbage int64 // bytes
	Unseen  int64 // frames missing between traced ones
}

// Read decodes r to its end. Events have no host time: a file does not tell
// when its bytes arrived. An error of emit ends it.
func Read(r io.Reader, emit func(*model.Event) error) (Counts, error) {
	c := Counts{ByKind: map[string]int64{}}
	d := trace.New()
	var failed error
	each := func(e *model.Event) {
		c.add(e)
		if failed == nil {
			failed = emit(e)
		}
	}
	buf := make([]byte, 64<<10)
	for failed == nil {
		n, err := r.Read(buf)
		c.Bytes += int64(n)
		d.Feed(0, buf[:n], each)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return c, fmt.Errorf("reading the log after %d bytes: %w", c.Bytes, err)
		}
	}
	if failed == nil {
		d.Close(0, each)
	}
	return c, failed
}

func (c *Counts) add(e *model.Event) {
	c.ByKind[e.Body.Kind()]++
	d, ok := e.Body.(*model.Damage)
	if !ok {
		return
	}
	switch d.What {
	case "garbage":
		c.Garbage += d.Bytes.Value()
	case "lost":
		c.Unseen += d.SeqTo.Value() - d.SeqFrom.Value() + 1
	}
}

// String is one line for people: "412 bytes: 5 frames, 2 parent writes, …".
func (c Counts) String() string {
	var parts []string
	for _, k := range kinds {
		if n := c.ByKind[k.kind]; n > 0 {
			parts = append(parts, count(n, k.one, k.many))
		}
	}
	var rest []string
	for name, n := range c.ByKind {
		if !slices.ContainsFunc(kinds, func(k kindName) bool { return k.kind == name }) {
			rest = append(rest, count(n, name, name))
		}
	}
	slices.Sort(rest)
	parts = append(parts, rest...)
	if c.Garbage > 0 {
		parts = append(parts, count(c.Garbage, "byte of garbage", "bytes of garbage"))
	}
	if c.Unseen > 0 {
		parts = append(parts, count(c.Unseen, "frame unseen", "frames unseen"))
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	return count(c.Bytes, "byte", "bytes") + ": " + strings.Join(parts, ", ")
}

// kindName is what a kind of event is called.
type kindName struct{ kind, one, many string }

var kinds = []kindName{
	{"log", "line", "lines"}, {"frame", "frame", "frames"}, {"parent", "parent write", "parent writes"},
	{"tcp", "TCP sample", "TCP samples"}, {"settings", "settings mark", "settings marks"}, {"answer", "answer", "answers"},
	{"boot", "reset", "resets"}, {"panic", "panic", "panics"}, {"wifi", "Wi-Fi change", "Wi-Fi changes"},
	{"fault", "fault", "faults"}, {"damage", "damaged place", "damaged places"},
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
