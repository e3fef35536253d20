package virtual

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCommands(t *testing.T) {
	const set = "frame=4096 burst=0 idle=0 pace=0 agg=off codec=pcm16 sndbuf=5760"
	for name, c := range map[string]struct{ words, want string }{
		"hello": {"hello", "ok proto=1 fw=linktop-probe/1.0.0 idf=v5.5.3 chip=esp32s3 id=7cdfa1e0c0de " +
			"caps=frame,burst,pace,agg,codec,url,trace,tcp,sndbuf"},
		"set":               {"set frame=1024 burst=4 idle=1000 pace=20 agg=off codec=adpcm sndbuf=11520", "ok rev=2 frame=1024 burst=4 idle=1000 pace=20 agg=off codec=adpcm sndbuf=11520"},
		"set one":           {"set pace=5000", "ok rev=2 " + strings.Replace(set, "pace=0", "pace=5000", 1)},
		"blanks":            {"  set   frame=4096  ", "ok rev=2 " + set},
		"agg":               {"set agg=wait=200,max=frame", "ok rev=2 " + strings.Replace(set, "agg=off", "agg=wait=200,max=frame", 1)},
		"agg, all":          {"set agg=wait=200,max=frame,vad=1,backlog=400", "ok rev=2 " + strings.Replace(set, "agg=off", "agg=wait=200,max=frame,vad=1,backlog=400", 1)},
		"frame low":         {"set frame=255", "err code=range key=frame min=256 max=16384"},
		"frame high":        {"set frame=16385", "err code=range key=frame min=256 max=16384"},
		"frame odd":         {"set frame=257", "err code=range key=frame min=256 max=16384 step=2"},
		"frame huge":        {"set frame=99999999999999999999", "err code=range key=frame min=256 max=16384"},
		"frame no number":   {"set frame=big", "err code=parse key=frame"},
		"burst":             {"set burst=65", "err code=range key=burst min=0 max=64"},
		"burst negative":    {"set burst=-1", "err code=range key=burst min=0 max=64"},
		"idle":              {"set idle=10001", "err code=range key=idle min=0 max=10000"},
		"pace":              {"set pace=5001", "err code=range key=pace min=0 max=5000"},
		"sndbuf low":        {"set sndbuf=5759", "err code=range key=sndbuf min=5760 max=11520"},
		"sndbuf high":       {"set sndbuf=11521", "err code=range key=sndbuf min=5760 max=11520"},
		"agg wait":          {"set agg=wait=4,max=frame", "err code=range key=agg.wait min=5 max=1000"},
		"agg words":         {"set agg=on", "err code=parse key=agg"},
		"agg without wait":  {"set agg=max=frame", "err code=parse key=agg"},
		"opus":              {"set codec=opus", "err code=unsupported key=codec"},
		"codec":             {"set codec=mp3", "err code=range key=codec one=pcm16,pcm8k,adpcm"},
		"unknown key":       {"set volume=11", "err code=unknown key=volume"},
		"no value":          {"set frame", "err code=parse word=frame"},
		"twice":             {"set frame=1024 frame=2048", "err code=parse word=frame?2048"},
		"nothing to set":    {"set", "err code=parse need=key=value"},
		"unknown command":   {"dance", "err code=unknown cmd=dance"},
		"no command":        {"", "err code=parse need=command"},
		"start without ws":  {"start run=r1 dur=1000", "err code=state ws=none"},
		"start key":         {"start speed=1", "err code=unknown key=speed"},
		"start run":         {"start run=a/b", "err code=parse key=run"},
		"start dur":         {"start dur=3600001", "err code=range key=dur min=0 max=3600000"},
		"stop":              {"stop", "ok"},
		"stop words":        {"stop now", "err code=parse word=now"},
		"url scheme":        {"url http://host/", "err code=parse key=url want=ws://host:port/path"},
		"url missing":       {"url", "err code=parse need=url"},
		"url":               {"url ws://user:pw@host:1/a?token=secret", "ok url=ws://host:1/a"},
		"trace":             {"trace full", "ok trace=full"},
		"trace form":        {"trace short", "err code=range key=trace one=off,compact,full"},
		"trace nothing":     {"trace", "err code=parse need=off|compact|full"},
		"checksum right":    {"set frame=512 *" + sum("lt #1 set frame=512"), "ok rev=2 " + strings.Replace(set, "4096", "512", 1)},
		"checksum wrong":    {"set frame=512 *00", "err code=checksum want=" + sum("lt #1 set frame=512")},
		"checksum no hex":   {"set frame=512 *zz", "err code=checksum want=" + sum("lt #1 set frame=512")},
		"too long":          {"set " + strings.Repeat("x", 300), "err code=parse max=256"},
		"control bytes":     {"set a\x1b[2J=1", "err code=unknown key=a?[2J"},
		"all or nothing":    {"set frame=1024 pace=9999", "err code=range key=pace min=0 max=5000"},
		"stat":              {"stat", "ok ws=none rev=1 " + set + " trace=compact produced_bytes=0 sent_bytes=0 sent_frames=0 dropped_bytes=0 drop_count=0 ringbuf_ms=0 lost_lines=0"},
		"reboot with words": {"reboot now", "err code=parse word=now"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, Options{})
				defer l.stop()
				time.Sleep(500 * time.Millisecond)
				if got := l.ask(c.words); got != c.want {
					t.Errorf("lt #1 %s\n got %s\nwant %s", c.words, got, c.want)
				}
				// Whatever was refused changed nothing.
				if strings.HasPrefix(c.want, "err") {
					if got := l.ask("stat"); !strings.Contains(got, "rev=1 "+set) {
						t.Errorf("a refused command changed the settings: %s", got)
					}
				}
			})
		})
	}
}

func sum(line string) string { return fmt.Sprintf("%02x", checksum(strings.Fields(line))) }

func TestLineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{})
		defer l.stop()
		time.Sleep(500 * time.Millisecond)
		io.WriteString(l.console, "lt #1 trace full\rlt #2 trace off\nlt #3 trace compact\r\n\r\n\nlt #4 st")
		io.WriteString(l.console, "at\r")
		io.WriteString(l.console, "set_frame 2048\rlt hello\rlt 5 hello\r")
		time.Sleep(20 * time.Millisecond)
		got := l.printed("LT #")
		for i, want := range []string{"LT #1 ok trace=full", "LT #2 ok trace=off", "LT #3 ok trace=compact", "LT #4 ok ws=none",
			"LT #0 err code=parse need=#n", "LT #0 err code=parse need=#n"} {
			if i >= len(got) || !strings.HasPrefix(got[i], want) {
				t.Fatalf("answers %q, want the %d. to be %q", got, i+1, want)
			}
		}
		if len(l.printed("Unrecognized command")) != 1 {
			t.Error("a line that is no lt command was not refused")
		}
	})
}

// A repeated number is answered with the first answer, and its work done once.
func TestRepeatedNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{})
		defer l.stop()
		time.Sleep(500 * time.Millisecond)
		first := l.line("lt #8 set frame=1024", "LT #8 ")
		for _, again := range []string{"lt #8 set frame=1024", "lt #8 set frame=2048"} {
			if got := l.line(again, "LT #8 "); got != first {
				t.Errorf("%s: %s, want the first answer, %s", again, got, first)
			}
		}
		if got := l.line("lt #9 stat", "LT #9 "); !strings.Contains(got, "rev=2 frame=1024") {
			t.Errorf("work was done more than once: %s", got)
		}
		// A damaged line was not understood, so its number is still free.
		l.line("lt #10 set frame=512 *00", "LT #10 ")
		if got := l.line("lt #10 set frame=512", "LT #10 "); !strings.HasPrefix(got, "ok rev=3 frame=512") {
			t.Errorf("after a wrong checksum: %s", got)
		}
		// A host that begins anew says hello and counts from the start.
		l.line("lt #1 hello", "LT #1 ")
		if got := l.line("lt #8 set frame=4096", "LT #8 "); !strings.HasPrefix(got, "ok rev=4 frame=4096") {
			t.Errorf("after hello: %s", got)
		}
	})
}

// Whatever the task waits for, a change acts with the next frame, and the
// answer does not wait at all (ask allows 20 ms).
func TestSetCutsWaitsShort(t *testing.T) {
	for name, c := range map[string]struct {
		rtt, within time.Duration
		set         string
	}{
		"idle": {40 * time.Millisecond, 80 * time.Millisecond, "frame=4096 burst=1 idle=10000"},
		"pace": {40 * time.Millisecond, 80 * time.Millisecond, "frame=4096 pace=5000"},
		// Here the next frame needs room in the send buffer, whatever its size.
		"poll": {2 * time.Second, 2 * time.Second, "frame=4096"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, Options{RTT: c.rtt})
				defer l.stop()
				l.start(c.set)
				time.Sleep(3*c.rtt + 1500*time.Millisecond)
				before := len(l.frames())
				if before == 0 {
					t.Fatal("no frame yet")
				}
				if got := l.ask("set frame=256 burst=0 pace=0 sndbuf=11520"); !strings.HasPrefix(got, "ok rev=3") {
					t.Fatal(got)
				}
				if len(l.printed("LT cfg rev=3 frame=256 ")) != 1 {
					t.Error("the new settings are not marked 20 ms after the command")
				}
				time.Sleep(c.within)
				frames := l.frames()
				if len(frames) == before || frames[before]["n"] != 256 {
					t.Errorf("%d frames before, %d after; the newest %v", before, len(frames), frames[len(frames)-1])
				}
			})
		})
	}
}

// No frame is ever traced under settings that were not marked before it.
func TestMarkStandsBeforeItsFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Options{RTT: 60 * time.Millisecond})
		defer l.stop()
		l.start("")
		time.Sleep(time.Second)
		for i := range 60 {
			l.ask(fmt.Sprintf("set frame=%d", []int{1024, 2048, 512, 4096}[i%4]))
			time.Sleep(time.Duration(i*7%90) * time.Millisecond)
		}
		size, frames := "", 0
		for _, line := range l.printed("LT ") {
			if _, cfg, ok := strings.Cut(line, "LT cfg "); ok {
				size = " n=" + strings.TrimPrefix(strings.Fields(cfg)[1], "frame=") + " "
			}
			if strings.HasPrefix(line, "LT w") && strings.Contains(line, " o=2 ") {
				if frames++; !strings.Contains(line, size) {
					t.Fatalf("%q under a mark of%s", line, size)
				}
			}
		}
		if frames < 20 {
			t.Errorf("only %d frames", frames)
		}
	})
}

func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{"lt #8 set frame=4096 *5a", "lt #1 hello", "lt", "lt #", "lt #99999999999 x", "\x00\xff", "lt #1 *", "lt *00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		p, ours, refused := parseLine(line)
		if !ours && (refused != nil || p.name != "") {
			t.Errorf("%q is no command, but gave %+v", line, p)
		}
		if ours && refused == nil && (p.name == "" || p.n < 0) {
			t.Errorf("%q was taken without a name: %+v", line, p)
		}
		if refused != nil && !strings.Contains(" parse unknown range busy unsupported state checksum ", " "+refused.code+" ") {
			t.Errorf("%q: no such error code: %s", line, refused.code)
		}
		s := defaultSettings()
		before := s
		if r := s.set(p.words); r != nil {
			if s != before {
				t.Errorf("%q was refused and changed %v to %v", line, before, s)
			}
			if strings.ContainsFunc(r.words, func(c rune) bool { return c < ' ' || c > '~' }) {
				t.Errorf("%q: the answer carries control bytes: %q", line, r.words)
			}
		}
		if s.frame < 256 || s.frame > 16384 || s.frame%2 != 0 || s.sndbuf < 5760 || s.sndbuf > 11520 || s.burst < 0 || s.burst > 64 {
			t.Errorf("%q gave %v", line, s)
		}
	})
}
