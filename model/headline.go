package model

import (
	"fmt"
	"strconv"
)

// passBacklogMS is the highest backlog of a device that keeps up.
const passBacklogMS = 200

// silentUS is how long an open port may say nothing before that is news.
const silentUS = 3_000_000

// headline answers in plain words: is the device there, does it keep up, and
// if not, where does the time go?
func headline(s *Snapshot) Headline {
	if h, ok := absent(s); ok {
		return h
	}
	switch keeps, known := s.keepsUp(); {
	case !known:
		return unmeasured(s)
	case keeps:
		return keepsUp(s)
	}
	return degraded(s)
}

// both makes long and short words the same.
func both(b Badge, w Words) Headline { return Headline{Badge: b, Long: w, Short: w} }

// absent is the headline while there is nothing to measure.
func absent(s *Snapshot) (Headline, bool) {
	connected := s.Peer.State == "open"
	newest := newestFrameUS(s)
	readable := s.Port.State != "lost" && s.Port.State != "failed"
	streaming := readable && newest > 0 && s.NowUS-newest < 5_000_000
	switch {
	case connected || streaming:
		return Headline{}, false
	case s.Port.State == "failed" && s.Port.Reason == "busy":
		return both(PortBusy, Words{
			What: "Another program holds " + s.Port.Name + ", so linktop cannot read the device.",
			Sum:  s.Port.Error, Do: "linktop looks again every second and starts by itself.",
		}), true
	case s.Port.State == "failed" && s.Port.Reason == "forbidden":
		return both(NoDevice, Words{What: "You may not open " + s.Port.Name + ".", Sum: s.Port.Error}), true
	case s.Port.State == "failed":
		what := "There is no device on " + s.Port.Name + "."
		if s.Port.Name == "auto" {
			what = "No board that linktop knows is plugged in, or more than one is."
		}
		return both(NoDevice, Words{
			What: what, Sum: s.Port.Error,
			Do: "linktop looks again every second and starts by itself.",
		}), true
	case s.Port.State == "lost":
		return both(NoDevice, Words{
			What: "The device on " + s.Port.Name + " is gone.", Sum: s.Port.Error,
			Do: "Plug it in again: linktop takes it back by its USB identity.",
		}), true
	case s.Server.State == "failed" && newest == 0:
		return both(NoServer, Words{What: "The metrics server could not start.", Sum: s.Server.Error}), true
	case s.Peer.FailedUpgrades > 0:
		return both(Fail, Words{
			What: "The device cannot open its WebSocket: " + plural(s.Peer.FailedUpgrades, "failed try") + " so far.",
			Sum:  "The upgrade got no answer: a wrong URL or token, a firewall, or a proxy without WebSockets.",
			Do:   "Check the URL it has, and what stands between it and the server.",
		}), true
	case s.Peer.State == "closed":
		return both(Fail, Words{
			What: "The device is no longer connected to the server.", Sum: orElse(s.Peer.Reason, "It gave no reason."),
			Do: "It connects again by itself, if its firmware does so.",
		}), true
	case s.Port.State != "" && s.Serial.Bytes == 0 && s.NowUS-s.StartUS > silentUS:
		return both(Silent, Words{
			What: s.Port.Name + " is open, but the device says nothing.",
			Sum:  "Held in reset, a wrong baud rate (" + s.Port.Baud.String() + "), or a firmware that prints nothing.",
			Do:   "R resets the device; --baud sets the rate.",
		}), true
	case s.Port.State != "" && s.Device.Hello != HelloUnknown && s.Device.Hello != HelloAsked:
		return idle(s), true
	case s.Port.State == "" && s.Server.State == "listening":
		return both(Running, Words{
			What: "No device has connected yet.",
			Sum:  "The server is ready at " + s.Server.URL + ".",
		}), true
	}
	return Headline{}, false
}

// idle is the headline of a device that is there and streams nowhere.
func idle(s *Snapshot) Headline {
	w := Words{What: "The device is there, but no audio comes from it yet."}
	if s.Server.State == "listening" {
		w.Sum = "The server for it is ready at " + s.Server.URL + "."
	}
	switch {
	case s.Device.Hello == HelloNo:
		w.Do = "The firmware does not answer hello: it is read-only, point it at that address yourself."
	case s.Device.Has("url"):
		w.Do = "u points it there."
	}
	return both(Running, w)
}

func newestFrameUS(s *Snapshot) int64 {
	if len(s.Frames) == 0 {
		return 0
	}
	return s.Frames[len(s.Frames)-1].HostUS
}

// unmeasured is the headline while the share sent is not known.
func unmeasured(s *Snapshot) Headline {
	w := Words{What: "Too early to tell: " + plural(int64(s.Setting.N), "frame") + " under these settings so far."}
	if s.Setting.N >= minFrames && s.Peer.State == "open" {
		w.What = "Too early to tell: the device's reports of the first seconds are awaited."
	} else if s.Setting.N >= minFrames {
		w.What = "The device sends; what it makes is not reported here."
		if s.Rate.Sends.Known() {
			w.What = "The device sends " + kb(s.Rate.Sends) + "; what it makes is not reported here."
		}
		w.Do = "Let it connect to linktop's server to compare."
		if s.Device.Has("url") {
			w.Do = "u points it at linktop's server, to compare."
		}
	}
	if s.Setting.N > 0 {
		w.Sum = framesTake(s)
	}
	return both(Running, w)
}

func framesTake(s *Snapshot) string {
	t := s.Setting.Parts[PartTotal]
	return fmt.Sprintf("Frames take %s ms (P95 %s, n %d).", ms(t.P50), ms(t.P95), t.N)
}

func keepsUp(s *Snapshot) Headline {
	if late := s.Ring.BacklogMS.Value(); late > passBacklogMS {
		return both(Degraded, Words{
			What: fmt.Sprintf("The device sends all it makes, but %s s of audio wait in its ring.", seconds(late)),
			Sum:  framesTake(s),
		})
	}
	what := "The device sends all it makes, " + kb(s.Rate.Makes) + "; nothing is dropped."
	w := Words{What: what, Sum: framesTake(s)}
	for _, j := range s.Why {
		if j.ID == "uart_limited" && j.Verdict == Yes {
			w.Sum += " The serial line is full: what is shown here comes late."
			return both(KeepsUp, w)
		}
	}
	short := w
	if s.Rate.BufferAllows.Known() && s.Rate.Makes.Value() > 0 {
		w.Sum += fmt.Sprintf(" At RTT %s ms the send buffer allows %s.", ms(s.Path.RTTUS), kb(s.Rate.BufferAllows))
	}
	return Headline{KeepsUp, w, short}
}

// degraded names the first cause that the numbers support.
func degraded(s *Snapshot) Headline {
	percent := strconv.Itoa(int(s.Rate.SentOfProduced.Value()*100 + 0.5))
	long := Words{What: "The device sends " + percent + " % of what it makes: "}
	short := Words{What: "The device sends " + percent + " %: "}
	say := func(reason, brief string) {
		long.What += reason + "."
		short.What += brief + "."
	}
	switch causeOf(s) {
	case "buffer_limited":
		say("its send buffer is too small for this round trip", "its send buffer is too small for this RTT")
		bufferWords(s, &long, &short)
	case "setting_limited":
		say("the pauses that were set hold it back", "the pauses that were set hold it back")
		settingWords(s, &long, &short)
	case "path_backpressure":
		say("the path takes it too slowly", "the path takes it too slowly")
		pathWords(s, &long, &short)
	case "server_slow":
		say("the server does not keep up", "the server does not keep up")
		long.Sum = fmt.Sprintf("The server got %s of what was sent:", share(s.Rate.ReceivedOfSent))
		short.Sum, long.Limit, short.Limit = long.Sum, "server-limited", "server-limited"
	case "path_loss":
		say("lost segments hold it up", "lost segments hold it up")
		long.Sum = fmt.Sprintf("%s segments were sent again; the longest frame took %s ms:", s.Path.Retrans, ms(s.Setting.Parts[PartTotal].Max))
		short.Sum, long.Limit, short.Limit = long.Sum, "loss-limited", "loss-limited"
	case "uart_limited":
		say("its serial line is full", "its serial line is full")
		long.Sum = fmt.Sprintf("The trace takes %s of %d bytes/s:", s.Serial.PerSecond, s.Serial.Baud.Value()/10)
		short.Sum, long.Limit, short.Limit = long.Sum, "serial-limited", "serial-limited"
		long.Do = "Use a higher baud rate, or trace compact."
		short.Do = long.Do
	default:
		say("why is open", "why is open")
		long.Sum = framesTake(s)
		if s.Setting.N < minFrames {
			long.Sum = fmt.Sprintf("%d of the %d frames a verdict needs.", s.Setting.N, minFrames)
		}
		short.Sum = long.Sum
	}
	return Headline{Degraded, long, short}
}

// causeOf is the first supported hypothesis, else the first partly supported
// one that names a limit.
func causeOf(s *Snapshot) string {
	limits := map[string]bool{
		"buffer_limited": true, "setting_limited": true, "path_backpressure": true, "server_slow": true,
		"path_loss": true, "uart_limited": true,
	}
	for _, want := range []Verdict{Yes, Partly} {
		for _, j := range s.Why {
			if j.Verdict == want && limits[j.ID] {
				return j.ID
			}
		}
	}
	return ""
}
