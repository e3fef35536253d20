package port

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAuto(t *testing.T) {
	jtag := Info{Name: "COM4", VID: "303a", PID: "1001"}.describe()
	bridge := Info{Name: "COM6", VID: "1a86", PID: "55d3"}.describe()
	builtIn := Info{Name: "COM1"}
	mouse := Info{Name: "COM3", VID: "046D", PID: "C077", Product: "Serial mouse"}
	for name, c := range map[string]struct {
		ports  []Info
		want   string
		reason string
		says   []string
	}{
		"one board":                {ports: []Info{jtag}, want: "COM4"},
		"one board among others":   {ports: []Info{builtIn, bridge, mouse}, want: "COM6"},
		"two boards":               {ports: []Info{jtag, builtIn, bridge}, reason: "other", says: []string{"2 boards", "COM4 (ESP32 USB JTAG)", "COM6 (CH343 serial)", "--port COM4"}},
		"no board but other ports": {ports: []Info{builtIn, mouse}, reason: "missing", says: []string{"no known board", "COM1 (built-in)", "COM3 (Serial mouse)", "COM1 (built-in)"}},
		"nothing":                  {reason: "missing", says: []string{"no serial port", "plug the board in"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Auto(c.ports)
			if got.Name != c.want {
				t.Errorf("picked %q, want %q", got.Name, c.want)
			}
			if c.want != "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantError(t, err, c.reason, c.says...)
		})
	}
}

// wantError checks that err is an OpenError with a reason, and its text.
func wantError(t *testing.T, err error, reason string, says ...string) {
	t.Helper()
	var oe *OpenError
	if !errors.As(err, &oe) {
		t.Fatalf("got %v (%T), want an *OpenError", err, err)
	}
	if oe.Reason() != reason {
		t.Errorf("reason %q, want %q: %v", oe.Reason(), reason, err)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
}

func TestNamesAreShortened(t *testing.T) {
	ports := make([]Info, 9)
	for i := range ports {
		ports[i].Name = "COM" + string(rune('1'+i))
	}
	if got := names(ports); !strings.HasSuffix(got, "COM6 (built-in), 3 more") {
		t.Errorf("got %q", got)
	}
}

func TestOrder(t *testing.T) {
	var got []string
	for _, p := range arrange([]Info{
		{Name: "COM10"}, {Name: "COM9"}, {Name: "COM2", VID: "046D", PID: "C077"},
		{Name: "COM12", VID: "10c4", PID: "ea60"}, {Name: "COM7", VID: "303a", PID: "1001"},
	}) {
		got = append(got, p.Name)
	}
	if want := []string{"COM7", "COM12", "COM2", "COM9", "COM10"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want boards, then USB, then the rest: %v", got, want)
	}
}

func TestEveryKnownBoard(t *testing.T) {
	for id, board := range known {
		vid, pid, _ := strings.Cut(strings.ToLower(id), ":")
		i := Info{VID: vid, PID: pid}.describe()
		if i.Board != board || i.USB() != id {
			t.Errorf("%s is described as %q, %s", id, i.Board, i.USB())
		}
	}
}

func TestWriteTable(t *testing.T) {
	for name, c := range map[string]struct {
		ports []Info
		want  string
	}{
		"none": {want: "There is no serial port. Plug the device in; a cable that only charges shows none.\n"},
		"some": {
			ports: arrange([]Info{
				{Name: "COM6", VID: "1a86", PID: "55d3", Holder: "python.exe, process 8124"},
				{Name: "COM4", VID: "303a", PID: "1001", Serial: "7C:DF:A1:00:00:01"},
				{Name: "COM1"},
			}),
			want: "" +
				"PORT  ADAPTER         USB ID     SERIAL             STATE\n" +
				"COM4  ESP32 USB JTAG  303A:1001  7C:DF:A1:00:00:01  an ESP32\n" +
				"COM6  CH343 serial    1A86:55D3  –                  busy: python.exe, process 8124\n" +
				"COM1  built-in        –          –                  not a known board\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := WriteTable(&b, c.ports); err != nil {
				t.Fatal(err)
			}
			if b.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), c.want)
			}
		})
	}
}
