package trace

import (
	"time"

	"dev.local/linktop/model"
)

// stamp is the time of a line on the device's clocks.
type stamp struct{ bootUS, wallUS model.Opt }

// clock follows the device's time since boot, which ESP-IDF logs as a 32-bit
// count of milliseconds.
type clock struct {
	known  bool
	lastMS int64 // as printed
	baseMS int64 // what wraps have added
}

const (
	counterMS = 1 << 32 // where esp_log_timestamp starts again: 49.7 days
	// epochMS is where a number in a header is no time since boot: 13 digits.
	epochMS = 1_000_000_000_000
)

// ms is the time since boot of a printed count. Lines of two tasks may be out
// of order by a little; only a fall by half the range is a wrap.
func (c *clock) ms(v int64) int64 {
	if v >= counterMS {
		return v
	}
	if c.known && c.lastMS-v > counterMS/2 {
		c.baseMS += counterMS
	} else if c.known && v-c.lastMS > counterMS/2 && c.baseMS > 0 {
		return c.baseMS - counterMS + v // a line from before the wrap, late
	}
	c.known, c.lastMS = true, v
	return c.baseMS + v
}

// stamp works out the time of the line at hand.
func (d *Decoder) stamp(h *head) {
	switch h.time {
	case timeMS:
		if h.value >= epochMS {
			d.at = stamp{wallUS: model.Some(h.value * 1000)}
			return
		}
		d.at = stamp{bootUS: model.Some(d.clock.ms(h.value) * 1000)}
	case timeOfDay:
		d.at = stamp{bootUS: model.Some(h.value * 1000)}
	case timeDate:
		d.at = stamp{wallUS: model.Some(h.value * 1000)}
	default:
		d.at = stamp{}
	}
}

// timeKind is what the number in a log header counts.
type timeKind uint8

const (
	timeNone  timeKind = iota
	timeMS             // ms since boot, or since the Unix epoch from 13 digits on
	timeOfDay          // ms of the system time, which starts at boot
	timeDate           // ms since the Unix epoch, from a date (taken as UTC)
)

// parseTime reads what stands between the brackets of a log header, from b[0]
// on: `90000`, `00:01:30.000`, `26-11-30 10:16:35.571`. n is its length, 0 when
// there is none.
func parseTime(b []byte) (kind timeKind, value int64, n int) {
	v, i := int64(0), 0
	for i < len(b) && b[i]-'0' <= 9 {
		v = v*10 + int64(b[i]-'0')
		if i++; i > 15 {
			return timeNone, 0, 0
		}
	}
	switch {
	case i == 0 || i == len(b):
		return timeNone, 0, 0
	case b[i] == ')':
		return timeMS, v, i
	case b[i] == ':':
		if ms, n := timeText(b); n > 0 {
			return timeOfDay, ms, n
		}
	case b[i] == '-' && i == 2 && len(b) > 9 && b[5] == '-' && b[8] == ' ' && digits(b[3:5]) && digits(b[6:8]):
		ms, n := timeText(b[9:])
		if n == 0 {
			break
		}
		day := time.Date(2000+int(v), time.Month(pair(b[3:])), int(pair(b[6:])), 0, 0, 0, 0, time.UTC)
		return timeDate, day.UnixMilli() + ms, 9 + n
	}
	return timeNone, 0, 0
}

// timeText reads `00:01:30.000`.
func timeText(b []byte) (ms int64, n int) {
	if len(b) < 12 || b[2] != ':' || b[5] != ':' || b[8] != '.' ||
		!digits(b[:2]) || !digits(b[3:5]) || !digits(b[6:8]) || !digits(b[9:12]) {
		return 0, 0
	}
	return ((pair(b)*60+pair(b[3:]))*60+pair(b[6:]))*1000 + pair(b[9:])*10 + int64(b[11]-'0'), 12
}

func pair(b []byte) int64 { return int64(b[0]-'0')*10 + int64(b[1]-'0') }

func digits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}
