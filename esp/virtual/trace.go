package virtual

import (
	"fmt"
	"strconv"
	"time"

	"dev.local/linktop/model"
)

// Forms of the trace, by the names of `lt trace`; short only by Options.
const (
	traceOff     = "off"
	traceCompact = "compact"
	traceFull    = "full"
	traceShort   = "short"
)

var traceForms = []string{traceOff, traceCompact, traceFull, traceShort}

// write is one WebSocket write with the time of each step.
type write struct {
	seq                              int64
	opcode                           byte
	n, ret, header                   int
	poll, mask, head, payload, total time.Duration
	afterIdle                        bool
}

// parentWrite is one write to the parent transport.
type parentWrite struct {
	seq                int64
	kind               string // tcp ssl
	n, ret, errno      int
	poll, write, total time.Duration
}

// traceWrite prints a WebSocket write in the form that is set.
func (f *firmware) traceWrite(w *write) {
	switch f.traceForm() {
	case traceCompact:
		b := make([]byte, 0, 96)
		b = word(append(b, "LT w"...), " s=", w.seq)
		b = word(b, " o=", int64(w.opcode))
		b = word(b, " n=", int64(w.n))
		b = word(b, " p=", w.poll.Microseconds())
		b = word(b, " m=", w.mask.Microseconds())
		b = word(b, " h=", w.head.Microseconds())
		b = word(b, " w=", w.payload.Microseconds())
		b = word(b, " t=", w.total.Microseconds())
		b = word(b, " r=", int64(w.ret))
		f.print(append(b, '\r', '\n'))
	case traceFull:
		f.log('I', "IDF_WS_WRITE_TRACE", "seq=%d opcode=0x%x payload_len=%d header_len=%d ws_parent_poll_ms=%d mask_ms=%d "+
			"header_write_ms=%d payload_write_ms=%d total_ms=%d ret=%d", w.seq, w.opcode, w.n, w.header, w.poll.Milliseconds(),
			w.mask.Milliseconds(), w.head.Milliseconds(), w.payload.Milliseconds(), w.total.Milliseconds(), w.ret)
	case traceShort:
		if w.opcode != model.OpBinary {
			return // the short form cannot name an opcode
		}
		first := ""
		if w.afterIdle {
			first = "after_idle_first: "
		}
		f.print(fmt.Appendf(nil, "%ss%d:t%d/p%d/w%d\r\n", first, w.seq, w.total.Milliseconds(), w.poll.Milliseconds(),
			w.payload.Milliseconds()))
	}
}

// traceParent prints a write to the parent transport.
func (f *firmware) traceParent(p *parentWrite) {
	switch f.traceForm() {
	case traceCompact:
		b := make([]byte, 0, 96)
		b = word(append(b, "LT p"...), " s=", p.seq)
		b = append(append(b, " k="...), p.kind...)
		b = word(b, " n=", int64(p.n))
		b = word(b, " p=", p.poll.Microseconds())
		b = word(b, " w=", p.write.Microseconds())
		b = word(b, " t=", p.total.Microseconds())
		b = word(b, " r=", int64(p.ret))
		b = word(b, " e=", int64(p.errno))
		f.print(append(b, '\r', '\n'))
	case traceFull:
		f.log('I', "IDF_PARENT_WRITE_TRACE", "seq=%d kind=%s len=%d poll_ms=%d write_ms=%d total_ms=%d ret=%d errno=%d",
			p.seq, p.kind, p.n, p.poll.Milliseconds(), p.write.Milliseconds(), p.total.Milliseconds(), p.ret, p.errno)
	}
}

// traceTCP prints the connection's state after frame seq.
func (f *firmware) traceTCP(seq int64, t model.TCP) {
	if form := f.traceForm(); form != traceCompact && form != traceFull {
		return
	}
	b := word(append(make([]byte, 0, 128), "LT t"...), " s=", seq)
	for _, part := range []struct {
		key   string
		value model.Opt
	}{
		{" free=", t.FreeBytes}, {" q=", t.QueueSegments}, {" fly=", t.FlyBytes}, {" cwnd=", t.CwndBytes},
		{" ssthresh=", t.SsthreshBytes}, {" wnd=", t.WndBytes}, {" rtt=", t.RTTUS}, {" rto=", t.RTOCount}, {" fast=", t.FastCount},
	} {
		if part.value.Known() {
			b = word(b, part.key, part.value.Value())
		}
	}
	f.print(append(b, '\r', '\n'))
}

func (f *firmware) traceForm() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.trace
}

func word(b []byte, key string, value int64) []byte {
	return strconv.AppendInt(append(b, key...), value, 10)
}
