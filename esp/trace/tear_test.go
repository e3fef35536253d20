package trace_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dev.local/linktop/model"
)

// frameLines are trace lines of one firmware, and what each must be read as.
func frameLines(rnd *rand.Rand, long bool) (lines []string, want map[int64]model.Frame) {
	want = map[int64]model.Frame{}
	for seq := int64(1); seq <= 400; seq++ {
		ms := func(limit int64) int64 { return rnd.Int64N(limit) }
		p, m, h, w := ms(300), ms(3), ms(4), ms(90)
		t := p + m + h + w + ms(4)
		unit := int64(1000)
		if !long {
			unit = 1
			p, m, h, w, t = p*997, m*997, h*997, w*997, t*997+5
		}
		f := model.Frame{Seq: model.Some(seq), Opcode: model.Some(2), PayloadBytes: model.Some(4096), PollUS: model.Some(p * unit),
			MaskUS: model.Some(m * unit), HeaderUS: model.Some(h * unit), PayloadUS: model.Some(w * unit), TotalUS: model.Some(t * unit), Ret: model.Some(4096)}
		if long {
			f.HeaderBytes = model.Some(8)
			lines = append(lines, fmt.Sprintf("I (%d) IDF_WS_WRITE_TRACE: seq=%d opcode=0x2 payload_len=4096 header_len=8 ws_parent_poll_ms=%d "+
				"mask_ms=%d header_write_ms=%d payload_write_ms=%d total_ms=%d ret=4096", 100*seq, seq, p, m, h, w, t))
		} else {
			lines = append(lines, fmt.Sprintf("LT w s=%d o=2 n=4096 p=%d m=%d h=%d w=%d t=%d r=4096", seq, p, m, h, w, t))
		}
		want[seq] = f
	}
	return lines, want
}

// TestTornLines: another task's line inside a trace line costs no frame where
// the parts fit, and never a wrong number.
func TestTornLines(t *testing.T) {
	for _, long := range []bool{true, false} {
		rnd := rand.New(rand.NewPCG(7, 8))
		lines, want := frameLines(rnd, long)
		var out bytes.Buffer
		torn := 0
		for i, l := range lines {
			if i > 0 && i%3 == 0 {
				at := 1 + rnd.IntN(len(l)-1)
				out.WriteString(l[:at] + "W (712) wifi:m f null\r\n" + l[at:] + "\r\n")
				torn++
				continue
			}
			out.WriteString(l + "\r\n")
		}
		repaired, right := judge(t, decode(out.Bytes()), want)
		t.Logf("long=%t: %d of %d frames, %d of %d torn ones repaired", long, right, len(lines), repaired, torn)
		if right < len(lines)-torn || repaired < torn/2 {
			t.Errorf("long=%t: %d of %d frames are told, %d of %d torn ones repaired", long, right, len(lines), repaired, torn)
		}
	}
}

// TestBytesLost: bytes lost inside lines that carry a checksum never give a
// wrong number; 1 in 256 damaged lines has the right checksum by chance, of
// which most contradict themselves.
func TestBytesLost(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	lines, want := frameLines(rnd, false)
	var out bytes.Buffer
	for i, l := range lines {
		l = nmea(l) + "\r\n"
		if i%3 == 1 {
			from := rnd.IntN(len(l) - 2)
			l = l[:from] + l[min(len(l), from+1+rnd.IntN(30)):]
		}
		out.WriteString(l)
	}
	_, right := judge(t, decode(out.Bytes()), want)
	t.Logf("%d of %d frames", right, len(lines))
	if right < len(lines)/3 {
		t.Errorf("only %d of %d frames are told", right, len(lines))
	}
}

// judge counts the frames that are told as they were, and finds those that are
// not.
func judge(t *testing.T, events []model.Event, want map[int64]model.Frame) (repaired, right int) {
	t.Helper()
	checkText(t, events)
	for i := range events {
		f, ok := events[i].Body.(*model.Frame)
		if !ok {
			continue
		}
		got := *f
		if got.Repaired {
			repaired++
		}
		got.Repaired, got.Extra = false, nil
		if w := want[f.Seq.Value()]; fmt.Sprint(got) != fmt.Sprint(w) {
			near := events[max(0, i-4) : i+1]
			var said []string
			for j := range near {
				said = append(said, line(&near[j]))
			}
			t.Errorf("told wrongly:\n  %s\nwas\n  %s", strings.Join(said, "\n  "), line(&model.Event{Body: &w}))
			continue
		}
		right++
	}
	if !slices.ContainsFunc(events, func(e model.Event) bool { return e.Body.Kind() == "frame" }) {
		t.Error("no frame is told")
	}
	return repaired, right
}
