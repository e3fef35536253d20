package esp

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// FuzzCommander feeds a device's output, whatever it is, to commands that wait
// for their answers: each ends in time, at most once by an answer that carries
// its number. In the output, "#a" to "#d" stand for the numbers of four commands
// in flight.
func FuzzCommander(f *testing.F) {
	for _, s := range []string{
		"LT #a ok rev=2 frame=4096\r\nLT #b err code=range key=frame min=256\r\n",
		"lt #a hello\r\nesp> LT #a ok proto=1 fw=x caps=frame\r\nLT #a ok proto=1\r\n",
		"LT #a err code=checksum\r\nLT #a err code=checksum\r\nLT #a ok\r\n",
		"Unrecognized command\r\nUnrecognized command\r\nesp> Unrecognized command\r\n",
		"LT #a oLT #b ok rev=3\r\nk rev=1\r\n\x00\xff\x1b[0;32mI (12) tag: LT #c ok\x1b[0m\r\n",
		"rst:0x1 (POWERON)\r\nLT #d ok *00\r\nLT #99999999999999999999 ok\r\nLT #-1 ok\r\nLT # ok\r\n",
		"LT #d ok " + strings.Repeat("x=1 ", 500) + "\r\n",
	} {
		f.Add([]byte(s), uint16(7))
	}
	f.Fuzz(func(t *testing.T, output []byte, cut uint16) {
		synctest.Test(t, func(t *testing.T) {
			type end struct {
				answer model.Answer
				err    error
			}
			var numbers [4]int64
			var ends [len(numbers)]chan end
			c := NewCommander("serial", func(context.Context, string) error { return nil }, func(model.Event) {}, nil)
			for i := range ends {
				ends[i] = make(chan end, 1)
				go func() {
					a, err := c.Do(t.Context(), fmt.Sprintf("set frame=%d", 256+2*i))
					ends[i] <- end{a, err}
				}()
				synctest.Wait()
				c.mu.Lock()
				numbers[i] = c.pending[i].n
				c.mu.Unlock()
			}
			text := string(output)
			for i, n := range numbers {
				text = strings.ReplaceAll(text, "#"+string(rune('a'+i)), fmt.Sprintf("#%d", n))
			}
			d := trace.New()
			observe := func(e *model.Event) {
				if l, ok := e.Body.(*model.Log); ok && unrecognized(string(l.Text)) {
					c.Unrecognized()
				}
				c.Observe(e)
			}
			for rest := []byte(text); len(rest) > 0; {
				n := min(int(cut)%len(rest)+1, len(rest))
				d.Feed(time.Now().UnixMicro(), rest[:n], observe)
				d.Flush(time.Now().UnixMicro(), observe)
				rest = rest[n:]
				synctest.Wait()
			}
			d.Close(time.Now().UnixMicro(), observe)
			time.Sleep(attempts * AnswerTime)
			synctest.Wait()
			for i := range ends {
				select {
				case e := <-ends[i]:
					if e.answer.N != numbers[i] || e.answer.OK != (e.err == nil) || e.answer.Via != "serial" {
						t.Errorf("command %d ended with %+v, %v", numbers[i], e.answer, e.err)
					}
				default:
					t.Errorf("command %d hangs", numbers[i])
				}
			}
			if len(c.pending) != 0 {
				t.Errorf("%d commands are still noted", len(c.pending))
			}
		})
	})
}
