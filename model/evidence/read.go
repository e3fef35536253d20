package evidence

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"dev.local/linktop/model"
)

// maxLine is the longest line read as an event; longer ones are told as an
// error and skipped.
const maxLine = 8 << 20

// ErrTorn says that a file's last line was cut short, as a kill or a full disk
// leaves it. Everything before it was read.
var ErrTorn = errors.New("the last line is torn")

// ReadEvents reads a file of events. An error stands for one line that could
// not be read, or for the end of reading; whoever goes on gets the lines after
// it. A torn last line is told as ErrTorn, after all the others.
func ReadEvents(path string) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(model.Event{}, fmt.Errorf("reading events: %w", err))
			return
		}
		defer f.Close()
		for e, err := range Events(f) {
			if err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Events reads events, one JSON object a line, as ReadEvents does.
func Events(r io.Reader) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		var line []byte
		for n := 1; ; n++ {
			var whole, long bool
			var err error
			line, whole, long, err = readLine(in, line[:0])
			if err != nil && err != io.EOF {
				yield(model.Event{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
			var e model.Event
			switch text := bytes.TrimSpace(line); {
			case long:
				if !yield(e, fmt.Errorf("line %d: longer than %d bytes", n, maxLine)) {
					return
				}
			case len(text) > 0:
				bad := e.ParseJSON(text)
				if bad != nil && !whole {
					bad = ErrTorn
				}
				if bad != nil {
					e, bad = model.Event{}, fmt.Errorf("line %d: %w", n, bad)
				}
				if !yield(e, bad) {
					return
				}
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// readLine appends the next line to dst. whole tells that it had a line end,
// long that it was skipped.
func readLine(in *bufio.Reader, dst []byte) (line []byte, whole, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(dst)+len(part) > maxLine {
			long, dst = true, dst[:0]
		} else if !long {
			dst = append(dst, part...)
		}
		switch err {
		case nil:
			return dst, true, long, nil
		case bufio.ErrBufferFull:
		default:
			return dst, false, long, err
		}
	}
}
