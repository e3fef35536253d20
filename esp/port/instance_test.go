package port

import "testing"

func TestParseInstance(t *testing.T) {
	for name, c := range map[string]struct {
		instance string
		want     Info
		part     string
	}{
		"device with a serial number":  {`USB\VID_1A86&PID_55D3\5A4B012345`, Info{VID: "1a86", PID: "55d3", Serial: "5A4B012345"}, ""},
		"device named by Windows":      {`USB\VID_1A86&PID_7523\5&1B2C3D4E&0&2`, Info{VID: "1a86", PID: "7523"}, ""},
		"one function of several":      {`USB\VID_303A&PID_1001&MI_00\6&2A3B4C5D&0&0000`, Info{VID: "303a", PID: "1001"}, `6&2A3B4C5D&0&0000`},
		"FTDI's own bus":               {`FTDIBUS\VID_0403+PID_6001+A50285BIA\0000`, Info{VID: "0403", PID: "6001", Serial: "A50285BIA"}, ""},
		"FTDI without a serial number": {`FTDIBUS\VID_0403+PID_6010\0000`, Info{VID: "0403", PID: "6010"}, ""},
		"built-in":                     {`ACPI\PNP0501\1`, Info{}, ""},
		"Bluetooth":                    {`BTHENUM\{00001101-0000-1000-8000-00805F9B34FB}_LOCALMFG&0000\7&1&0&000000000000_00000000`, Info{}, ""},
		"a vendor without a product":   {`USB\VID_303A\1`, Info{}, ""},
		"nothing":                      {``, Info{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, part := parseInstance(c.instance)
			if got != c.want || part != c.part {
				t.Errorf("got %+v, %q; want %+v, %q", got, part, c.want, c.part)
			}
		})
	}
}

func TestProductName(t *testing.T) {
	for friendly, want := range map[string]string{
		"USB Serial Device (COM6)":                       "USB Serial Device",
		"Silicon Labs CP210x USB to UART Bridge (COM12)": "Silicon Labs CP210x USB to UART Bridge",
		"Communications Port":                            "Communications Port",
	} {
		if got := productName(friendly); got != want {
			t.Errorf("%q gave %q, want %q", friendly, got, want)
		}
	}
}
