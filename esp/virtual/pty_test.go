//go:build linux || darwin

package virtual

import (
	"bufio"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// A second program opens the PTY as its port, as often as it likes.
func TestPTY(t *testing.T) {
	d := New(Options{RTT: time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	path, err := d.ServePTY(ctx)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	for i := range 3 {
		port, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		lines := make(chan string, 1000)
		go func() {
			defer close(lines)
			for in := bufio.NewScanner(port); in.Scan(); {
				lines <- in.Text()
			}
		}()
		port.WriteString("lt #1 hello\rlt #2 set frame=1024\r")
		want, deadline := []string{"LT #1 ok proto=1 ", "LT #2 ok rev="}, time.After(30*time.Second)
		for len(want) > 0 {
			select {
			case line, ok := <-lines:
				if !ok {
					t.Fatalf("opening %d: the port ended", i+1)
				}
				if strings.HasPrefix(line, "lt #") {
					t.Errorf("the console echoes: %q", line)
				}
				if strings.HasPrefix(line, want[0]) {
					want = want[1:]
				}
			case <-deadline:
				t.Fatalf("opening %d: no %q", i+1, want[0])
			}
		}
		port.Close()
	}
	// While the console is unplugged the port is dead; then it works again.
	d.Unplug()
	time.Sleep(50 * time.Millisecond)
	d.Plug()
	port, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan bool, 1)
	go func() {
		for in := bufio.NewScanner(port); in.Scan(); {
			if strings.HasPrefix(in.Text(), "LT #7 ok") {
				answered <- true
				return
			}
		}
	}()
	ask := time.NewTicker(300 * time.Millisecond)
	defer ask.Stop()
	for ok, deadline := false, time.After(30*time.Second); !ok; {
		select {
		case ok = <-answered:
		case <-ask.C:
			port.WriteString("lt #7 stat\r")
		case <-deadline:
			t.Fatal("no answer after the cable was put back")
		}
	}
	port.Close()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("Run did not end with its context")
	}
}

// What was printed while nobody read does not meet the next reader.
func TestPTYForgetsWhatNobodyRead(t *testing.T) {
	d := New(Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	path, err := d.ServePTY(ctx)
	if err != nil {
		t.Fatal(err)
	}
	listening := func() bool {
		d.uart.mu.Lock()
		defer d.uart.mu.Unlock()
		return d.uart.host != nil
	}
	for end := time.Now().Add(30 * time.Second); !listening(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the PTY does not open the console")
		}
	}
	line := []byte(strings.Repeat("x", 98) + "\r\n")
	d.uart.mu.Lock()
	for d.uart.tx.push(line) {
	}
	d.uart.mu.Unlock()
	signal(d.uart.txReady)
	end := time.Now().Add(30 * time.Second)
	for {
		d.uart.mu.Lock()
		left := d.uart.tx.len()
		d.uart.mu.Unlock()
		if left == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d bytes are still held for a reader that is not there", left)
		}
		time.Sleep(20 * time.Millisecond)
	}
	port, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	d.uart.print([]byte("now\r\n"))
	got := 0
	for in := bufio.NewScanner(port); in.Scan() && in.Text() != "now"; {
		got += len(in.Text())
	}
	if got > ptyQueue {
		t.Errorf("%d old bytes before the first new line", got)
	}
}
