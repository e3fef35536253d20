//go:build linux || darwin

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// waitFor is until for benchmarks: it gives the time from its call to the
// moment that done was first seen.
func (x *terminal) waitFor(b *testing.B, done func(screen string) bool) time.Duration {
	b.Helper()
	start := time.Now()
	for !done(x.screen()) {
		if time.Since(start) > patience {
			b.Fatalf("waited in vain:\n%s", x.screen())
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(start)
}

// BenchmarkFirstScreen is the time from the start of the program to its first
// painted screen, on a terminal that never answers a query. The ratio is to the
// start of the same binary that only prints its version.
func BenchmarkFirstScreen(b *testing.B) {
	var screen, version time.Duration
	for range b.N {
		start := time.Now()
		x := openFor(b, b.TempDir(), 120, 36, "--port", "sim")
		x.waitFor(b, func(s string) bool { return strings.Contains(s, "linktop") && strings.Contains(s, "quit") })
		screen += time.Since(start)
		x.press("q")
		<-x.ended
		x.close()

		cmd := exec.Command(os.Args[0], "version")
		cmd.Env = append(environ(), asLinktop+"=1")
		start = time.Now()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		version += time.Since(start)
	}
	b.ReportMetric(float64(screen.Milliseconds())/float64(b.N), "ms-to-screen")
	b.ReportMetric(screen.Seconds()/version.Seconds(), "x-version")
}

// BenchmarkKeyToConfirmed is the time from a key to its setting being confirmed
// on the screen, with the virtual device. The ratio is to a key that only the
// screen has to answer (help).
func BenchmarkKeyToConfirmed(b *testing.B) {
	x := openFor(b, b.TempDir(), 120, 36, "--port", "sim:rtt=20ms")
	defer x.close()
	x.waitFor(b, func(s string) bool { return strings.Contains(s, "every setting confirmed") })
	var key, help, longest time.Duration
	b.ResetTimer()
	for range b.N {
		for _, step := range []struct{ key, sees string }{{"1", "✓ 1024 in"}, {"3", "✓ 4096 in"}} {
			x.press(step.key)
			took := x.waitFor(b, func(s string) bool { return strings.Contains(s, step.sees) })
			key += took
			longest = max(longest, took)
		}
		for _, open := range []bool{true, false} {
			x.press("?")
			help += x.waitFor(b, func(s string) bool { return strings.Contains(s, "ctrl-c") == open })
		}
	}
	b.ReportMetric(float64(key.Microseconds())/2000/float64(b.N), "ms-key")
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
	b.ReportMetric(key.Seconds()/help.Seconds(), "x-help")
	x.press("q")
}
