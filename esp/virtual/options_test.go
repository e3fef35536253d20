package virtual

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseOptions(t *testing.T) {
	for spec, want := range map[string]Options{
		"":                              {},
		"sim":                           {},
		"sim:":                          {},
		"drain=13KB,rtt=280ms":          {Drain: 13000, RTT: 280 * time.Millisecond},
		"sim:drain=13KB,rtt=280ms":      {Drain: 13000, RTT: 280 * time.Millisecond},
		"drain=1.5MB, rate=32000":       {Drain: 1_500_000, Rate: 32000},
		"drain=0":                       {},
		"seed=7,name=bench-3,baud=9600": {Seed: 7, Name: "bench-3", Baud: 9600},
		"baud=0,trace=full,cpu=free":    {Baud: -1, Trace: "full", FreeCPU: true},
		"name=simone":                   {Name: "simone"},
	} {
		got, err := ParseOptions(spec)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", spec, got, err, want)
		}
	}
	if o, err := ParseOptions("verify=off"); err != nil || o.TLS == nil || !o.TLS.InsecureSkipVerify {
		t.Errorf("verify=off: %+v, %v", o, err)
	}
}

func TestParseOptionsErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"drian=13KB":      `unknown option "drian"; options are drain, rtt, rate, seed, name, baud, trace, cpu, verify`,
		"simulator":       `unknown option "simulator"`,
		"drain":           `option "drain" needs a value, as in drain=13KB`,
		"rtt=":            `option "rtt" needs a value, as in rtt=280ms`,
		"drain=fast":      "drain=fast: want 0 to 1000000000 bytes/s",
		"drain=-1":        "drain=-1: want 0",
		"drain=NaN":       "drain=NaN: want 0",
		"rtt=280":         "rtt=280: want a time up to 10s, as in rtt=280ms",
		"rtt=1h":          "want a time up to 10s",
		"seed=x":          "seed=x: want a whole number",
		"name=a b":        "name=a b: want up to 32",
		"baud=7":          "baud=7: want 1200 to 12000000",
		"trace=loud":      "trace=loud: want one of off, compact, full, short",
		"cpu=fast":        "cpu=fast: want s3 or free",
		"verify=maybe":    "verify=maybe: want on or off",
		"rtt=5ms,,seed=1": `unknown option ""`,
	} {
		if _, err := ParseOptions(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", spec, err, want)
		}
	}
}
