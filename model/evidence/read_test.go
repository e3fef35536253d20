package evidence

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadingDamagedFiles(t *testing.T) {
	const a, b = `{"kind":"ping","host_us":1,"rtt_us":5}`, `{"kind":"loss","host_us":2,"where":"events","count":3}`
	for name, c := range map[string]struct {
		text   string
		events int
		errs   []string
	}{
		"empty":            {"", 0, nil},
		"whole":            {a + "\n" + b + "\n", 2, nil},
		"CRLF":             {a + "\r\n\r\n" + b + "\r\n", 2, nil},
		"no last line end": {a + "\n" + b, 2, nil},
		"torn":             {a + "\n" + b[:20], 1, []string{"line 2: the last line is torn"}},
		"torn in a rune":   {a + "\n{\"kind\":\"log\",\"text\":\"\xc3", 1, []string{"torn"}},
		"zeros at the end": {a + "\n\x00\x00\x00", 1, []string{"torn"}},
		"bad in between":   {a + "\nnonsense\n" + b + "\n", 2, []string{"line 2: "}},
		"unknown kind":     {a + "\n{\"kind\":\"later\"}\n" + b + "\n", 2, []string{`line 2: reading an event: no event is called "later"`}},
		"a line too long":  {a + "\n" + strings.Repeat("x", maxLine+1) + "\n" + b + "\n", 2, []string{"line 2: longer than"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), EventsFile)
			os.WriteFile(path, []byte(c.text), 0o644)
			var events int
			var errs []error
			for e, err := range ReadEvents(path) {
				if err != nil {
					errs = append(errs, err)
					continue
				}
				if e.Body == nil {
					t.Fatal("an event without a body")
				}
				events++
			}
			if events != c.events || len(errs) != len(c.errs) {
				t.Fatalf("read %d events and %v, want %d and %q", events, errs, c.events, c.errs)
			}
			for i, err := range errs {
				if !strings.Contains(err.Error(), c.errs[i]) || !strings.Contains(err.Error(), path) {
					t.Errorf("told %v, want %q in it", err, c.errs[i])
				}
				if torn := errors.Is(err, ErrTorn); torn != strings.Contains(c.errs[i], "torn") {
					t.Errorf("%v is ErrTorn: %v", err, torn)
				}
			}
		})
	}
	for _, err := range ReadEvents(filepath.Join(t.TempDir(), "none")) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no file: %v", err)
		}
	}
}
