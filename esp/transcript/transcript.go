// Package transcript reads a device's log from a file: its events, and a count
// of them.
package transcript

import (
	"errors"
	"fmt"
	"io"
	"sort"
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
	names := map[string]string{"frame": "frames", "parent": "parent writes", "log": "lines", "boot": "resets",
		"panic": "panics", "fault": "faults", "damage": "damaged places", "answer": "answers", "settings": "settings marks",
		"tcp": "TCP samples", "wifi": "Wi-Fi changes"}
	order := []string{"log", "frame", "parent", "tcp", "settings", "answer", "boot", "panic", "wifi", "fault", "damage"}
	var parts []string
	for _, kind := range order {
		if n := c.ByKind[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, names[kind]))
		}
	}
	var rest []string
	for kind, n := range c.ByKind {
		if names[kind] == "" {
			rest = append(rest, fmt.Sprintf("%d %s", n, kind))
		}
	}
	sort.Strings(rest)
	parts = append(parts, rest...)
	if c.Garbage > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes of garbage", c.Garbage))
	}
	if c.Unseen > 0 {
		parts = append(parts, fmt.Sprintf("%d frames unseen", c.Unseen))
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	return fmt.Sprintf("%d bytes: %s", c.Bytes, strings.Join(parts, ", "))
}
