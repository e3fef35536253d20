// Package jsonl writes events as JSON Lines: one object a line.
package jsonl

import (
	"bufio"
	"fmt"
	"io"

	"dev.local/linktop/model"
)

// Writer writes events. It buffers: Flush when no more are waiting.
type Writer struct {
	w   *bufio.Writer
	buf []byte
}

// NewWriter writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, 64<<10)} }

// Write writes one event.
func (w *Writer) Write(e *model.Event) error {
	var err error
	if w.buf, err = e.AppendJSON(w.buf[:0]); err != nil {
		return err
	}
	w.buf = append(w.buf, '\n')
	if _, err = w.w.Write(w.buf); err != nil {
		return fmt.Errorf("writing events: %w", err)
	}
	return nil
}

// Flush hands on what is buffered.
func (w *Writer) Flush() error {
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("writing events: %w", err)
	}
	return nil
}

// Copy writes the events that arrive until the channel is closed, each burst at
// once. On a write error it returns at once; the caller ends the source.
func Copy(dst io.Writer, events <-chan model.Event) error {
	w := NewWriter(dst)
	for {
		e, ok := <-events
		if !ok {
			return w.Flush()
		}
		for more := true; more; {
			if err := w.Write(&e); err != nil {
				return err
			}
			select {
			case e, more = <-events:
			default:
				more = false
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}
