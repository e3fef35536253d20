package virtual

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// How long a start takes: the console answers, then the radio has an address.
const (
	consoleUpAfter = 120 * time.Millisecond
	networkUpAfter = 300 * time.Millisecond
)

// firmware is what runs from one reset to the next.
type firmware struct {
	dev   *Device
	opts  *Options
	uart  *uart
	life  context.Context
	start time.Time
	wake  chan struct{} // capacity 1: the WebSocket task has something to look at

	mu       sync.Mutex
	settings settings // accepted; in force from the next frame on
	rev      int64
	mark     bool // `LT cfg` is to be printed before the next frame
	trace    string
	audio    audio
	stream   stream
	wsState  string // up connecting none
	moves    int    // how often the URL was told
	queue    []message
	lostJSON int64
	cutPoll  context.CancelFunc // of the frame that waits in poll, nil without
	answers  map[channel]*answers
	rng      *rand.Rand
}

// stream is whether audio is sent, and for which run.
type stream struct {
	on    bool
	run   string        // "" outside of runs
	dur   time.Duration // 0 = until stopped
	fresh bool          // a session is to be started for it
	stop  string        // why the session under way is to end, "" when it is not
}

func newFirmware(d *Device, life context.Context) *firmware {
	o := &d.opts
	return &firmware{
		dev: d, opts: o, uart: d.uart, life: life, start: time.Now(), wake: make(chan struct{}, 1),
		settings: defaultSettings(), rev: 1, mark: true, trace: o.Trace,
		audio: newAudio(o.Rate), stream: stream{on: true, fresh: true}, wsState: "none",
		answers: map[channel]*answers{overSerial: {}, overWS: {}},
		rng:     rand.New(rand.NewPCG(o.Seed, 0x65737033)),
	}
}

// run boots and works until ctx ends.
func (f *firmware) run(ctx context.Context, why bootReason) {
	f.print([]byte(romLog(why)))
	if pause(ctx, consoleUpAfter) != nil {
		return
	}
	f.log('I', "app_init", "Project name:     linktop-probe")
	f.log('I', "app_init", "ESP-IDF:          %s", idfVersion)
	f.log('I', "main_task", "Calling app_main()")
	f.log('I', "audio", "pcm 16000 Hz 16 bit mono, ring %d bytes", ringBytes)

	var tasks sync.WaitGroup
	defer tasks.Wait()
	tasks.Go(func() { f.consoleTask(ctx) })
	f.markSettings()
	if pause(ctx, networkUpAfter-consoleUpAfter) != nil {
		return
	}
	f.log('I', "wifi", "state: assoc -> run (0x10)")
	f.log('I', "wifi", "connected with lab, aid = 1, channel 6, BW20, bssid = 02:00:00:00:00:01")
	f.log('I', "esp_netif_handlers", "sta ip: 192.168.4.57, mask: 255.255.255.0, gw: 192.168.4.1")
	tasks.Go(func() { f.audioTask(ctx) })
	f.websocketTask(ctx)
}

// log prints a line as ESP_LOGx does.
func (f *firmware) log(level byte, tag, format string, args ...any) {
	line := fmt.Appendf(nil, "%c (%d) %s: ", level, f.uptime().Milliseconds(), tag)
	line = fmt.Appendf(line, format, args...)
	f.print(append(line, '\r', '\n'))
}

// print queues a line. A chip that was reset prints no more.
func (f *firmware) print(line []byte) {
	if f.life.Err() == nil {
		f.uart.print(line)
	}
}

func (f *firmware) uptime() time.Duration { return time.Since(f.start) }

// markSettings prints `LT cfg` if it is due, and returns the settings in force
// from here on. changed tells that they are others than before.
func (f *firmware) markSettings() (now settings, changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mark {
		f.mark, changed = false, true
		f.print(fmt.Appendf(nil, "LT cfg rev=%d %s\r\n", f.rev, f.settings))
	}
	return f.settings, changed
}

// hurry makes the WebSocket task look up from whatever wait it is in. A frame
// that still waits in poll is given back: nothing of it was sent.
func (f *firmware) hurry() {
	if f.cutPoll != nil {
		f.cutPoll()
	}
	signal(f.wake)
}

// rssi and heap are readings that wander a little; f is locked.
func (f *firmware) rssi() int64 { return -54 + f.rng.Int64N(5) }
func (f *firmware) heap() int64 { return 182_000 + 16*f.rng.Int64N(128) }
