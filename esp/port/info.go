package port

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Info is a serial port as the system describes it. It is found out without
// opening the port.
type Info struct {
	Name         string `json:"name"` // "COM6", "/dev/ttyACM0"
	Product      string `json:"product,omitempty"`
	Manufacturer string `json:"manufacturer,omitempty"`
	VID          string `json:"vid,omitempty"` // four upper-case hex digits, empty where it is not USB
	PID          string `json:"pid,omitempty"`
	Serial       string `json:"serial,omitempty"`
	// Board is the known adapter or chip it is, empty when it is none of them.
	Board string `json:"board,omitempty"`
	// Holder is the program that has the port open, where the system tells:
	// "python3, process 8124, started 10:02".
	Holder string `json:"holder,omitempty"`
}

// Identity is what a USB device is recognised by, whatever its port is called.
type Identity struct{ VID, PID, Serial string }

// Identity is the port's USB identity, empty where it is not USB.
func (i Info) Identity() Identity { return Identity{i.VID, i.PID, i.Serial} }

// USB is "1A86:55D3", empty where it is not USB.
func (i Info) USB() string {
	if i.VID == "" {
		return ""
	}
	return i.VID + ":" + i.PID
}

// Native tells that the port is the chip's own USB: there is no UART between.
func (i Info) Native() bool { return i.VID == espressif }

// Adapter is the best name for what the port is.
func (i Info) Adapter() string {
	switch {
	case i.Board != "":
		return i.Board
	case i.Product != "":
		return i.Product
	case i.VID != "":
		return "USB device"
	}
	return "built-in"
}

// String is "COM6 (CH343 serial)".
func (i Info) String() string { return i.Name + " (" + i.Adapter() + ")" }

func (i Info) state() string {
	switch {
	case i.Holder != "":
		return "busy: " + i.Holder
	case i.Native():
		return "an ESP32"
	case i.Board != "":
		return "maybe an ESP32 board"
	}
	return "not a known board"
}

// describe normalises the USB numbers and names the board.
func (i Info) describe() Info {
	i.VID, i.PID = strings.ToUpper(i.VID), strings.ToUpper(i.PID)
	i.Board = known[i.USB()]
	return i
}

// WriteTable writes ports as a table for people.
func WriteTable(w io.Writer, ports []Info) error {
	if len(ports) == 0 {
		_, err := fmt.Fprintln(w, "There is no serial port. Plug the device in; a cable that only charges shows none.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PORT\tADAPTER\tUSB ID\tSERIAL\tSTATE")
	for _, p := range ports {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.Name, p.Adapter(), orDash(p.USB()), orDash(p.Serial), p.state())
	}
	return t.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
