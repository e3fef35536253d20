package model

import (
	"fmt"
	"strconv"
	"strings"
)

func bufferWords(s *Snapshot, long, short *Words) {
	rtt, buf := ms(s.Path.RTTUS), s.Path.Tank.SndBufBytes
	allows, makes := s.Rate.BufferAllows, s.Rate.Makes
	long.Limit = "buffer-limited"
	if allows.Value() < makes.Value() {
		long.Sum = fmt.Sprintf("Send buffer %d B / RTT %s ms allows %s; the device makes %s:", buf, rtt, kb(allows), kb(makes))
		short.Sum = fmt.Sprintf("%d B / RTT %s ms allows %s; it makes %s.", buf, rtt, kb(allows), kb(makes))
	} else {
		// The ceiling alone would do; the low-water rule holds it lower.
		mean := s.Setting.PayloadBytes / max(1, int64(s.Setting.N))
		turns := max(mean, s.Rate.Sends.Value()*s.Path.RTTUS.Value()/1_000_000)
		long.Sum = fmt.Sprintf("Poll waits for %d free bytes: about %d B a round trip of %s ms; the device makes %s:",
			s.Path.Tank.LowWaterBytes, turns, rtt, kb(makes))
		short.Sum = fmt.Sprintf("Poll needs %d B free: %d B a RTT of %s ms; it makes %s.", s.Path.Tank.LowWaterBytes, turns, rtt, kb(makes))
	}
	if set := s.Settings; set.BurstFrames.Value() > 0 || set.PaceMS.Value() > 0 {
		// With pauses, what a larger buffer would do cannot be scaled from this.
		long.Do = "First turn the pauses off (" + pauseKeys(set) + "): they share in it."
		short.Do = long.Do
		return
	}
	if need := neededSndBuf(s); need > buf && need <= 65535 {
		long.Do = fmt.Sprintf("Most likely cure: TCP_SND_BUF %d (computed).", need)
		short.Do = fmt.Sprintf("TCP_SND_BUF %d would most likely keep up.", need)
	}
	long.More = codecWords(s)
	if long.More != "" {
		short.More = "Or codec adpcm (c)."
	}
}

func pathWords(s *Snapshot, long, short *Words) {
	long.Limit, short.Limit = "path-limited", "path-limited"
	long.Sum = fmt.Sprintf("Poll waits %s ms, more than the round trip of %s ms:", ms(s.Setting.Parts[PartPoll].P50), ms(s.Path.RTTUS))
	short.Sum = long.Sum
	if idle := s.Path.IdleRTTUS; idle.Known() && s.Path.RTTUS.Value() > idle.Value() {
		rise := fmt.Sprintf("RTT rises from %s to %s ms under load, a queue in the path", ms(idle), ms(s.Path.RTTUS))
		long.Sum = rise + "; sends " + kb(s.Rate.Sends) + ", makes " + kb(s.Rate.Makes) + ":"
		short.Sum = rise + ":"
	}
	long.Do = "Send less, or try another uplink: a larger send buffer would not suffice."
	short.Do = "Send less, or try another uplink."
	if codecWords(s) != "" {
		adpcm := "Codec adpcm (c) needs " + kb(Some(s.Rate.Makes.Value()/4))
		long.Do = adpcm + "; a larger send buffer would not suffice."
		short.Do = adpcm + "."
	}
}

// neededSndBuf scales the present buffer by what is missing: measured traces
// turn over the same share of a larger buffer each round trip (4096 B: 0.69 of
// 5760, 0.67 of 11520). It asks for what keeping up takes, in whole segments.
func neededSndBuf(s *Snapshot) int64 {
	sends, makes := s.Rate.Sends.Value(), s.Rate.Makes.Value()
	if sends <= 0 || makes <= 0 {
		return 0
	}
	need := s.Path.Tank.SndBufBytes * makes * keepsUpPercent / 100 / sends
	return (need + MSS - 1) / MSS * MSS
}

func codecWords(s *Snapshot) string {
	quarter := s.Rate.Makes.Value() / 4
	if s.Settings.Codec != "pcm16" || !s.Device.Has("codec") || quarter >= s.Rate.Sends.Value() {
		return ""
	}
	return "Without a rebuild: codec adpcm (c) needs " + kb(Some(quarter)) + "."
}

// pauseKeys are the keys of the pauses that are on.
func pauseKeys(set Settings) string {
	switch burst, pace := set.BurstFrames.Value() > 0, set.PaceMS.Value() > 0; {
	case burst && pace:
		return "b, p"
	case burst:
		return "b"
	default:
		return "p"
	}
}

func settingWords(s *Snapshot, long, short *Words) {
	set := s.Settings
	mean := s.Setting.PayloadBytes / max(1, int64(s.Setting.N))
	total := s.Setting.MeanTotalUS.Value() / 1000
	long.Limit, short.Limit = "pacing-limited", "pacing-limited"
	bytes, cycle := mean, total+set.PaceMS.Value()
	long.Do = "Turn pacing off (p)."
	if n := set.BurstFrames.Value(); n > 0 {
		bytes, cycle = n*mean, n*(total+set.PaceMS.Value())+set.IdleMS.Value()
		long.Limit, short.Limit = "burst-limited", "burst-limited"
		long.Do = "Turn burst/idle off (b)."
		if set.PaceMS.Value() > 0 {
			long.Do = "Turn burst/idle (b) and pacing (p) off."
		}
	}
	allows := Some(bytes * 1000 / max(1, cycle))
	if room := s.Rate.BufferAllows; room.Known() && room.Value() < s.Rate.Makes.Value() {
		long.More = "Then the send buffer limits it: " + kb(room) + " at most."
	}
	long.Sum = fmt.Sprintf("%d B every %d ms is about %s; the device makes %s:", bytes, cycle, kb(allows), kb(s.Rate.Makes))
	short.Sum, short.Do, short.More = long.Sum, long.Do, long.More
}

// plural counts things: "1 frame", "2 frames".
func plural(n int64, one string) string {
	s := strconv.FormatInt(n, 10) + " " + one
	switch {
	case n == 1:
	case strings.HasSuffix(s, "y"):
		s = strings.TrimSuffix(s, "y") + "ies"
	default:
		s += "s"
	}
	return s
}

// kb writes bytes per second as "13.9 KB/s", KB = 1000 B; whole from 100 on.
func kb(perSec Opt) string {
	if !perSec.Known() {
		return "–"
	}
	tenths := (perSec.Value() + 50) / 100
	if tenths >= 1000 {
		return strconv.FormatInt((tenths+5)/10, 10) + " KB/s"
	}
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " KB/s"
}

func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) }
