package model

import (
	"encoding/json"
	"fmt"
)

type head struct {
	Kind      string `json:"kind"`
	HostUS    int64  `json:"host_us,omitempty"`
	DevUS     Opt    `json:"dev_us,omitzero"`
	DevWallUS Opt    `json:"dev_wall_us,omitzero"`
}

// bodies makes an empty body of each kind.
var bodies = map[string]func() Body{}

func init() {
	for _, make := range []func() Body{
		func() Body { return new(Frame) }, func() Body { return new(Parent) }, func() Body { return new(TCP) },
		func() Body { return new(Settings) }, func() Body { return new(Log) }, func() Body { return new(Boot) },
		func() Body { return new(Panic) }, func() Body { return new(WiFi) }, func() Body { return new(Fault) },
		func() Body { return new(Damage) }, func() Body { return new(Command) }, func() Body { return new(Answer) },
		func() Body { return new(Port) }, func() Body { return new(Serial) }, func() Body { return new(Server) },
		func() Body { return new(Peer) }, func() Body { return new(SessionStart) }, func() Body { return new(SessionEnd) },
		func() Body { return new(SenderReport) }, func() Body { return new(ReceiverReport) },
		func() Body { return new(Message) }, func() Body { return new(Binary) }, func() Body { return new(Ping) },
		func() Body { return new(Loss) }, func() Body { return new(Recording) },
	} {
		bodies[make().Kind()] = make
	}
}

// AppendJSON appends the event as one JSON object, without a line end:
// `{"kind":"frame","host_us":…,"dev_us":…, …}`. Unknown values are absent.
func (e *Event) AppendJSON(dst []byte) ([]byte, error) {
	h, err := json.Marshal(head{e.Body.Kind(), e.HostUS, e.DevUS, e.DevWallUS})
	if err != nil {
		return dst, err
	}
	b, err := json.Marshal(e.Body)
	if err != nil {
		return dst, fmt.Errorf("writing a %s event as JSON: %w", e.Body.Kind(), err)
	}
	dst = append(dst, h...)
	if len(b) > 2 {
		dst[len(dst)-1] = ','
		dst = append(dst, b[1:]...)
	}
	return dst, nil
}

// ParseJSON reads what AppendJSON wrote.
func (e *Event) ParseJSON(line []byte) error {
	var h head
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("reading an event: %w", err)
	}
	make, ok := bodies[h.Kind]
	if !ok {
		return fmt.Errorf("reading an event: no event is called %q", h.Kind)
	}
	body := make()
	if err := json.Unmarshal(line, body); err != nil {
		return fmt.Errorf("reading a %s event: %w", h.Kind, err)
	}
	*e = Event{h.HostUS, h.DevUS, h.DevWallUS, body}
	return nil
}
