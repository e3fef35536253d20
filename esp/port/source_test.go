package port

import (
	"context"
	"errors"
	"testing"
)

// bench is a source on ports of paper.
func bench(name string) (s *Source, plug func(...Info), opened *[]string) {
	var ports []Info
	opened = new([]string)
	s = NewSource(name, 921600)
	s.list = func() ([]Info, error) { return arrange(ports), nil }
	s.open = func(name string, baud int) (*Port, error) {
		*opened = append(*opened, name)
		return newPort(name, &fake{}), nil
	}
	return s, func(p ...Info) { ports = p }, opened
}

func TestSourceFindsTheSameDevice(t *testing.T) {
	at := func(i Info, name string) Info { i.Name = name; return i }
	board := Info{VID: "303A", PID: "1001", Serial: "7C:DF:A1:00:00:01"}
	twin := Info{VID: "303A", PID: "1001", Serial: "7C:DF:A1:00:00:02"}
	clone := Info{VID: "1A86", PID: "7523"} // a CH340 has no serial number
	for name, c := range map[string]struct {
		asked         string
		first, second []Info
		was, is       string
		reason        string // of the error, when it is not found again
		says          []string
	}{
		"same place": {asked: "COM4", first: []Info{at(board, "COM4")}, second: []Info{at(board, "COM4")}, was: "COM4", is: "COM4"},
		"other name": {asked: "COM4", first: []Info{at(board, "COM4")}, second: []Info{at(board, "COM9")}, was: "COM4", is: "COM9"},
		"its name is another's now": {asked: "COM4", first: []Info{at(board, "COM4"), at(twin, "COM5")},
			second: []Info{at(twin, "COM4"), at(board, "COM5")}, was: "COM4", is: "COM5"},
		"auto, and a second board since": {asked: AutoName, first: []Info{at(board, "COM4")},
			second: []Info{at(twin, "COM3"), at(board, "COM7")}, was: "COM4", is: "COM7"},
		"gone": {asked: "COM4", first: []Info{at(board, "COM4")}, second: []Info{at(twin, "COM5")}, was: "COM4",
			reason: "missing", says: []string{"opening COM4", "7C:DF:A1:00:00:01", "is gone", "plug it in again", "COM5 (ESP32 USB JTAG)"}},
		"auto, another board in its place": {asked: AutoName, first: []Info{at(board, "COM4")}, second: []Info{at(twin, "COM4")}, was: "COM4",
			reason: "missing", says: []string{"7C:DF:A1:00:00:01", "is gone"}},
		"no serial number, the only one": {asked: "COM4", first: []Info{at(clone, "COM4")}, second: []Info{at(clone, "COM9")}, was: "COM4", is: "COM9"},
		"no serial number, old name among two": {asked: "COM4", first: []Info{at(clone, "COM4"), at(clone, "COM5")},
			second: []Info{at(clone, "COM5"), at(clone, "COM4")}, was: "COM4", is: "COM4"},
		"no serial number, two others": {asked: "COM4", first: []Info{at(clone, "COM4")},
			second: []Info{at(clone, "COM5"), at(clone, "COM6")}, was: "COM4", reason: "other", says: []string{"cannot be told from others", "COM5", "COM6"}},
		"not on USB": {asked: "COM1", first: []Info{{Name: "COM1"}}, second: nil, was: "COM1", is: "COM1"},
		"not listed": {asked: "/dev/pts/7", first: nil, second: []Info{at(board, "COM4")}, was: "/dev/pts/7", is: "/dev/pts/7"},
	} {
		t.Run(name, func(t *testing.T) {
			s, plug, opened := bench(c.asked)
			if s.Name() != c.asked {
				t.Errorf("named %q before it is opened, want %q", s.Name(), c.asked)
			}
			plug(c.first...)
			if _, err := s.Open(context.Background()); err != nil {
				t.Fatal(err)
			}
			if s.Name() != c.was {
				t.Errorf("first at %q, want %q", s.Name(), c.was)
			}
			plug(c.second...)
			_, err := s.Open(context.Background())
			if c.is == "" {
				wantError(t, err, c.reason, c.says...)
				if len(*opened) != 1 {
					t.Errorf("opened %v", *opened)
				}
				plug(c.first...) // and back where it was
				if _, err := s.Open(context.Background()); err != nil || s.Name() != c.was {
					t.Errorf("plugged in again: %v, %s", err, s.Name())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := (*opened)[1]; got != c.is || s.Name() != c.is {
				t.Errorf("then opened %q, named %q, want %q", got, s.Name(), c.is)
			}
		})
	}
}

func TestSourceWithoutAList(t *testing.T) {
	s, _, opened := bench(AutoName)
	s.list = func() ([]Info, error) { return nil, errors.New("the registry is on fire") }
	_, err := s.Open(context.Background())
	wantError(t, err, "other", "the registry is on fire", "--port")

	s, _, opened = bench("COM4")
	s.list = func() ([]Info, error) { return nil, errors.New("the registry is on fire") }
	if _, err := s.Open(context.Background()); err != nil || len(*opened) != 1 {
		t.Errorf("a port given by name needs no list: %v, %v", err, *opened)
	}
}

func TestSourceEnded(t *testing.T) {
	s, _, opened := bench("COM4")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Open(ctx); !errors.Is(err, context.Canceled) || len(*opened) != 0 {
		t.Errorf("got %v, opened %v", err, *opened)
	}
}

func TestBaudOfTheChipsOwnUSB(t *testing.T) {
	s, plug, _ := bench(AutoName)
	if s.Baud() != 921600 {
		t.Errorf("before: %d", s.Baud())
	}
	plug(Info{Name: "COM4", VID: "303A", PID: "1001"})
	if _, err := s.Open(context.Background()); err != nil || s.Baud() != 0 {
		t.Errorf("%v, %d baud; it has no speed", err, s.Baud())
	}
}
