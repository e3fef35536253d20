package virtual

import (
	"crypto/tls"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options say what device to build. The zero value is a device on a path of
// 285 ms that does not keep up at 4096-byte frames, because of its send buffer.
type Options struct {
	// Drain is what the path carries, in payload bytes per second; 0 = not limited.
	Drain int64
	// RTT is the path's round trip; 0 = DefaultRTT. One direction takes half.
	RTT time.Duration
	// Rate is what the producer makes, in bytes per second of 16-bit PCM;
	// 0 = DefaultRate.
	Rate int64
	// Seed makes jitter, masks and readings repeatable.
	Seed uint64
	// Name is the device's name in session_start; "" = "pixel-s3".
	Name string
	// Baud is the console's speed: it carries Baud ÷ 10 bytes per second, and
	// lines that find its 64 KiB ring full are lost whole. 0 = DefaultBaud,
	// negative = not limited (a USB console).
	Baud int
	// Trace is how writes are traced after a boot: "compact" (also ""), "full",
	// "short" or "off".
	Trace string
	// FreeCPU leaves out the time an ESP32-S3 takes to encrypt and copy a write
	// (2 ms + 1.9 ms/KiB), and to mask it.
	FreeCPU bool
	// URL is the server to stream to, as `lt url` tells it; "" = none until told.
	URL string
	// TLS is used for wss:// URLs; nil = the system's roots.
	TLS *tls.Config
	// Dial opens the connection below TLS and WebSocket; nil = plain TCP behind
	// a model of the send buffer and the path (Path).
	Dial Dialer
}

const (
	// DefaultRTT is that of the reports' path through Cloudflare.
	DefaultRTT = 285 * time.Millisecond
	// DefaultRate is the rate at which the real device's I2S delivers: 219 kbit/s
	// measured, not the nominal 32000 B/s.
	DefaultRate = 27400
	// DefaultBaud carries the full trace form at any frame size.
	DefaultBaud = 921600
)

func (o Options) withDefaults() Options {
	if o.RTT == 0 {
		o.RTT = DefaultRTT
	}
	if o.Rate == 0 {
		o.Rate = DefaultRate
	}
	if o.Name == "" {
		o.Name = "pixel-s3"
	}
	if o.Baud == 0 {
		o.Baud = DefaultBaud
	}
	if o.Trace == "" {
		o.Trace = traceCompact
	}
	if o.Dial == nil {
		o.Dial = Path{Drain: o.Drain, RTT: o.RTT, Seed: o.Seed}.Dial
	}
	return o
}

// optionKeys in the order in which errors list them.
var optionKeys = []string{"drain", "rtt", "rate", "seed", "name", "baud", "trace", "cpu", "verify"}

// ParseOptions reads what stands after "sim:" — "drain=13KB,rtt=280ms" — or the
// whole word, "sim" or "sim:…". KB is 1000 bytes.
//
//	drain=13KB    what the path carries, bytes/s; 0 = not limited
//	rtt=280ms     the path's round trip
//	rate=27400    what the producer makes, bytes/s
//	seed=1        of everything random
//	name=bench-3  the device's name
//	baud=115200   the console's speed; 0 = not limited
//	trace=full    off, compact, full or short
//	cpu=free      no time for encryption and copies
//	verify=off    any certificate will do for wss://
func ParseOptions(spec string) (Options, error) {
	var o Options
	spec = strings.TrimSpace(spec)
	if rest, ok := strings.CutPrefix(spec, "sim"); ok && (rest == "" || rest[0] == ':') {
		spec = strings.TrimPrefix(rest, ":")
	}
	if spec == "" {
		return o, nil
	}
	for word := range strings.SplitSeq(spec, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(word), "=")
		if !slices.Contains(optionKeys, key) {
			return Options{}, fmt.Errorf("virtual device: unknown option %q; options are %s (as in sim:drain=13KB,rtt=280ms)",
				key, strings.Join(optionKeys, ", "))
		}
		if !ok || value == "" {
			return Options{}, fmt.Errorf("virtual device: option %q needs a value, as in %s", key, optionExample[key])
		}
		if err := o.parse(key, value); err != nil {
			return Options{}, fmt.Errorf("virtual device: %s=%s: %w, as in %s", key, value, err, optionExample[key])
		}
	}
	return o, nil
}

var optionExample = map[string]string{
	"drain": "drain=13KB", "rtt": "rtt=280ms", "rate": "rate=27400", "seed": "seed=1", "name": "name=bench-3",
	"baud": "baud=115200", "trace": "trace=full", "cpu": "cpu=free", "verify": "verify=off",
}

func (o *Options) parse(key, value string) (err error) {
	switch key {
	case "drain":
		o.Drain, err = parseBytes(value, 0, 1e9)
	case "rate":
		o.Rate, err = parseBytes(value, 1000, 1e7)
	case "rtt":
		o.RTT, err = time.ParseDuration(value)
		if err != nil || o.RTT <= 0 || o.RTT > 10*time.Second {
			err = fmt.Errorf("want a time up to 10s")
		}
	case "seed":
		o.Seed, err = strconv.ParseUint(value, 10, 64)
		if err != nil {
			err = fmt.Errorf("want a whole number")
		}
	case "name":
		o.Name = value
		if !plainWord(value, 32) {
			err = fmt.Errorf("want up to 32 letters, digits, dots or dashes")
		}
	case "baud":
		o.Baud, err = strconv.Atoi(value)
		if err != nil || o.Baud != 0 && (o.Baud < 1200 || o.Baud > 12_000_000) {
			err = fmt.Errorf("want 1200 to 12000000, or 0 for no limit")
		}
		if o.Baud == 0 {
			o.Baud = -1
		}
	case "trace":
		o.Trace = value
		if !slices.Contains(traceForms, value) {
			err = fmt.Errorf("want one of %s", strings.Join(traceForms, ", "))
		}
	case "cpu":
		o.FreeCPU = value == "free"
		if value != "free" && value != "s3" {
			err = fmt.Errorf("want s3 or free")
		}
	case "verify":
		switch value {
		case "off":
			o.TLS = &tls.Config{InsecureSkipVerify: true}
		case "on":
			o.TLS = nil
		default:
			err = fmt.Errorf("want on or off")
		}
	}
	return err
}

// parseBytes reads a number of bytes with an optional unit, KB = 1000.
func parseBytes(value string, low, high int64) (int64, error) {
	digits, factor := value, 1.0
	for _, unit := range []struct {
		suffix string
		factor float64
	}{{"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3}, {"B", 1}} {
		if rest, ok := strings.CutSuffix(value, unit.suffix); ok {
			digits, factor = rest, unit.factor
			break
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	// The negated comparison refuses NaN as well.
	if err != nil || !(n*factor >= float64(low) && n*factor <= float64(high)) {
		return 0, fmt.Errorf("want %d to %d bytes/s, also written with KB (1000) or MB", low, high)
	}
	return int64(n * factor), nil
}

// plainWord tells whether s can stand as one value in a line of words.
func plainWord(s string, longest int) bool {
	if s == "" || len(s) > longest {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}

// OptionsHelp explains the words of ParseOptions, a line each.
const OptionsHelp = `  drain=13KB    what the path carries, bytes/s; 0, the default, is no limit
  rtt=285ms     the path's round trip
  rate=27400    what the device makes, bytes/s
  name=bench-3  the device's name
  trace=full    trace lines: compact (default), full, short or off
  baud=115200   the serial line's speed; 0 is no limit
  cpu=free      no time for encryption and copies
  verify=off    any certificate will do for wss://
  seed=1        of everything random`
