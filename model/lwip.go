package model

// Constants of the device under test and its lwIP.
const (
	// PCMBytesPerMS is 16 kHz × 16 bit × mono.
	PCMBytesPerMS = 32
	// RingBytes is the firmware's ring buffer.
	RingBytes = 64 << 10
	// MSS is CONFIG_LWIP_TCP_MSS of ESP-IDF v5.
	MSS = 1440
	// SndBuf is CONFIG_LWIP_TCP_SND_BUF_DEFAULT of ESP-IDF v5.3 and later.
	SndBuf = 5760
)

// LowWater is lwIP's TCP_SNDLOWAT for a send buffer: poll reports writable only
// while more bytes are free. min(max(snd_buf/2, 2·MSS+1), snd_buf−1), opt.h.
func LowWater(sndBuf int64) int64 { return min(max(sndBuf/2, 2*MSS+1), sndBuf-1) }
