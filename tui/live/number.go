package live

import (
	"strconv"

	"dev.local/linktop/model"
)

const unknown = "–"

// ms is a time in ms: whole, but one decimal below 10 ms where the clock gave
// more than whole ms; seconds from 100 s on.
func ms(us model.Opt) string {
	if !us.Known() {
		return unknown
	}
	v := us.Value()
	switch {
	case v%1000 != 0 && v > -9950 && v < 9950:
		return tenths((v + 50) / 100)
	case v >= 99_999_500:
		return strconv.FormatInt((v+500_000)/1_000_000, 10) + "s"
	}
	return strconv.FormatInt((v+500)/1000, 10)
}

// frameMS is a time of the frames' columns: on a scale beyond a LAN's, tenths
// of a ms would only be noise beside the bars.
func (p *page) frameMS(us model.Opt) string {
	if us.Known() && p.v.ScaleUS > minScaleUS {
		us = model.Some((us.Value() + 500) / 1000 * 1000)
	}
	return ms(us)
}

// tenths writes v ÷ 10 with one decimal.
func tenths(v int64) string {
	b := strconv.AppendInt(make([]byte, 0, 12), v/10, 10)
	return string(append(b, '.', byte('0'+abs(v%10))))
}

func abs(v int64) int64 { return max(v, -v) }

// kb is bytes as KB of 1000, with one decimal below 1000 KB.
func kb(bytes model.Opt) string {
	switch v := bytes.Value(); {
	case !bytes.Known():
		return unknown
	case v >= 999_950:
		return strconv.FormatInt((v+500)/1000, 10)
	default:
		return tenths((v + 50) / 100)
	}
}

// wholeKB is bytes as KB of 1000, whole from 10 KB on.
func wholeKB(bytes model.Opt) string {
	switch v := bytes.Value(); {
	case !bytes.Known():
		return unknown
	case v == 0:
		return "0"
	case v < 9950:
		return tenths((v + 50) / 100)
	default:
		return grouped((v + 500) / 1000)
	}
}

// percent is a share in whole percent, with one decimal from 99.0 to 99.9: what
// is not all is never called 100.
func percent(num, den int64) string {
	if den <= 0 {
		return unknown
	}
	if v := float64(num) * 100 / float64(den); v >= 99 && v < 100 {
		return tenths(min(int64(v*10+0.5), 999))
	} else {
		return strconv.FormatInt(int64(v+0.5), 10)
	}
}

// grouped is a count: plain to five digits, then in groups of three.
func grouped(v int64) string {
	s := strconv.FormatInt(v, 10)
	if abs(v) < 100_000 {
		return s
	}
	var out []byte
	for i := range len(s) {
		if i > 0 && s[i-1] != '-' && (len(s)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, s[i])
	}
	return string(out)
}

// clock is a length of time as mm:ss, or h:mm:ss.
func clock(us int64) string {
	s := max(us, 0) / 1_000_000
	b := make([]byte, 0, 10)
	if s >= 3600 {
		b = strconv.AppendInt(b, s/3600, 10)
		b = append(b, ':')
		s %= 3600
	}
	b = append(b, byte('0'+s/600), byte('0'+s/60%10), ':', byte('0'+s%60/10), byte('0'+s%10))
	return string(b)
}

// seconds is ms as seconds with one decimal, whole from 100 s on.
func seconds(ms int64) string {
	if ms >= 99_950 {
		return strconv.FormatInt((ms+500)/1000, 10)
	}
	return tenths((ms + 50) / 100)
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

// count is a number and what it counts.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}
