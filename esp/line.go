package esp

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
)

const (
	// MaxLine is the longest command line in bytes, without its CR: an ESP-IDF
	// REPL cuts at 256.
	MaxLine = 200
	// maxWords is what an ESP-IDF REPL hands to a command: 32 arguments, of
	// which the last ends the list.
	maxWords = 31
)

// newest is the number of the newest command. All commanders share it, so that
// a number means one command, whatever channel its answer comes over. It starts
// anywhere: a device answers a number it has seen with its first answer, and it
// may have seen those of an earlier run.
var newest atomic.Int64

func init() { newest.Store(100_000 + rand.Int64N(900_000)) }

func nextNumber() int64 { return newest.Add(1) }

// commandLine is the line of a command, without its end, and with its words
// joined by single blanks, as a REPL would join them.
func commandLine(n int64, words string) (string, error) {
	fields := strings.Fields(words)
	if len(fields) == 0 {
		return "", fmt.Errorf("there is no command in %q", words)
	}
	for _, r := range words {
		if r < ' ' && r != '\t' || r == 0x7f || r == '"' || r == '\\' {
			return "", fmt.Errorf("the command %.40q holds %q, which a device's console would take out or act on", masked(words), r)
		}
	}
	if len(fields)+2 > maxWords {
		return "", fmt.Errorf("the command %.40q… has %d words, a device takes %d", masked(words), len(fields), maxWords-2)
	}
	line := fmt.Sprintf("lt #%d %s", n, strings.Join(fields, " "))
	if len(line) >= MaxLine {
		return "", fmt.Errorf("the command %.40q… has %d bytes, a device takes %d", masked(line), len(line), MaxLine-1)
	}
	return line, nil
}

// token is what must not leave the host but in the line itself: events end up
// in recordings that are passed on, errors on screens that are photographed.
var token = regexp.MustCompile(`token=[^ &]*`)

func masked(line string) string { return token.ReplaceAllString(line, "token=…") }
