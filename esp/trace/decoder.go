// Package trace decodes what a device prints on its console into events:
// frames and the writes below them, settings, answers, log lines, resets,
// crashes, and what got damaged on the way. Any byte stream is taken; how it is
// cut into pieces never changes what comes out.
package trace

import "dev.local/linktop/model"

// Decoder turns console bytes into events. It is for one goroutine.
//
// Every line gives a log event first, and what it means after it. Lines that
// carry a trace are decoded without allocating.
type Decoder struct {
	emit   func(*model.Event)
	hostUS int64
	at     stamp // of the line at hand
	ev     model.Event

	lines lines
	clean []byte // the line at hand, where it had to be cleaned
	clock clock

	// bodies, used again for each event
	log    model.Log
	frame  model.Frame
	parent model.Parent
	tcp    model.TCP
	damage model.Damage
	extra  []byte

	rev    model.Opt // of the settings in force
	seq    sequence
	shapes [numForms]shape

	// waiting says which of the things below is not told yet, so that a trace
	// line that meets nothing of them pays for one comparison.
	waiting waiting
	held    held
	boot    boot
	crash   crash
	trouble trouble
	wifi    wifi
	echo    []byte // newest line without a header: what a refused command was
}

// waiting is a set of unfinished business.
type waiting uint8

const (
	waitHeld    waiting = 1 << iota // a trace line whose rest may follow
	waitBoot                        // a reset whose IDF version may follow
	waitCrash                       // a panic whose backtrace may follow
	waitTrouble                     // a fault whose further lines may follow
	waitVersion                     // a reset told early, whose version must not count as another
)

// New makes a decoder that knows nothing of the device yet.
func New() *Decoder { return new(Decoder) }

// Feed decodes bytes that arrived at hostUS (µs since the Unix epoch). It calls
// emit for each event; the event, its body and the text in it are valid only
// during the call (see model.Event.Clone).
func (d *Decoder) Feed(hostUS int64, p []byte, emit func(*model.Event)) {
	d.begin(hostUS, emit)
	d.split(p)
	d.emit = nil
}

// Flush tells what waits for a line that may not come: to be called when the
// console has been quiet for a moment. A prompt is told as a line at once, other
// text without a line end only when it has not grown since the previous Flush,
// and the beginning of a trace line never.
func (d *Decoder) Flush(hostUS int64, emit func(*model.Event)) {
	d.begin(hostUS, emit)
	d.settleQuiet()
	d.flushPart()
	d.emit = nil
}

// Close ends the input: everything that waits is told, a torn remainder as
// damage. The decoder can be fed again afterwards.
func (d *Decoder) Close(hostUS int64, emit func(*model.Event)) {
	d.begin(hostUS, emit)
	d.closePart()
	d.settleAll()
	d.emit = nil
}

func (d *Decoder) begin(hostUS int64, emit func(*model.Event)) {
	d.hostUS, d.emit = hostUS, emit
}

// tell emits an event at the time of the line at hand.
func (d *Decoder) tell(body model.Body) { d.tellAt(d.at, body) }

func (d *Decoder) tellAt(at stamp, body model.Body) {
	d.ev = model.Event{HostUS: d.hostUS, DevUS: at.bootUS, DevWallUS: at.wallUS, Body: body}
	d.emit(&d.ev)
}

// tellLog emits a line as a log event.
func (d *Decoder) tellLog(h *head, traced bool) {
	d.log = model.Log{Level: h.levelName(), Tag: h.tag, Text: h.text, Traced: traced}
	d.tell(&d.log)
}

// tellDamage emits a damage event; bytes is 0 where it has none.
func (d *Decoder) tellDamage(what string, bytes int, from, to model.Opt) {
	d.damage = model.Damage{What: what, SeqFrom: from, SeqTo: to}
	if bytes > 0 {
		d.damage.Bytes = model.Some(int64(bytes))
	}
	d.tell(&d.damage)
}
