package trace_test

import (
	"slices"
	"strings"
	"testing"

	"dev.local/linktop/esp/trace"
	"dev.local/linktop/model"
)

const (
	rom    = "ESP-ROM:esp32s3-20210327\r\nBuild:Mar 27 2021\r\n"
	loader = "SPIWP:0xee\r\nmode:DIO, clock div:1\r\nload:0x3fce2820,len:0x15a0\r\nentry 0x403c8924\r\nI (27) boot: ESP-IDF v5.5.3 2nd stage bootloader\r\n"
	app    = "I (300) app: up\r\n"
)

func rst(code string) string { return "rst:" + code + ",boot:0x8 (SPI_FAST_FLASH_BOOT)\r\n" }

func TestBoots(t *testing.T) {
	dump := "Core  0 register dump:\r\nPC      : 0x42011a2e  PS      : 0x00060a30\r\n\r\nBacktrace: 0x42011a2b:0x3fcb92c0\r\n\r\nRebooting...\r\n"
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"power":      {rom + rst("0x1 (POWERON)") + loader, []string{"boot reason=power_on code=0x1 POWERON idf=v5.5.3"}},
		"software":   {rom + rst("0xc (RTC_SW_CPU_RST)") + loader, []string{"boot reason=software code=0xc RTC_SW_CPU_RST idf=v5.5.3"}},
		"usb":        {rom + rst("0x15 (USB_UART_CHIP_RESET)") + loader, []string{"boot reason=usb code=0x15 USB_UART_CHIP_RESET idf=v5.5.3"}},
		"deep sleep": {rom + rst("0x5 (DSLEEP)") + loader, []string{"boot reason=deep_sleep code=0x5 DSLEEP idf=v5.5.3"}},
		"watchdog":   {rom + rst("0x8 (TG1WDT_SYS_RST)") + loader, []string{"boot reason=watchdog code=0x8 TG1WDT_SYS_RST idf=v5.5.3"}},
		"rtc brownout": {rom + rst("0xf (RTCWDT_BROWN_OUT_RST)") + loader,
			[]string{"boot reason=brownout code=0xf RTCWDT_BROWN_OUT_RST idf=v5.5.3"}},
		"quiet bootloader": {rom + rst("0x1 (POWERON)") + app + app, []string{"boot reason=power_on code=0x1 POWERON"}},
		"twice in a row":   {rom + rst("0x1 (POWERON)") + rom + rst("0x1 (POWERON)") + loader, []string{"boot reason=power_on code=0x1 POWERON", "boot reason=power_on code=0x1 POWERON idf=v5.5.3"}},
		"before a trace":   {rom + rst("0x1 (POWERON)") + compact + "\r\n", []string{"boot reason=power_on code=0x1 POWERON", compactIs}},
		"brownout":         {"E BOD: Brownout detector was triggered\r\n\r\n" + rom + rst("0x3 (RTC_SW_SYS_RST)") + loader, []string{"boot reason=brownout code=0x3 RTC_SW_SYS_RST idf=v5.5.3"}},
		"abort": {"\r\nabort() was called at PC 0x42008e3b on core 0\r\n\r\n\r\nBacktrace: 0x40375e26:0x3fc9a0b0 0x40379d05:0x3fc9a0d0\r\n\r\nRebooting...\r\n" + rom + rst("0xc (RTC_SW_CPU_RST)") + loader,
			[]string{"panic core=0 cause=abort() pc=0x42008e3b backtrace=2", "boot reason=panic code=0xc RTC_SW_CPU_RST idf=v5.5.3"}},
		"panic without ROM output": {"Guru Meditation Error: Core  0 panic'ed (StoreProhibited). Exception was unhandled.\r\n" + dump + app,
			[]string{"panic core=0 cause=StoreProhibited pc=0x42011a2e backtrace=1", "boot reason=panic"}},
		"panic cut by the reset": {"Guru Meditation Error: Core  0 panic'ed (StoreProhibited). Exception was unhandled.\r\nCore  0 regis" + rom + rst("0xc (RTC_SW_CPU_RST)") + loader,
			[]string{"panic core=0 cause=StoreProhibited backtrace=0", "boot reason=panic code=0xc RTC_SW_CPU_RST idf=v5.5.3"}},
		"reset in mid-line":   {"I (5) app: some wo" + rom + rst("0x15 (USB_UART_CHIP_RESET)") + loader, []string{"boot reason=usb code=0x15 USB_UART_CHIP_RESET idf=v5.5.3"}},
		"only the bootloader": {app + "I (27) boot: ESP-IDF v5.5.3 2nd stage bootloader\r\nI (28) boot: chip revision: v0.2\r\n", []string{"boot reason=unknown idf=v5.5.3"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(c.in); !slices.Equal(got, c.want) {
				t.Errorf("told\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

func TestWiFi(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"joined": {"I (1) wifi:state: auth -> assoc (0x0)\nI (2) wifi:state: assoc -> run (0x10)\nI (3) wifi:connected with lab, aid = 1\nI (900) esp_netif_handlers: sta ip: 10.0.0.7, mask: 255.255.255.0, gw: 10.0.0.1\n",
			[]string{"wifi state=connected", "wifi state=got_ip"}},
		"old style code":  {"I (2) wifi:state: run -> init (c800)\n", []string{"wifi state=lost reason=200"}},
		"deauthenticated": {"I (2) wifi:state: run -> init (6c0)\nW (3) app_wifi: disconnected, reason 6\n", []string{"wifi state=lost reason=6"}},
		"back again": {"I (2) wifi:state: run -> init (0xc800)\nI (5) wifi:state: assoc -> run (0x10)\nI (6) wifi:state: run -> init (0xc800)\n",
			[]string{"wifi state=lost reason=200", "wifi state=connected", "wifi state=lost reason=200"}},
		"another reason": {"E (9) http: closed, reason 200\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(c.in); !slices.Equal(got, c.want) {
				t.Errorf("told %q, want %q", got, c.want)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for in, want := range map[string][]string{
		"E (9) esp-tls-mbedtls: mbedtls_ssl_handshake returned -0x2700\n":                                           {"fault area=tls code=-0x2700"},
		"E (9) esp-tls: [sock=54] delayed connect error: Connection reset by peer\n":                                nil,
		"E (9) esp-tls: [sock=54] select() timeout\n":                                                               {"fault area=socket code=connect timeout"},
		"E (9) transport_ws: Error transport_poll_write(0)\nE (5000) transport_ws: Error transport_poll_write(0)\n": {"fault area=websocket code=poll timeout", "fault area=websocket code=poll timeout"},
		"I (9) app: errno 113 is what we test\n":                                                                    nil,
		"linktop> foo\nUnrecognized command\n":                                                                      {"fault area=console code=unrecognized command"},
	} {
		got := told(in)
		if want == nil && strings.HasPrefix(in, "E ") {
			if len(got) != 1 || !strings.HasPrefix(got[0], "fault area=socket") {
				t.Errorf("%q gives %q", in, got)
			}
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{"E (9) task_wdt: Task watchdog got triggered. The following tasks/users did not reset the watchdog in time:\nE (9) task_wdt:  - IDLE0 (CPU 0)\nE (9) task_wdt: Tasks currently running:\nE (9) task_wdt: CPU 0: ws\n"} {
		if got := told(in); len(got) != 1 || !strings.HasPrefix(got[0], "fault area=watchdog") {
			t.Errorf("%q gives %q", in, got)
		}
	}
}

func TestClockWraps(t *testing.T) {
	events := decode([]byte("I (4294967290) a: 1\nI (14) a: 2\nI (4294967295) a: late\nI (20) a: 3\n" + rom + rst("0x1 (POWERON)") + "I (30) a: 4\n"))
	for text, want := range map[string]int64{"1": 4294967290, "2": 1<<32 + 14, "late": 4294967295, "3": 1<<32 + 20, "4": 30} {
		if e := logged(events, text); e == nil || e.DevUS != model.Some(want*1000) {
			t.Errorf("line %s at %v, want %d ms", text, e, want)
		}
	}
}

// TestSequences: a count that goes on is no gap, one that begins anew neither.
func TestSequences(t *testing.T) {
	out := func(seqs ...string) string {
		var b strings.Builder
		for _, s := range seqs {
			b.WriteString(strings.Replace(compact, "s=4", "s="+s, 1) + "\r\n")
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"none missing":   {out("1", "2", "3"), nil},
		"one missing":    {out("1", "3"), []string{"damage what=lost from=2 to=2"}},
		"some missing":   {out("1", "9"), []string{"damage what=lost from=2 to=8"}},
		"begins anew":    {out("700", "1", "2"), nil},
		"after a reset":  {out("3") + rom + rst("0x1 (POWERON)") + loader + out("9"), nil},
		"first one seen": {out("9000"), nil},
	} {
		var got []string
		for _, l := range told(c.in) {
			if strings.HasPrefix(l, "damage") {
				got = append(got, l)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	for in, want := range map[string]string{
		"LT #7 ok rev=12 frame=4096":                   "answer n=7 ok=true",
		"linktop> LT #7 ok":                            "answer n=7 ok=true",
		"LT #9 err code=range key=frame min=2 max=16 ": "answer n=9 ok=false code=range key=frame min=2 max=16",
		"LT #9 err code=busy\r\n":                      "answer n=9 ok=false code=busy",
		"LT #x ok":                                     "",
		"LT # ok":                                      "",
		"LT #7":                                        "",
		"LT #7 perhaps":                                "",
		"LT w s=1":                                     "",
		"":                                             "",
		"LT #99999999999999999999 ok":                  "",
		"\x1b[0;32mLT #7 ok\x1b[0m":                    "answer n=7 ok=true",
	} {
		a, ok := trace.ParseAnswer([]byte(in))
		got := ""
		if ok {
			got = line(&model.Event{Body: a})
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
}
