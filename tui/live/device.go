package live

import (
	"strconv"
	"strings"

	"dev.local/linktop/model"
)

// deviceLines are what the device said of itself, and what its line carries.
func (p *page) deviceLines() []line {
	d, t := &p.s.Device, &p.s.Path.Tank
	var rows []line
	add := func(name, value string) {
		if value != "" && value != unknown {
			rows = append(rows, line{name, value, quiet})
		}
	}
	add("chip", d.Chip)
	add("firmware", d.FW)
	add("ESP-IDF", strings.TrimPrefix(d.IDF, "v"))
	if d.Hello == model.HelloNo {
		rows = append(rows, line{"commands", "read-only, no hello", limited})
	}
	if t.SndBufBytes > 0 {
		add("TCP_SND_BUF", optUnit(model.Some(t.SndBufBytes), "B"))
		add("low water", optUnit(model.Some(t.LowWaterBytes), "B"))
		add("TCP_MSS", optUnit(model.Some(t.MSSBytes), "B"))
	}
	switch {
	case d.RSSI.Known():
		add("Wi-Fi", strings.Replace(d.RSSI.String(), "-", "−", 1)+" dBm")
	case d.WiFi != "":
		add("Wi-Fi", strings.ReplaceAll(d.WiFi, "_", " "))
	}
	if d.Heap.Known() {
		add("heap free", wholeKB(d.Heap)+" KB")
	}
	if use := p.s.Serial.Share(); use.Known() {
		style := quiet
		value := percent(use.Num, use.Den) + " % of " + p.s.Serial.Baud.String()
		if use.Value() > 0.7 {
			style = limited
		}
		rows = append(rows, line{"serial line", value, style})
	}
	if d.LastBootUS > 0 {
		add("last reset", bootText(d)+clock(d.LastBootUS-p.s.StartUS))
	}
	if d.Boots > 1 {
		add("resets seen", strconv.FormatInt(d.Boots, 10))
	}
	return rows
}

func bootText(d *model.Device) string {
	if d.LastBoot == nil {
		return ""
	}
	return strings.ReplaceAll(d.LastBoot.Reason, "_", " ") + ", "
}

func (p *page) deviceRows() int { return 1 + max(1, len(p.deviceLines())) }

func (p *page) device(r rect) {
	p.title(r.x, r.y, r.right(), "DEVICE", p.s.Device.Name)
	rows := p.deviceLines()
	if len(rows) == 0 {
		p.c.TextTo(r.x, r.y+1, r.right(), quiet, "has said nothing of itself yet")
		return
	}
	p.lines(rect{r.x, r.y + 1, r.w, r.h - 1}, 0, rows)
}
