package model

import "strconv"

// The keys of `lt set`, as the device spells them.
const (
	KeyFrame  = "frame"
	KeyBurst  = "burst"
	KeyIdle   = "idle"
	KeyPace   = "pace"
	KeyAgg    = "agg"
	KeyCodec  = "codec"
	KeySndBuf = "sndbuf"
)

// Ranges of the settings (device protocol, section 2).
const (
	MinFrameBytes, MaxFrameBytes   = 256, 16384 // even
	MaxBurstFrames                 = 64         // 0 = off
	MaxIdleMS                      = 10000
	MaxPaceMS                      = 5000
	MinSndBufBytes, MaxSndBufBytes = 5760, 11520
)

// Settings are what the device sends by. Unknown until it said so.
type Settings struct {
	Rev         Opt    `json:"rev,omitzero"` // the device's count of changes
	FrameBytes  Opt    `json:"frame_bytes,omitzero"`
	BurstFrames Opt    `json:"burst_frames,omitzero"` // 0 = no bursts
	IdleMS      Opt    `json:"idle_ms,omitzero"`      // pause after a burst
	PaceMS      Opt    `json:"pace_ms,omitzero"`      // pause after each frame
	Agg         string `json:"agg,omitempty"`         // "off", or "wait=200,max=frame"
	Codec       string `json:"codec,omitempty"`
	SndBufBytes Opt    `json:"sndbuf_bytes,omitzero"`
}

func (*Settings) Kind() string { return "settings" }
func (s *Settings) clone() Body {
	c := *s
	return &c
}

// Condition is the settings without their revision: two stretches of frames may
// be pooled only when it is equal.
func (s Settings) Condition() Settings {
	s.Rev = 0
	return s
}

// Known tells whether the device has said anything of its settings.
func (s Settings) Known() bool { return s.Condition() != (Settings{}) }

// Title names the condition in a few words: "4096 B continuous",
// "burst 4 / idle 1000", "pacing 300".
func (s Settings) Title() string {
	if !s.Known() {
		return "settings unknown"
	}
	name := s.FrameBytes.String() + " B"
	switch {
	case s.BurstFrames.Value() > 0:
		name += " burst " + s.BurstFrames.String() + " / idle " + s.IdleMS.String()
	case s.PaceMS.Value() == 0:
		name += " continuous"
	}
	if s.PaceMS.Value() > 0 {
		name += " pacing " + strconv.FormatInt(s.PaceMS.Value(), 10)
	}
	if s.Codec != "" && s.Codec != "pcm16" {
		name += " " + s.Codec
	}
	if s.Agg != "" && s.Agg != "off" {
		name += " aggregated"
	}
	return name
}
