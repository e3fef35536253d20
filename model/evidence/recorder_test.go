package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dev.local/linktop/model"
)

// patience is how long a test waits for what must happen: long, as it passes
// only when the test fails.
const patience = 20 * time.Second

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// samples are events of every kind, those of the server first.
func samples() []model.Event {
	bodies := []model.Body{
		&model.Server{State: "listening", URL: "ws://127.0.0.1:1/audio"},
		&model.Peer{State: "open", ID: 1, Colo: "SJC"},
		&model.SessionStart{Peer: 1, Device: "s3", Rate: model.Some(16000)},
		&model.Binary{Peer: 1, N: 1, LenBytes: 4096},
		&model.SenderReport{Peer: 1, Seq: model.Some(0), DroppedBytes: model.Some(0)},
		&model.ReceiverReport{Peer: 1, ReceivedBytes: 4096, ReceivedFrames: 1},
		&model.Message{Type: "x", Raw: model.Text("{}")},
		&model.Ping{RTTUS: 280000},
		&model.TCP{Side: "server", RTTUS: model.Some(1)},
		&model.SessionEnd{Reason: "done"},
		// From here on: of the device and of linktop itself.
		&model.TCP{Side: "device", FreeBytes: model.Some(0)},
		&model.Frame{Seq: model.Some(4), PollUS: model.Some(163000), Ret: model.Some(-1)},
		&model.Parent{Seq: model.Some(9), Transport: "ssl"},
		&model.Settings{Rev: model.Some(1), BurstFrames: model.Some(0)},
		&model.Log{Level: "I", Tag: model.Text("main"), Text: model.Text("ü \"quoted\" <b>")},
		&model.Boot{Reason: "brownout"},
		&model.Panic{Core: model.Some(0), Backtrace: []string{"0x42011a2e"}},
		&model.WiFi{State: "lost", Reason: model.Some(201)},
		&model.Fault{Area: "tls", Meaning: "m", Detail: model.Text("d")},
		&model.Damage{What: "torn", Bytes: model.Some(3)},
		&model.Command{N: 8, Line: "lt #8 set frame=4096", Via: "serial"},
		&model.Answer{N: 8, OK: true, Fields: map[string]string{"rev": "1"}},
		&model.Port{State: "open", Name: "COM6"},
		&model.Serial{Bytes: 9},
		&model.Loss{Where: "record", Count: 2},
		&model.Recording{State: "on"},
	}
	var es []model.Event
	for i, b := range bodies {
		e := model.Event{HostUS: int64(1_790_000_000_000_000 + i), Body: b}
		if i%2 == 0 {
			e.DevUS = model.Some(int64(i))
		}
		es = append(es, e)
	}
	return es
}

const serverSamples = 10

func read(t *testing.T, name string) []model.Event {
	t.Helper()
	var es []model.Event
	for e, err := range ReadEvents(name) {
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	return es
}

func start(t *testing.T, dir string, o Options) *Recorder {
	t.Helper()
	r, err := NewRecorder(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestWhatIsRecordedIsRead(t *testing.T) {
	at := time.Date(2026, 6, 11, 12, 30, 27, 0, time.UTC)
	r := start(t, t.TempDir(), Options{Name: "desk", Now: func() time.Time { return at },
		Config: RunConfig{Linktop: "v1", Port: "COM6", Baud: 115200, Listen: ":8765"}})
	if got := filepath.Base(r.Dir()); got != "desk_20260611_123027" {
		t.Errorf("the folder is %s", got)
	}
	var raw []byte
	part := []byte{0, 0xff, '\r', '\n', 0x1b}
	for i := range 1000 {
		part[0] = byte(i)
		raw = append(raw, part...)
		r.Raw(int64(100+i), part) // reuses part: the recorder must copy
	}
	want := samples()
	for i := range want {
		r.Event(&want[i])
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(r.Dir(), DeviceLog)); !bytes.Equal(b, raw) {
		t.Errorf("the raw log has %d bytes, other than the %d given", len(b), len(raw))
	}
	if got := read(t, filepath.Join(r.Dir(), EventsFile)); !reflect.DeepEqual(got, want) {
		t.Errorf("read %d events, other than the %d given", len(got), len(want))
	}
	if got := read(t, filepath.Join(r.Dir(), ServerFile)); !reflect.DeepEqual(got, want[:serverSamples]) {
		t.Errorf("the server's file has %d events, other than the %d of the server", len(got), serverSamples)
	}
	c, err := ReadConfig(r.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if c.Linktop != "v1" || c.Port != "COM6" || c.Baud != 115200 || c.OS != runtime.GOOS || c.Arch != runtime.GOARCH || !c.Start.Equal(at) || !c.End.Equal(at) {
		t.Errorf("run_config.json says %+v", c)
	}
	if c.Serial == nil || *c.Serial != (Serial{Bytes: 5000, FirstUS: 100, LastUS: 1099}) {
		t.Errorf("run_config.json says of the serial bytes %+v", c.Serial)
	}
	if s := r.Status(); s.State != "off" || s.Bytes != c.WrittenBytes || s.Bytes < 5000 {
		t.Errorf("status %+v, written %d", s, c.WrittenBytes)
	}
	if lost := r.Lost(); lost != (Lost{}) {
		t.Errorf("lost %+v", lost)
	}
	r.Raw(1, part)
	r.Event(&want[0])
	if lost := r.Lost(); lost != (Lost{5, 1}) {
		t.Errorf("after the end lost %+v, want what came after it", lost)
	}
	if err := r.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestAFolderIsNeverWrittenToTwice(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 6, 11, 12, 30, 27, 0, time.UTC)
	var got []string
	for range 3 {
		r := start(t, dir, Options{Now: func() time.Time { return at }})
		got = append(got, filepath.Base(r.Dir()))
	}
	if want := []string{"live_20260611_123027", "live_20260611_123027-2", "live_20260611_123027-3"}; !slices.Equal(got, want) {
		t.Errorf("folders %v, want %v", got, want)
	}
}

func TestANameStaysInItsFolder(t *testing.T) {
	for in, want := range map[string]string{"a b": "a_b", "../../etc": "_._.._etc", "C:\\x": "C__x", "r-1_a.b": "r-1_a.b", "ü": "__"} {
		if got := cleanName(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestWhatAKillLeavesIsReadable(t *testing.T) {
	r := start(t, t.TempDir(), Options{FlushEvery: 20 * time.Millisecond})
	want := samples()
	r.Raw(1, []byte("boot\r\n"))
	for i := range want {
		r.Event(&want[i])
	}
	// Nobody closes it: what counts is what the files hold by now.
	eventually(t, "the files to be written", func() bool {
		raw, _ := os.ReadFile(filepath.Join(r.Dir(), DeviceLog))
		var n int
		for _, err := range ReadEvents(filepath.Join(r.Dir(), EventsFile)) {
			if err == nil {
				n++
			}
		}
		return string(raw) == "boot\r\n" && n == len(want)
	})
	if c, err := ReadConfig(r.Dir()); err != nil || c.Start.IsZero() || !c.End.IsZero() {
		t.Errorf("run_config.json says %+v, %v; want a start and no end", c, err)
	}
}

// device is a file that does what a test wants.
type device struct {
	File
	write func(p []byte) (int, error)
}

func (d device) Write(p []byte) (int, error) { return d.write(p) }

// on makes the recorder write the named file to write.
func on(name string, write func(p []byte) (int, error)) func(string) (File, error) {
	return func(path string) (File, error) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil || filepath.Base(path) != name {
			return f, err
		}
		return device{f, write}, nil
	}
}

func TestAFullDiskEndsTheRecordingOnly(t *testing.T) {
	opens := map[string]func(string) (File, error){
		"quota": on(EventsFile, func(p []byte) (int, error) {
			return len(p) / 2, &os.PathError{Op: "write", Path: "/a/b", Err: syscall.ENOSPC}
		}),
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		opens["/dev/full"] = func(path string) (File, error) {
			if filepath.Base(path) == EventsFile {
				path = "/dev/full"
			}
			return os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
		}
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			failed := make(chan error, 2)
			r := start(t, t.TempDir(), Options{FlushEvery: 10 * time.Millisecond, OpenFile: open, OnError: func(err error) { failed <- err }})
			e := samples()[0]
			r.Raw(1, []byte("raw"))
			for range 10 {
				r.Event(&e)
			}
			var err error
			select {
			case err = <-failed:
			case <-time.After(patience):
				t.Fatal("nobody was told")
			}
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), EventsFile) || !strings.Contains(err.Error(), r.Dir()) {
				t.Errorf("told: %v", err)
			}
			if s := r.Status(); s.State != "failed" || s.Error != err.Error() {
				t.Errorf("status %+v", s)
			}
			before := r.Lost()
			if before.Events == 0 {
				t.Error("no event counts as lost")
			}
			r.Raw(2, []byte("more"))
			r.Event(&e)
			if got := r.Lost(); got.Bytes != before.Bytes+4 || got.Events != before.Events+1 {
				t.Errorf("lost %+v, then %+v", before, got)
			}
			if b, _ := os.ReadFile(filepath.Join(r.Dir(), DeviceLog)); string(b) != "raw" {
				t.Errorf("the raw log, written before, holds %q", b)
			}
			if cerr := r.Close(); cerr == nil || cerr.Error() != err.Error() {
				t.Errorf("Close: %v, want %v", cerr, err)
			}
		})
	}
}

func TestARemovedFolderEndsTheRecording(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows removes no open file")
	}
	failed := make(chan error, 1)
	r := start(t, t.TempDir(), Options{FlushEvery: 10 * time.Millisecond, OnError: func(err error) { failed <- err }})
	os.RemoveAll(r.Dir())
	select {
	case err := <-failed:
		if !strings.Contains(err.Error(), "removed or renamed") {
			t.Errorf("told: %v", err)
		}
	case <-time.After(patience):
		t.Fatal("nobody was told")
	}
}

func TestASlowDiskHoldsUpNobody(t *testing.T) {
	var stuck atomic.Bool
	gate := make(chan struct{})
	r := start(t, t.TempDir(), Options{QueueBytes: 10_000, FlushEvery: time.Millisecond,
		OpenFile: on(DeviceLog, func(p []byte) (int, error) { stuck.Store(true); <-gate; return len(p), nil })})
	r.Raw(1, make([]byte, 1000)) // in the writer's hands
	eventually(t, "the disk to be stuck", stuck.Load)
	for range 100 {
		r.Raw(2, make([]byte, 500))
	}
	e := samples()[11]
	line, _ := e.AppendJSON(nil)
	for range 200 {
		r.Event(&e)
	}
	lost := r.Lost()
	if want := int64(100*500 - 9000); lost.Bytes != want {
		t.Errorf("lost %d raw bytes, want %d: 9000 had room", lost.Bytes, want)
	}
	if want := int64(200); lost.Events != want {
		t.Errorf("lost %d events of %d bytes, want %d", lost.Events, len(line)+1, want)
	}
	close(gate)
	eventually(t, "room again", func() bool { before := r.Lost().Events; r.Event(&e); return r.Lost().Events == before })
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if c, _ := ReadConfig(r.Dir()); c.LostBytes != lost.Bytes || c.LostEvents < 200 {
		t.Errorf("run_config.json says %+v", c)
	}
}

func TestALotIsWrittenInOrder(t *testing.T) {
	r := start(t, t.TempDir(), Options{FlushEvery: time.Millisecond})
	var want bytes.Buffer
	for i := range 50_000 {
		line := fmt.Appendf(nil, "line %d of the device\r\n", i)
		want.Write(line)
		r.Raw(int64(i), line)
		if i%5 == 0 {
			r.Event(&model.Event{HostUS: int64(i), Body: &model.Frame{Seq: model.Some(int64(i))}})
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if lost := r.Lost(); lost != (Lost{}) {
		t.Fatalf("lost %+v, though all of it has room in the queue", lost)
	}
	if b, _ := os.ReadFile(filepath.Join(r.Dir(), DeviceLog)); !bytes.Equal(b, want.Bytes()) {
		t.Error("the raw log is not what was given")
	}
	for i, e := range read(t, filepath.Join(r.Dir(), EventsFile)) {
		if e.HostUS != int64(5*i) {
			t.Fatalf("event %d is that of %d", i, e.HostUS)
		}
	}
}

func TestFoldersThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o644)
	if _, err := NewRecorder(filepath.Join(file, "sub"), Options{}); err == nil || !strings.Contains(err.Error(), "--record") {
		t.Errorf("below a file: %v", err)
	}
	_, err := NewRecorder(t.TempDir(), Options{OpenFile: func(string) (File, error) { return nil, syscall.EMFILE }})
	if !errors.Is(err, syscall.EMFILE) {
		t.Errorf("no file to be had: %v", err)
	}
}

func BenchmarkEvent(b *testing.B) {
	r, err := NewRecorder(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	e := model.Event{HostUS: 1, DevUS: model.Some(8123000), Body: &model.Frame{Seq: model.Some(4), Opcode: model.Some(2),
		PayloadBytes: model.Some(4096), HeaderBytes: model.Some(8), PollUS: model.Some(163000), MaskUS: model.Some(1),
		HeaderUS: model.Some(800), PayloadUS: model.Some(9000), TotalUS: model.Some(175000), Ret: model.Some(4096)}}
	b.ReportAllocs()
	for b.Loop() {
		r.Event(&e)
	}
}
