package jsonl

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"dev.local/linktop/model"
)

func TestCopyWritesOneObjectALine(t *testing.T) {
	c := make(chan model.Event, 3)
	for n := range int64(3) {
		c <- model.Event{HostUS: 5, Body: &model.Binary{N: n, LenBytes: 7}}
	}
	close(c)
	var out bytes.Buffer
	if err := Copy(&out, c); err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"binary","host_us":5,"n":0,"len_bytes":7}
{"kind":"binary","host_us":5,"n":1,"len_bytes":7}
{"kind":"binary","host_us":5,"n":2,"len_bytes":7}
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// An error of the writer ends it at once, though events go on.
func TestCopyEndsWithItsWriter(t *testing.T) {
	c := make(chan model.Event, 1)
	c <- model.Event{Body: &model.Log{Text: model.Text(strings.Repeat("x", 100))}}
	if err := Copy(full{}, c); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}
