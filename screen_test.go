//go:build linux || darwin

package main

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// A user starts linktop with no hardware, turns every toggle and watches each
// being confirmed, makes the window small and large again, and quits.
func TestScreenWithTheVirtualDevice(t *testing.T) {
	x := open(t, 120, 36, "--port", "sim", "--theme", "dark")
	x.sees("FRAMES", "LAYERS", "EXPERIMENT", "pixel-s3")
	x.sees("every setting confirmed")
	for _, step := range []struct{ keys, sees string }{
		{"1", "✓ 1024 in"},
		{"2", "✓ 2048 in"},
		{"4", "✓ 8192 in"},
		{"3", "✓ 4096 in"},
		{"b", "✓ 4/1000 in"},
		{"b", "✓ off in"},
		{"p", "✓ 300 in"},
	} {
		x.press(step.keys)
		x.sees(step.sees)
	}
	x.sees("pacing 300")
	x.press("p")
	x.sees("continuous")
	x.resize(80, 24)
	x.until("the small screen is drawn", func() bool {
		s := x.screen()
		return strings.Contains(s, "RATE") && !strings.Contains(s, "EXPERIMENT") && strings.Contains(s, "q quit")
	})
	x.resize(120, 36)
	x.sees("EXPERIMENT", "WHY")
	x.press("?")
	x.sees("esc")
	x.press("\x1b")
	x.until("the help is gone", func() bool { return !strings.Contains(x.screen(), "esc") })
	x.press("q")
	if code := x.quits(); code != 0 {
		t.Errorf("exit code %d after q, want 0", code)
	}
}

// The default path does not keep up, and the screen says why in plain words.
func TestScreenNamesTheCause(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for 20 frames at a round trip each")
	}
	x := open(t, 120, 36, "--port", "sim")
	x.sees("DEGRADED", "send buffer is too small for this round trip", "buffer-limited", "RTT 28")
	x.sees("gets 1.00 of sent")
	x.press("q")
	x.quits()
}

func TestScreenLeavesTheTerminalAsItWas(t *testing.T) {
	for name, end := range map[string]func(x *terminal){
		"ctrl-c":  func(x *terminal) { x.press("\x03") },
		"SIGTERM": func(x *terminal) { x.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":  func(x *terminal) { x.cmd.Process.Signal(syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t, 80, 24, "--port", "sim")
			x.sees("RATE")
			end(x)
			if code := x.quits(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
		})
	}
}

// Nothing new to show: nothing is written. The device is silent, the port and
// the server have nothing to tell.
func TestScreenIsQuietWhenNothingChanges(t *testing.T) {
	d := newScripted(t)
	x := open(t, 120, 36, "--port", d.path, "--listen", "127.0.0.1:0")
	d.hello()
	x.sees("The device is there")
	// Until the 10 s window and the first seconds of silence are past, figures
	// may still move.
	x.until("the screen comes to rest", func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return time.Since(x.written) > 4*time.Second
	})
	before := x.bytes()
	time.Sleep(2 * time.Second)
	if n := x.bytes() - before; n != 0 {
		t.Errorf("%d bytes were written while nothing changed", n)
	}
	x.press("q")
	x.quits()
}

// Any device on any port: its frames appear, keys act on it, and it is found
// again after it was unplugged.
func TestScreenWithADeviceOnAPort(t *testing.T) {
	d := newScripted(t)
	x := open(t, 120, 36, "--port", d.path, "--listen", "127.0.0.1:0")
	d.hello()
	d.frames(1, 12)
	x.sees("  12  ", "poll")
	x.press("1")
	line := d.reads("set frame=1024")
	d.says("LT #" + number(line) + " ok rev=2 frame=1024 burst=0 idle=0 pace=0 agg=off codec=pcm16")
	d.says("LT cfg rev=2 frame=1024 burst=0 idle=0 pace=0 agg=off codec=pcm16")
	x.sees("✓ 1024 in")
	x.press("p")
	line = d.reads("set pace=300")
	d.says("LT #" + number(line) + " err code=unsupported key=pace")
	x.sees("✗ pace not in")
	d.unplug()
	x.sees("NO DEVICE")
	d.plug()
	d.hello()
	d.frames(13, 40)
	x.sees("  40  ")
	x.press("q")
	if code := x.quits(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

func TestScreenSaysThatAFirmwareIsReadOnly(t *testing.T) {
	d := newScripted(t)
	x := open(t, 120, 36, "--port", d.path, "--listen", "127.0.0.1:0")
	for i := range 30 {
		d.says("I (" + strings.Repeat("1", 1+i%5) + ") app: unaware of linktop")
	}
	x.sees("read-only")
	x.press("q")
	x.quits()
}
