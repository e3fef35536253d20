package trace

import (
	"bytes"
	"strings"

	"dev.local/linktop/model"
)

// ParseAnswer reads a device's answer to a command, `LT #8 ok rev=12 …` or
// `LT #9 err code=range …`. It is false for a line that is none, and for one
// whose checksum is wrong.
func ParseAnswer(line []byte) (*model.Answer, bool) {
	line = bytes.TrimRight(line, "\r\n ")
	if !plain(line) {
		line, _ = appendClean(nil, line)
	}
	if i := findAnswer(line); i >= 0 && checked(line[i:]) {
		return readAnswer(line[i:])
	}
	return nil, false
}

// findAnswer is where `LT #` and a digit stand in a line, -1 when nowhere. An
// echo or a prompt may stand before it.
func findAnswer(b []byte) int {
	for i := 0; i+4 < len(b); i++ {
		if b[i] == 'L' && b[i+1] == 'T' && b[i+2] == ' ' && b[i+3] == '#' && b[i+4]-'0' <= 9 {
			return i
		}
	}
	return -1
}

// readAnswer reads a line that begins with `LT #`.
func readAnswer(line []byte) (*model.Answer, bool) {
	line, _, _ = cutChecksum(line)
	a := new(model.Answer)
	w := words{b: line, i: 4}
	if !w.next() || w.val != nil || len(w.key) > 15 || !digits(w.key) {
		return nil, false
	}
	for _, c := range w.key {
		a.N = a.N*10 + int64(c-'0')
	}
	if !w.next() || w.val != nil {
		return nil, false
	}
	switch string(w.key) {
	case "ok":
		a.OK = true
	case "err":
	default:
		return nil, false
	}
	for w.next() {
		if w.val == nil && !a.OK && a.Code == "" {
			a.Code = string(w.key)
		}
		if w.val == nil || len(w.key) == 0 {
			continue
		}
		if a.Fields == nil {
			a.Fields = make(map[string]string, 8)
		}
		a.Fields[string(w.key)] = string(w.val)
	}
	if code := a.Fields["code"]; !a.OK && code != "" {
		a.Code = code
		delete(a.Fields, "code")
	}
	return a, a.OK || a.Code != ""
}

// ParseSettings reads key=value words: an answer's, or those of an `LT cfg`
// line. It is false when there is no setting among them.
func ParseSettings(line []byte) (model.Settings, bool) {
	s := model.ParseSettings(model.Pairs(strings.ToValidUTF8(string(line), "\uFFFD")))
	return s, s.Known()
}
