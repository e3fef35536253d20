package model

import "bytes"

// Event is one thing that happened. Live, replay and headless differ only in
// where their events come from.
type Event struct {
	// HostUS is when the host learned of it, in µs since the Unix epoch.
	HostUS int64
	// DevUS is the device's time, in µs since its boot.
	DevUS Opt
	// DevWallUS is the device's wall clock, in µs since the Unix epoch, where
	// its log headers carry a date instead of the time since boot.
	DevWallUS Opt
	// Body says what happened. A source may reuse the body once the event was
	// handled: Clone what is to be kept.
	Body Body
}

// Body is the part of an event that its kind defines: always a pointer to one
// of this package's body types.
type Body interface {
	// Kind is the event's name in JSON, as in `{"kind":"frame",…}`.
	Kind() string
	clone() Body
}

// Clone is a deep copy that stays valid whatever its source does next.
func (e *Event) Clone() Event {
	c := *e
	if e.Body != nil {
		c.Body = e.Body.clone()
	}
	return c
}

// Text is a device's or peer's words, without control bytes. It is bytes, not
// a string, so that decoding a line allocates nothing.
type Text []byte

// MarshalText makes JSON write it as a string.
func (t Text) MarshalText() ([]byte, error) { return t, nil }

// UnmarshalText reads it from a JSON string.
func (t *Text) UnmarshalText(b []byte) error {
	*t = bytes.Clone(b)
	return nil
}

func (t Text) String() string { return string(t) }
func (t Text) clone() Text    { return bytes.Clone(t) }
