// Package evidence writes and reads the files of an evidence folder. They are
// written as a run goes: what a crash, a full disk or a kill leaves behind is
// readable and at most FlushEvery short.
package evidence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"dev.local/linktop/model"
)

// The files of a recording.
const (
	DeviceLog    = "device_01_live.log"  // raw serial bytes, untouched
	EventsFile   = "events.jsonl"        // all events
	ServerFile   = "server_events.jsonl" // those of the metrics server
	ConfigFile   = "run_config.json"     // what was recorded, with what, when
	defaultName  = "live"
	defaultQueue = 8 << 20
	defaultFlush = time.Second
	// wakeBytes is how much may wait before it is written ahead of time.
	wakeBytes = 256 << 10
	// closeWait is how long Close waits for a disk that does not answer.
	closeWait = 5 * time.Second
)

// Options are what a Recorder may be told; the zero value is complete.
type Options struct {
	Name       string        // of the folder, before its date; "live" when empty
	Config     RunConfig     // goes to run_config.json
	QueueBytes int64         // that may wait for the disk; 8 MiB when 0
	FlushEvery time.Duration // longest wait before bytes are handed to the system; 1 s when 0
	// OnError is told, once, that the recording stopped and why, from the
	// recorder's own goroutine.
	OnError func(error)
	// Now is the clock of the folder's name and of run_config.json.
	Now func() time.Time
	// OpenFile makes a new file; it is os.OpenFile without overwriting when nil.
	OpenFile func(name string) (File, error)
}

// File is what a Recorder writes to.
type File interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
	Stat() (os.FileInfo, error)
}

// Recorder records raw bytes and events. Its methods are safe from any
// goroutine and never wait for the disk: what the disk cannot take in time is
// left out and counted.
type Recorder struct {
	dir   string
	o     Options
	files [numStreams]stream

	mu      sync.Mutex
	scratch []byte
	waiting int64 // bytes in pending and in the writer's hands
	pending [numStreams][]byte
	spare   [numStreams][]byte
	bytes   int64 // written
	lost    Lost
	err     error // why it stopped
	closing bool
	serial  Serial

	wake     chan struct{}
	stop     chan struct{}
	ended    chan struct{}
	closed   sync.Once
	closeErr error
}

// Lost is what a recording lacks because the disk was too slow or failed.
type Lost struct {
	Bytes  int64 // raw serial bytes
	Events int64
}

const (
	rawStream = iota
	eventStream
	serverStream
	numStreams
)

type stream struct {
	name string
	f    File
}

// NewRecorder makes a new folder <name>_<yyyymmdd>_<hhmmss> in dir and starts
// recording into it. A folder that exists is never written to: -2, -3, … is put
// behind the name.
func NewRecorder(dir string, o Options) (*Recorder, error) {
	o.fill()
	start := o.Now()
	path, err := newFolder(dir, o.Name, start)
	if err != nil {
		return nil, err
	}
	r := &Recorder{dir: path, o: o, wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
	r.o.Config.begin(start)
	if err := writeConfig(path, r.o.Config); err != nil {
		return nil, fmt.Errorf("starting a recording: %w", err)
	}
	for i, name := range [numStreams]string{DeviceLog, EventsFile, ServerFile} {
		f, err := o.OpenFile(filepath.Join(path, name))
		if err != nil {
			r.closeFiles()
			return nil, fmt.Errorf("starting a recording: %w", err)
		}
		r.files[i] = stream{name, f}
	}
	go r.write()
	return r, nil
}

func (o *Options) fill() {
	if o.Name == "" {
		o.Name = defaultName
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = defaultQueue
	}
	if o.FlushEvery <= 0 {
		o.FlushEvery = defaultFlush
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	if o.OpenFile == nil {
		o.OpenFile = func(name string) (File, error) {
			return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		}
	}
}

// newFolder makes the recording's folder.
func newFolder(dir, name string, start time.Time) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making the folder for recordings: %w; name another with --record", err)
	}
	base := filepath.Join(dir, cleanName(name)+"_"+start.Format("20060102_150405"))
	path := base
	for n := 2; ; n++ {
		err := os.Mkdir(path, 0o755)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, os.ErrExist) || n > 1000 {
			return "", fmt.Errorf("making the recording's folder: %w; make %s writable or name another with --record", err, dir)
		}
		path = fmt.Sprintf("%s-%d", base, n)
	}
}

// cleanName keeps letters, digits, dots, dashes and underscores: a name never
// leads out of its folder, on any system.
func cleanName(name string) string {
	b := []byte(name)
	for i, c := range b {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '-' && c != '_' && (c != '.' || i == 0) {
			b[i] = '_'
		}
	}
	return string(b)
}

// Dir is the recording's folder.
func (r *Recorder) Dir() string { return r.dir }

// Raw records bytes as they came from the serial line at hostUS (µs since the
// Unix epoch). Call it before they are interpreted: what breaks a decoder is
// then on disk.
func (r *Recorder) Raw(hostUS int64, p []byte) {
	if len(p) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing || !r.room(int64(len(p))) {
		r.lost.Bytes += int64(len(p))
		return
	}
	r.serial.add(hostUS, len(p))
	r.put(rawStream, p)
}

// Event records an event, in the file of all and, where it is the server's, in
// the server's too.
func (r *Recorder) Event(e *model.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing || r.err != nil {
		r.lost.Events++
		return
	}
	line, err := e.AppendJSON(r.scratch[:0])
	r.scratch = line[:0]
	if err != nil {
		r.lost.Events++
		return
	}
	line = append(line, '\n')
	size := int64(len(line))
	server := ofServer(e.Body)
	if server {
		size *= 2
	}
	if !r.room(size) {
		r.lost.Events++
		return
	}
	r.put(eventStream, line)
	if server {
		r.put(serverStream, line)
	}
}

// ofServer tells whether the event is one of the metrics server's.
func ofServer(b model.Body) bool {
	switch b := b.(type) {
	case *model.Server, *model.Peer, *model.SessionStart, *model.SessionEnd, *model.Binary,
		*model.SenderReport, *model.ReceiverReport, *model.Ping, *model.Message:
		return true
	case *model.TCP:
		return b.Side == "server"
	}
	return false
}

// room tells whether n bytes more may wait. Called with mu held.
func (r *Recorder) room(n int64) bool { return r.err == nil && r.waiting+n <= r.o.QueueBytes }

// put adds to what waits. Called with mu held, after room.
func (r *Recorder) put(i int, p []byte) {
	r.pending[i] = append(r.pending[i], p...)
	before := r.waiting
	r.waiting += int64(len(p))
	if before < wakeBytes && r.waiting >= wakeBytes {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// Status is the recording as an event tells it.
func (r *Recorder) Status() model.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := model.Recording{State: "on", Dir: r.dir, Bytes: r.bytes}
	switch {
	case r.err != nil:
		s.State, s.Error = "failed", r.err.Error()
	case r.closing:
		s.State = "off"
	}
	return s
}

// Lost is what the recording lacks.
func (r *Recorder) Lost() Lost {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// Err is why the recording stopped before its time, nil while it goes on.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
