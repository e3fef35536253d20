//go:build linux || darwin

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

// traceLines are n frames with their parent writes, three lines each.
func traceLines(from, n int) []string {
	lines := make([]string, 0, 3*n)
	for i := range n {
		seq := from + i
		lines = append(lines,
			fmt.Sprintf("LT p s=%d k=ssl n=8 p=11 w=790 t=812 r=8 e=0", 2*seq),
			fmt.Sprintf("LT p s=%d k=ssl n=1024 p=12 w=2001 t=2030 r=1024 e=0", 2*seq+1),
			fmt.Sprintf("LT w s=%d o=2 n=1024 p=%d m=104 h=812 w=2040 t=%d r=1024", seq, seq%300, seq%300+3000))
	}
	return lines
}

// Every line of a fast device is counted, and its writer is not held up: the
// events of a headless run tell as many frames as were written.
func TestEveryTracedFrameIsCounted(t *testing.T) {
	const frames, batch = 6000, 20
	d := newScripted(t)
	cmd := exec.Command(os.Args[0], "--headless", "--port", d.path, "--listen", "127.0.0.1:0")
	cmd.Env = append(environ(), asLinktop+"=1", "HOME="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	counts := make(chan map[string]int, 1)
	go func() {
		got := map[string]int{}
		in := bufio.NewScanner(out)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			var e struct{ Kind string }
			if json.Unmarshal(in.Bytes(), &e) != nil {
				got["no JSON"]++
			}
			got[e.Kind]++
			if e.Kind == "frame" && got["frame"] == frames {
				cmd.Process.Signal(syscall.SIGTERM)
			}
		}
		counts <- got
	}()
	d.hello()
	for seq := 1; seq <= frames; seq += batch {
		d.says(strings.Join(traceLines(seq, batch), "\r\n"))
	}
	timer := time.AfterFunc(patience, func() { cmd.Process.Signal(syscall.SIGTERM) })
	defer timer.Stop()
	got := <-counts
	if err := cmd.Wait(); err != nil {
		t.Errorf("linktop ended with %v", err)
	}
	if got["frame"] != frames || got["parent"] != 2*frames || got["damage"] != 0 || got["loss"] != 0 || got["no JSON"] != 0 {
		t.Errorf("%d frames and %d parent writes told, want %d and %d; damage %d, losses %d", got["frame"], got["parent"],
			frames, 2*frames, got["damage"], got["loss"])
	}
}

// BenchmarkThreeThousandLines shows a device that prints 3,000 trace lines a
// second for LINKTOP_LOAD_SECONDS (10). It prints what linktop took of a core,
// as a multiple of what decoding and folding the same lines takes in-process,
// its memory, and the longest a write of the device waited.
func BenchmarkThreeThousandLines(b *testing.B) {
	seconds := 10
	fmt.Sscan(os.Getenv("LINKTOP_LOAD_SECONDS"), &seconds)
	for range b.N {
		dir := b.TempDir()
		d := &scripted{t: b, path: dir + "/ttyDEV"}
		d.plug()
		x := openFor(b, dir, 120, 36, "--port", d.path, "--listen", "127.0.0.1:0")
		d.hello()
		const perTick = 20 // frames a 20 ms tick: 3,000 lines/s
		var longest time.Duration
		seq := 1
		start := time.Now()
		tick := time.NewTicker(20 * time.Millisecond)
		var baseline time.Duration
		dec, state := trace.New(), new(model.State)
		for time.Since(start) < time.Duration(seconds)*time.Second {
			<-tick.C
			text := strings.Join(traceLines(seq, perTick), "\r\n") + "\r\n"
			seq += perTick
			before := time.Now()
			d.ptmx.WriteString(text)
			longest = max(longest, time.Since(before))
			before = time.Now()
			dec.Feed(before.UnixMicro(), []byte(text), state.Apply)
			baseline += time.Since(before)
		}
		tick.Stop()
		last := fmt.Sprintf(" %d ", seq-1)
		for deadline := time.Now().Add(patience); !strings.Contains(x.screen(), last) && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		if !strings.Contains(x.screen(), last) {
			b.Errorf("frame %d is not on the screen:\n%s", seq-1, x.screen())
		}
		x.press("q")
		<-x.ended
		use := x.cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu := x.cmd.ProcessState.UserTime() + x.cmd.ProcessState.SystemTime()
		b.ReportMetric(100*cpu.Seconds()/float64(seconds), "%core")
		b.ReportMetric(cpu.Seconds()/max(baseline.Seconds(), 1e-9), "x-baseline")
		b.ReportMetric(float64(use.Maxrss)/1024, "MB-rss")
		b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest-write")
		b.ReportMetric(float64(x.bytes())/1000/float64(seconds), "KB/s-screen")
		x.close()
		d.unplug()
	}
}
