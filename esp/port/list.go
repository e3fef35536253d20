package port

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// List lists the serial ports there are: known boards first, then by name. No
// port is opened for it.
func List() ([]Info, error) {
	found, err := list()
	if err != nil {
		return nil, fmt.Errorf("listing the serial ports: %w", err)
	}
	return arrange(found), nil
}

func arrange(found []Info) []Info {
	ports := make([]Info, 0, len(found)) // never nil: JSON shows [] for none
	for _, p := range found {
		ports = append(ports, p.describe())
	}
	slices.SortFunc(ports, func(a, b Info) int {
		if known := cmp.Compare(rank(a), rank(b)); known != 0 {
			return known
		}
		return compareNames(a.Name, b.Name)
	})
	return ports
}

func rank(p Info) int {
	switch {
	case p.Board != "":
		return 0
	case p.VID != "":
		return 1
	}
	return 2
}

// compareNames puts COM9 before COM10.
func compareNames(a, b string) int {
	if byText := cmp.Compare(strings.TrimRight(a, digits), strings.TrimRight(b, digits)); byText != 0 {
		return byText
	}
	if byLength := cmp.Compare(len(a), len(b)); byLength != 0 {
		return byLength
	}
	return cmp.Compare(a, b)
}

const digits = "0123456789"

// Auto picks the one known board among ports. With none, or with several, the
// error says what there is.
func Auto(ports []Info) (Info, error) {
	var boards []Info
	for _, p := range ports {
		if p.Board != "" {
			boards = append(boards, p)
		}
	}
	switch {
	case len(boards) == 1:
		return boards[0], nil
	case len(boards) > 1:
		return Info{}, &OpenError{Name: "auto", Why: Other, Err: fmt.Errorf("there are %d boards: %s", len(boards), names(boards)),
			Advice: "choose one with --port " + boards[0].Name}
	case len(ports) > 0:
		return Info{}, &OpenError{Name: "auto", Why: Missing, Err: fmt.Errorf("there is no known board, only %s", names(ports)),
			Advice: "plug the board in, or choose a port with --port NAME"}
	}
	return Info{}, &OpenError{Name: "auto", Why: Missing, Err: fmt.Errorf("there is no serial port"),
		Advice: "plug the board in, with a cable that does more than charge"}
}

// names lists ports in words, at most six of them.
func names(ports []Info) string {
	const most = 6
	var s []string
	for _, p := range ports[:min(most, len(ports))] {
		s = append(s, p.String())
	}
	if more := len(ports) - most; more > 0 {
		s = append(s, fmt.Sprintf("%d more", more))
	}
	return strings.Join(s, ", ")
}
