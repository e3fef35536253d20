// Package model holds what linktop knows: events, frames and their timing,
// settings, and the state that follows from them. It does no input or output,
// reads no clock and starts no goroutine: the same events always give the same
// state, which is what makes a recorded run replayable.
package model

import (
	"bytes"
	"strconv"
)

// Opt is an integer that may be unknown. Its zero value is unknown, so that a
// field nobody filled in can never be mistaken for a measured 0.
//
// A known value v is kept as v+1 for v ≥ 0 and as v for v < 0; use Some and
// Value, never the bare integer.
type Opt int64

// Some is the known value v.
func Some(v int64) Opt {
	if v >= 0 {
		return Opt(v + 1)
	}
	return Opt(v)
}

// Known tells whether there is a value.
func (o Opt) Known() bool { return o != 0 }

// Value is the value, 0 when unknown. Ask Known first where 0 has a meaning.
func (o Opt) Value() int64 {
	if o > 0 {
		return int64(o) - 1
	}
	return int64(o)
}

// Or is the value, or def when unknown.
func (o Opt) Or(def int64) int64 {
	if o == 0 {
		return def
	}
	return o.Value()
}

// String is the number, or "–" when unknown.
func (o Opt) String() string {
	if o == 0 {
		return "–"
	}
	return strconv.FormatInt(o.Value(), 10)
}

// MarshalJSON writes the number, null when unknown. Fields of this type carry
// `omitzero`: unknown is absent in JSON.
func (o Opt) MarshalJSON() ([]byte, error) {
	if o == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, o.Value(), 10), nil
}

// UnmarshalJSON reads a whole number or null.
func (o *Opt) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*o = 0
		return nil
	}
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return err
	}
	*o = Some(v)
	return nil
}

// Ratio is a share made of two exact counts, kept as counts so that what it
// rests on is never lost. Den ≤ 0 means unknown.
type Ratio struct{ Num, Den int64 }

// Known tells whether the share can be computed.
func (r Ratio) Known() bool { return r.Den > 0 }

// Value is Num ÷ Den, 0 when unknown.
func (r Ratio) Value() float64 {
	if r.Den <= 0 {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}
