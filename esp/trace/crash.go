package trace

import (
	"bytes"

	"dev.local/linktop/model"
)

// crash is a panic whose dump is being printed.
type crash struct {
	core  model.Opt
	cause []byte
	pc    []byte
	told  bool // its dump goes on: the other core's
}

// maxBacktrace is how many frames of a backtrace are kept; ESP-IDF prints 100
// at most.
const maxBacktrace = 100

// crashLine follows a panic's lines.
func (d *Decoder) crashLine(h *head) bool {
	if h.level != 0 {
		if aborting(h) {
			d.openCrash([]byte("task watchdog"))
			return false
		}
		return false
	}
	t := h.text
	switch {
	case cutPrefix(&t, "Guru Meditation Error: Core"):
		cause := t
		if i := bytes.IndexByte(t, '('); i >= 0 {
			cause = t[i+1:]
			if j := bytes.IndexByte(cause, ')'); j >= 0 {
				cause = cause[:j]
			}
		}
		d.openCrash(cause)
		d.crash.core = number(t)
	case cutPrefix(&t, "abort() was called at PC "):
		d.openCrash([]byte("abort()"))
		pc, rest, _ := bytes.Cut(t, []byte(" "))
		d.crash.pc = append(d.crash.pc[:0], pc[:min(len(pc), 18)]...)
		if cutPrefix(&rest, "on core ") {
			d.crash.core = number(rest)
		}
	case bytes.HasPrefix(t, []byte("assert failed: ")), bytes.HasPrefix(t, []byte("***ERROR*** A stack overflow")):
		d.openCrash(t)
	case d.waiting&waitCrash == 0:
		return false
	case cutPrefix(&t, "Debug exception reason: "):
		d.crash.cause = append(append(d.crash.cause, ": "...), t[:min(len(t), 100)]...)
	case bytes.HasPrefix(t, []byte("PC ")), bytes.HasPrefix(t, []byte("MEPC ")):
		if i := bytes.Index(t, []byte("0x")); i >= 0 && len(d.crash.pc) == 0 {
			pc, _, _ := bytes.Cut(t[i:], []byte(" "))
			d.crash.pc = append(d.crash.pc, pc[:min(len(pc), 18)]...)
		}
	case cutPrefix(&t, "Backtrace:"):
		d.tellCrash(backtrace(t))
	default:
		return false
	}
	return true
}

// openCrash notes a panic. The first cause given is the one.
func (d *Decoder) openCrash(cause []byte) {
	if d.waiting&waitCrash != 0 || d.crash.told {
		if string(d.crash.cause) == "task watchdog" || d.crash.told {
			return
		}
		d.settleCrash()
	}
	d.crash = crash{cause: append(d.crash.cause[:0], cause[:min(len(cause), 200)]...), pc: d.crash.pc[:0]}
	d.waiting |= waitCrash
}

// aborting: the task watchdog is set to panic, and does.
func aborting(h *head) bool {
	return bytes.Equal(h.tag, []byte("task_wdt")) && bytes.HasPrefix(h.text, []byte("Aborting"))
}

func (d *Decoder) settleCrash() {
	if d.waiting&waitCrash != 0 {
		d.tellCrash(nil)
	}
}

func (d *Decoder) tellCrash(trace []string) {
	d.waiting &^= waitCrash
	c := &d.crash
	c.told = true
	d.tellAt(stamp{}, &model.Panic{Core: c.core, Cause: string(c.cause), PC: string(c.pc), Backtrace: trace})
}

// backtrace splits `0x42011a2b:0x3fcb92c0 …` (program counter and stack
// pointer of each call), innermost first.
func backtrace(b []byte) []string {
	var out []string
	for _, f := range bytes.Fields(b) {
		f, _, _ = bytes.Cut(f, []byte("|"))
		if bytes.HasPrefix(f, []byte("0x")) && len(f) <= 40 && len(out) < maxBacktrace {
			out = append(out, string(f))
		}
	}
	return out
}

func cutPrefix(b *[]byte, prefix string) bool {
	if len(*b) < len(prefix) || string((*b)[:len(prefix)]) != prefix {
		return false
	}
	*b = (*b)[len(prefix):]
	return true
}

// number is the number that b begins with, after blanks.
func number(b []byte) model.Opt {
	i, v := 0, int64(0)
	for i < len(b) && b[i] == ' ' {
		i++
	}
	from := i
	for i < len(b) && b[i]-'0' <= 9 && i-from < 15 {
		v = v*10 + int64(b[i]-'0')
		i++
	}
	if i == from {
		return 0
	}
	return model.Some(v)
}
