package trace

import (
	"os"
	"testing"

	"dev.local/linktop/model"
)

func TestDump(t *testing.T) {
	name := os.Getenv("DUMP")
	if name == "" {
		t.Skip()
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d := New()
	e := func(e *model.Event) {
		line, _ := e.AppendJSON(nil)
		os.Stdout.Write(append(line, '\n'))
	}
	d.Feed(0, b, e)
	d.Close(0, e)
}
