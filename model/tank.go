package model

// tank follows the device's send buffer. Where the device reports its free
// bytes, they are taken; else they are estimated from frame sizes and waits.
//
// The estimate: poll returns once LowWater bytes are free, and ACKs free two
// segments at a time (a receiver acknowledges every second full segment, RFC
// 1122, 4.2.3.2); a payload write that did not wait found room for the whole
// frame; a frame that did not wait at all, after a pause, found the buffer
// drained at the rate seen last.
type tank struct {
	sndBuf int64 // 0 = model.SndBuf
	filled Opt   // bytes, after the newest frame
	lastUS int64
	toldUS int64 // host time of the device's newest word, 0 without
	free   int64 // as told
	perSec int64 // rate of the newest waits, bytes/s
}

// writeWaitUS: a payload write longer than this waited for an ACK. An
// ESP32-S3's own cost for 4 KiB with TLS is about 10 ms.
const writeWaitUS = 20_000

// maxSndBuf is lwIP's largest send buffer, with window scaling (Kconfig range).
const maxSndBuf = 1_024_000

func (t *tank) size() int64 {
	if t.sndBuf >= MSS && t.sndBuf <= maxSndBuf {
		return t.sndBuf
	}
	return SndBuf
}

func (t *tank) told(hostUS, free int64) {
	t.toldUS, t.free = hostUS, free
	t.filled = Some(min(max(t.size()-free, 0), t.size()))
}

func (t *tank) sent(hostUS int64, f *Frame) {
	if !f.PollUS.Known() || !f.PayloadBytes.Known() {
		return
	}
	// More than the buffer in one write passes through it all the same.
	size := min(max(f.PayloadBytes.Value(), 0), maxSndBuf) + min(max(f.HeaderBytes.Or(8), 0), 16)
	filled := min(max(t.filled.Value(), 0), t.size())
	need := LowWater(t.size())
	if f.PayloadUS.Value() < writeWaitUS {
		need = max(need, min(size, t.size()))
	}
	if f.PollUS.Value() < 1000 && t.lastUS > 0 {
		// It found room at once: what was in the buffer drained meanwhile.
		idle := min(max(0, hostUS-f.TotalUS.Value()-t.lastUS), 60_000_000)
		filled -= min(t.perSec, maxSndBuf) * idle / 1_000_000
	}
	for filled > 0 && t.size()-filled < need {
		filled -= 2 * MSS
	}
	filled = max(filled, 0)
	if dt := hostUS - t.lastUS; t.lastUS > 0 && f.PollUS.Value() >= 1000 && dt > 0 {
		t.perSec = size * 1_000_000 / dt
	}
	t.filled = Some(min(filled+size, t.size()))
	t.lastUS = hostUS
}

func (t *tank) figures() Tank {
	out := Tank{SndBufBytes: t.size(), LowWaterBytes: LowWater(t.size()), MSSBytes: MSS}
	if t.filled.Known() {
		out.FreeBytes = Some(t.size() - t.filled.Value())
	}
	// The device's word stands until frames without one have passed for 2 s.
	if t.toldUS > 0 && t.toldUS >= t.lastUS-2_000_000 {
		out.FreeBytes, out.Measured = Some(t.free), true
	}
	return out
}
