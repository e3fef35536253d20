package virtual

import (
	"context"
	"math"
	"time"

	"dev.local/linktop/model"
)

const (
	ringBytes = model.RingBytes
	// i2sPeriod is how often the I2S driver hands samples on.
	i2sPeriod = 20 * time.Millisecond
	// The microphone hears three seconds of a tone and one of silence.
	speechTime, silenceTime = 3 * time.Second, time.Second
)

// audio is the producer, its encoder and the ring buffer, with their counts
// since session_start: produced = sent + dropped + what is in the ring, in
// bytes as encoded.
type audio struct {
	rate int64 // of 16-bit PCM, bytes per second
	ring *ring
	enc  encoder

	produced, sent, frames int64
	dropped, drops         int64
	highest                int // ring fill since the last report
	flush                  int // bytes of the ring that end with an end of speech

	samples int64 // made since start
	pcm     []int16
	coded   []byte
}

func newAudio(rate int64) audio { return audio{rate: rate, ring: newRing(ringBytes)} }

// restart empties the ring and the counts.
func (a *audio) restart() {
	a.ring.reset()
	a.produced, a.sent, a.frames, a.dropped, a.drops, a.highest, a.flush = 0, 0, 0, 0, 0, 0, 0
	a.enc = encoder{}
}

// produce makes n samples (an even number); dropped is how many bytes found
// the ring full.
func (a *audio) produce(n int, codec string) (dropped int) {
	a.pcm = a.pcm[:0]
	spoke := a.speaking()
	for range n {
		v := int16(0)
		if spoke {
			v = tone[a.samples%int64(len(tone))]
		}
		a.pcm = append(a.pcm, v)
		a.samples++
	}
	a.coded = a.enc.encode(a.coded[:0], codec, a.pcm)
	a.produced += int64(len(a.coded))
	if !a.ring.push(a.coded) {
		dropped = len(a.coded)
		a.dropped += int64(dropped)
		a.drops++
	}
	a.highest = max(a.highest, a.ring.len())
	if spoke && !a.speaking() {
		a.flush = a.ring.len()
	}
	return dropped
}

func (a *audio) speaking() bool {
	at := time.Duration(a.samples) * time.Second / time.Duration(max(1, a.rate/2))
	return at%(speechTime+silenceTime) < speechTime
}

// tone is 440 Hz at 16 kHz: eleven periods are exactly 400 samples.
var tone = func() (t [400]int16) {
	for i := range t {
		t[i] = int16(8000 * math.Sin(2*math.Pi*11*float64(i)/float64(len(t))))
	}
	return t
}()

// codedRate is what the producer makes in the codec, in bytes per second.
func (a *audio) codedRate(codec string) int64 {
	switch codec {
	case codecPCM8k:
		return a.rate / 2
	case codecADPCM:
		return a.rate / 4
	}
	return a.rate
}

// backlogMS is how much audio a fill of the ring is, in linktop's terms: at the
// nominal 32 bytes a millisecond, so that 2048 ms is always a full ring.
func backlogMS(bytes int) int64 { return int64(bytes) / model.PCMBytesPerMS }

// ready is how many bytes make the next frame, 0 when it has to wait: for the
// producer, or for so long when wait is not 0.
func (a *audio) ready(s *settings) (n int, wait time.Duration) {
	have := a.ring.len()
	if have >= int(s.frame) {
		return int(s.frame), 0
	}
	if s.agg.wait == 0 || have < 2 || s.agg.backlog > 0 && backlogMS(have) > s.agg.backlog {
		return 0, 0
	}
	if s.agg.vad && a.flush > 0 {
		return min(a.flush, have), 0
	}
	// The producer's rate is constant: the fill tells the oldest byte's age.
	age := time.Duration(int64(have) * int64(time.Second) / max(1, a.codedRate(s.codec)))
	if left := time.Duration(s.agg.wait)*time.Millisecond - age; left > 0 {
		return 0, left
	}
	return have &^ 1, 0
}

// took counts a frame that was sent whole and takes it out of the ring.
func (a *audio) took(n int) {
	a.ring.drop(n)
	a.flush = max(0, a.flush-n)
	a.sent += int64(n)
	a.frames++
}

// audioTask is the producer: it runs while a session does.
func (f *firmware) audioTask(ctx context.Context) {
	ticker := time.NewTicker(i2sPeriod)
	defer ticker.Stop()
	var made, lost int64 // samples of this stretch; bytes not yet told of
	var from, told time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now()
		f.mu.Lock()
		if f.wsState != "up" || !f.stream.on || f.stream.fresh {
			f.mu.Unlock()
			from, made = now, 0
			continue
		}
		if from.IsZero() {
			from = now
		}
		// Whatever the timer's lateness, the rate holds; a host that slept is
		// not made up for.
		due := int64(now.Sub(from)) * (f.opts.Rate / 2) / int64(time.Second)
		n := (due - made) &^ 1
		made += n
		if n > f.opts.Rate/4 {
			n = f.opts.Rate / 4 &^ 1
		}
		lost += int64(f.audio.produce(int(n), f.settings.codec))
		full, drops := f.audio.ring.len()*100/ringBytes, f.audio.drops
		wake := f.audio.ring.len() >= int(f.settings.frame) || f.audio.flush > 0 || f.settings.agg.wait > 0
		f.mu.Unlock()
		if wake {
			signal(f.wake)
		}
		if now.Sub(told) >= time.Second && (lost > 0 || full >= 90) {
			if told = now; lost > 0 {
				f.log('W', "audio", "ring full, dropped %d bytes (%d times since start)", lost, drops)
			} else {
				f.log('W', "audio", "ring %d %% full", full)
			}
			lost = 0
		}
	}
}
