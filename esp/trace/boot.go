package trace

import (
	"bytes"

	"dev.local/linktop/model"
)

// boot is a reset in progress: from the first sign of it to the bootloader's
// line that names the ESP-IDF version.
type boot struct {
	rom    bool   // the ROM has spoken
	rst    bool   // and has given its reason
	entry  bool   // and is done
	why    string // known from what was printed before the reset
	reason string
	code   string
	idf    string
}

var (
	romNames   = [][]byte{[]byte("ESP-ROM:"), []byte("ets Ju")}
	brownedOut = []byte("Brownout detector was triggered")
	rebooting  = []byte("Rebooting...")
	bootloader = []byte("ESP-IDF v")
	resetCode  = []byte("rst:0x")
)

func startsROM(h *head) bool {
	if h.level != 0 {
		return false
	}
	for _, name := range romNames {
		if bytes.HasPrefix(h.text, name) {
			return true
		}
	}
	return false
}

// startsChip tells whether a line shows the chip (re)starting.
func startsChip(h *head) bool {
	return startsROM(h) || h.level == 0 && bytes.HasPrefix(h.text, resetCode) ||
		bytes.Equal(h.tag, []byte("boot")) && bytes.HasPrefix(h.text, bootloader)
}

// bootLine follows the lines of a reset.
func (d *Decoder) bootLine(h *head) bool {
	switch {
	case startsROM(h):
		if d.waiting&waitBoot == 0 || d.boot.rom {
			d.openBoot("")
		}
		d.boot.rom = true
	case h.level == 0 && bytes.HasPrefix(h.text, resetCode):
		if d.waiting&waitBoot == 0 || d.boot.rst {
			d.openBoot("")
		}
		d.boot.rom, d.boot.rst = true, true
		d.boot.code, d.boot.reason = resetReason(h.text)
	case h.level == 0 && bytes.HasPrefix(h.text, []byte("entry 0x")):
		d.boot.entry = true
	case bytes.Equal(h.tag, []byte("boot")) && bytes.HasPrefix(h.text, bootloader):
		d.bootloader(h)
	case bytes.HasPrefix(h.text, brownedOut):
		d.openBoot("brownout")
	case h.level == 0 && bytes.HasPrefix(h.text, rebooting):
		if d.openBoot(""); d.boot.why == "" {
			d.boot.why = "panic"
		}
	default:
		return false
	}
	return true
}

// openBoot notes that the chip resets; why is known where it was announced, and
// where it follows a panic.
func (d *Decoder) openBoot(why string) {
	d.settleCrash()
	if why == "" && d.crash.told {
		if why = "panic"; bytes.Contains(d.crash.cause, []byte("wdt")) || bytes.Contains(d.crash.cause, []byte("watchdog")) {
			why = "watchdog"
		}
	}
	d.settleBoot()
	d.boot = boot{why: why}
	d.waiting = d.waiting&^waitVersion | waitBoot
	d.clock, d.seq, d.rev = clock{}, sequence{}, 0
	d.shapes = [numForms]shape{}
	d.wifi = wifi{}
	d.crash = crash{cause: d.crash.cause[:0]}
}

// bootloader takes the version from `I (27) boot: ESP-IDF v5.5.3 2nd stage
// bootloader`, and tells the reset.
func (d *Decoder) bootloader(h *head) {
	if d.waiting&waitVersion != 0 {
		d.waiting &^= waitVersion // told already, without it
		return
	}
	if d.waiting&waitBoot == 0 {
		at := d.at // of this line: it is the new run's
		d.openBoot("")
		d.at = at
		d.stamp(h)
	}
	version := h.text[len("ESP-IDF "):]
	if i := bytes.IndexByte(version, ' '); i >= 0 {
		version = version[:i]
	}
	d.boot.idf = string(version[:min(len(version), 64)])
	d.settleBoot()
}

// settleBoot tells a reset that waits.
func (d *Decoder) settleBoot() {
	if d.waiting&waitBoot == 0 {
		return
	}
	d.waiting &^= waitBoot
	b := &d.boot
	reason := b.reason
	if reason == "" {
		reason = "unknown"
	}
	// What the firmware said before it went down knows better than the reset
	// code: the S3 reports a brownout and a panic as resets by software.
	if b.why != "" && (reason == "software" || reason == "unknown" || b.why == "watchdog") {
		reason = b.why
	}
	d.tellAt(stamp{}, &model.Boot{Reason: reason, Code: b.code, IDF: b.idf})
}

// ended tells whether a line shows that the bootloader's line will not come.
func (b *boot) ended(h *head) bool {
	if h.level != 0 {
		return !bytes.HasPrefix(h.text, brownedOut)
	}
	return b.entry
}

// resetReason reads `rst:0x7 (TG0WDT_SYS_RST),boot:…`. The names are those of
// the chips' ROMs (esp_rom/…/rtc.h); they differ in their endings only.
func resetReason(b []byte) (code, reason string) {
	b = b[len("rst:"):]
	end := bytes.IndexByte(b, ',')
	if end < 0 {
		end = len(b)
	}
	b = b[:min(end, 64)]
	open, shut := bytes.IndexByte(b, '('), bytes.IndexByte(b, ')')
	if open < 0 || shut < open {
		return string(bytes.TrimSpace(b)), "unknown"
	}
	name := b[open+1 : shut]
	code = string(bytes.TrimSpace(b[:open])) + " " + string(name)
	for _, r := range [...]struct{ part, reason string }{
		{"POWERON", "power_on"}, {"BROWN", "brownout"}, {"POWER_GLITCH", "brownout"}, {"PWR_GLITCH", "brownout"},
		{"WDT", "watchdog"}, {"DEEPSLEEP", "deep_sleep"}, {"DSLEEP", "deep_sleep"}, {"USB", "usb"},
		{"EXT", "external"}, {"SW_", "software"}, {"LOCKUP", "panic"},
	} {
		if bytes.Contains(name, []byte(r.part)) {
			return code, r.reason
		}
	}
	return code, "unknown"
}
