package port

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.bug.st/serial"

	"dev.local/linktop/esp"
)

const soon = 10 * time.Second // generous: the machine may be busy

// fake is a line that notes what is done to it.
type fake struct {
	mu     sync.Mutex
	done   []string
	bytes  []byte
	piece  int           // most bytes taken by one write, 0 for all
	stuck  chan struct{} // writes wait for it, when not nil
	stay   chan struct{} // Close waits for it, when not nil
	lines  error         // of SetDTR and SetRTS
	writes int
}

func (f *fake) note(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = append(f.done, s)
}

func (f *fake) Read([]byte) (int, error) { return 0, errors.New("nothing to read") }

func (f *fake) Write(b []byte) (int, error) {
	if f.stuck != nil {
		<-f.stuck
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	if f.piece > 0 {
		b = b[:min(f.piece, len(b))]
	}
	f.bytes = append(f.bytes, b...)
	return len(b), nil
}

func (f *fake) Close() error {
	if f.stay != nil {
		<-f.stay
	}
	f.note("close")
	return nil
}

func (f *fake) SetDTR(on bool) error     { return f.set("DTR", on) }
func (f *fake) SetRTS(on bool) error     { return f.set("RTS", on) }
func (f *fake) ResetOutputBuffer() error { return nil }
func (f *fake) GetModemStatusBits() (*serial.ModemStatusBits, error) {
	return &serial.ModemStatusBits{}, nil
}

func (f *fake) set(line string, on bool) error {
	if f.lines != nil {
		return f.lines
	}
	f.note(line + map[bool]string{true: "1", false: "0"}[on])
	return nil
}

// TestResetNeverAsksForTheLoader replays the line changes: the chip must go
// through reset and never see DTR on with RTS off.
func TestResetNeverAsksForTheLoader(t *testing.T) {
	f := &fake{}
	p := newPort("COM6", f)
	dtr, rts := true, true // as opening leaves them
	for round := range 2 {
		f.done = nil
		if err := p.Reset(); err != nil {
			t.Fatal(err)
		}
		resets := 0
		for _, s := range f.done {
			was := rts && !dtr
			if s[:3] == "DTR" {
				dtr = s[3] == '1'
			} else {
				rts = s[3] == '1'
			}
			if dtr && !rts {
				t.Errorf("round %d: %v asks for the loader", round, f.done)
			}
			if now := rts && !dtr; now && !was {
				resets++
			}
		}
		if resets != 1 || rts {
			t.Errorf("round %d: %v resets %d times and ends with RTS %v; want once, off", round, f.done, resets, rts)
		}
		// usbser.sys hands RTS on with DTR: the release must be followed by it.
		if n := len(f.done); n < 2 || f.done[n-2] != "RTS0" || f.done[n-1] != "DTR0" {
			t.Errorf("round %d: %v must end with RTS0, DTR0", round, f.done)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	before := len(f.done)
	if err := p.Reset(); !errors.Is(err, os.ErrClosed) || len(f.done) != before {
		t.Errorf("reset after close: %v, %v", err, f.done)
	}
}

func TestResetTellsWhatFailed(t *testing.T) {
	p := newPort("COM6", &fake{lines: errors.New("the cable burns")})
	if err := p.Reset(); err == nil || !strings.Contains(err.Error(), "resetting by COM6: the cable burns") {
		t.Errorf("got %v", err)
	}
}

func TestWriteInPieces(t *testing.T) {
	f := &fake{piece: 3}
	p := newPort("COM6", f)
	n, err := p.Write([]byte("lt #1 hello\r"))
	if n != 12 || err != nil || string(f.bytes) != "lt #1 hello\r" || f.writes != 4 {
		t.Errorf("wrote %d, %v: %q in %d pieces", n, err, f.bytes, f.writes)
	}
}

func TestStalledWriteGivesUpThePort(t *testing.T) {
	f := &fake{stuck: make(chan struct{}), piece: 1}
	p := newPort("COM6", f)
	began := time.Now()
	ended := make(chan error, 1)
	go func() {
		_, err := p.Write([]byte("lt #1 hello\r"))
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, esp.ErrStalled) || !strings.Contains(err.Error(), "writing to COM6") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took < writeTime {
			t.Errorf("gave up after %v already", took)
		}
	case <-time.After(soon):
		t.Fatal("the write hangs")
	}
	if _, err := p.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write after it: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("closing it again: %v", err)
	}
	// The stuck call comes back: nothing more may go to a closed handle.
	close(f.stuck)
	deadline := time.Now().Add(soon)
	for {
		f.mu.Lock()
		writes, done := f.writes, slices.Clone(f.done)
		f.mu.Unlock()
		if writes == 1 && slices.Contains(done, "close") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d writes, %v", writes, done)
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond) // a second write would follow at once
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writes != 1 {
		t.Errorf("%d writes after the port was closed", f.writes-1)
	}
}

func TestCloseIsBounded(t *testing.T) {
	f := &fake{stay: make(chan struct{})}
	defer close(f.stay)
	p := newPort("COM6", f)
	ended := make(chan error, 1)
	go func() { ended <- p.Close() }()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "closing COM6") {
			t.Errorf("got %v", err)
		}
	case <-time.After(soon):
		t.Fatal("close hangs")
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"CP2102N\n":            "CP2102N",
		"a\x1b[31mred":         "a [31mred",
		"\xff\xfe two  words ": "two words",
		"\x00":                 "",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q gave %q, want %q", in, got, want)
		}
	}
}
