package port

import (
	"errors"
	"fmt"
	"os"

	"go.bug.st/serial"
)

// Reason is why a port could not be opened, in one word.
type Reason string

const (
	Missing   Reason = "missing"   // there is no such port
	Busy      Reason = "busy"      // another program has it open
	Forbidden Reason = "forbidden" // this user may not open it
	Other     Reason = "other"
)

// OpenError tells why a port could not be opened, and what to do.
type OpenError struct {
	Name   string // the port
	Why    Reason
	Holder string // of a busy port, where the system tells
	Advice string // what to do next
	Err    error  // what the system said
}

func (e *OpenError) Error() string {
	s := "opening " + e.Name + ": "
	switch e.Name {
	case AutoName:
		s = "looking for a board: "
	case "":
		s = `opening "": `
	}
	switch {
	case e.Why == Busy && e.Holder != "":
		s += "it is held by " + e.Holder
	case e.Why == Busy:
		s += "it is held by another program"
	case e.Why == Forbidden:
		s += "you have no permission"
	case e.Err != nil:
		s += e.Err.Error()
	default:
		s += "it failed"
	}
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

func (e *OpenError) Unwrap() error { return e.Err }

// Reason is Why as an event tells it.
func (e *OpenError) Reason() string { return string(e.Why) }

// Open opens a port with 8 data bits, no parity, 1 stop bit and no flow
// control, at baud bit/s. It does not reset the device. Its errors are
// *OpenError.
func Open(name string, baud int) (*Port, error) {
	if baud <= 0 {
		return nil, &OpenError{Name: name, Why: Other, Err: fmt.Errorf("%d baud is no speed", baud), Advice: "most firmware prints at --baud 115200"}
	}
	// Where nothing forbids it, a second program can open the port, and each
	// gets half of the bytes: look before opening, which moves control lines.
	if holder := holderOf(name); holder != "" {
		return nil, busy(name, holder, nil)
	}
	// No InitialStatusBits: without them DTR and RTS both rise together, which
	// resets nothing, and a pseudo-terminal, which has no such lines, opens too.
	l, err := serial.Open(name, &serial.Mode{BaudRate: baud, DataBits: 8, Parity: serial.NoParity, StopBits: serial.OneStopBit})
	if err != nil {
		return nil, explain(name, baud, err)
	}
	p := newPort(name, l)
	if err := p.watch(l); err != nil {
		p.Close()
		return nil, &OpenError{Name: name, Why: Other, Err: err}
	}
	return p, nil
}

// explain makes an OpenError of what the serial library said.
func explain(name string, baud int, err error) *OpenError {
	var pe *serial.PortError
	code := serial.PortErrorCode(-1)
	if errors.As(err, &pe) {
		code = pe.Code()
	}
	switch {
	case code == serial.PortBusy || sharing(err):
		return busy(name, holderOf(name), err)
	case code == serial.PermissionDenied || errors.Is(err, os.ErrPermission):
		return &OpenError{Name: name, Why: Forbidden, Err: err, Advice: permission(name)}
	case code == serial.PortNotFound || missing(err):
		return &OpenError{Name: name, Why: Missing, Err: errors.New("there is no such port"), Advice: others(name)}
	case code == serial.InvalidSpeed:
		return &OpenError{Name: name, Why: Other, Err: fmt.Errorf("it cannot do %d baud: %w", baud, err), Advice: "most firmware prints at --baud 115200"}
	case code == serial.InvalidSerialPort || notDevice(name):
		return &OpenError{Name: name, Why: Other, Err: fmt.Errorf("it is not a serial port: %w", err), Advice: others(name)}
	}
	return &OpenError{Name: name, Why: Other, Err: err, Advice: "unplug the device and plug it in again"}
}

// notDevice tells that a name is a file's or a folder's.
func notDevice(name string) bool {
	st, err := os.Stat(name)
	return err == nil && (st.IsDir() || st.Mode().IsRegular())
}

func busy(name, holder string, err error) *OpenError {
	e := &OpenError{Name: name, Why: Busy, Holder: holder, Err: err, Advice: "end that program, linktop then takes over"}
	if holder == "" {
		e.Advice = "end the serial monitor, terminal program or other linktop that has it (idf.py monitor ends with Ctrl+]), linktop then takes over"
	}
	return e
}

// others says which ports there are instead.
func others(name string) string {
	ports, err := List()
	if err != nil || len(ports) == 0 {
		return "there is no serial port at all: plug the device in, with a cable that does more than charge"
	}
	return "there are: " + names(ports)
}
