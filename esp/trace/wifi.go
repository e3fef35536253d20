package trace

import (
	"bytes"

	"dev.local/linktop/model"
)

// wifi is the state of the radio link, to tell each change once: a loss is
// reported by the driver, its state machine and the application.
type wifi struct {
	state   string
	reasons [4]uint64 // of this loss, told already
}

// wifiLine tells changes of the radio link.
func (d *Decoder) wifiLine(h *head) bool {
	t := h.text
	if bytes.Equal(h.tag, []byte("wifi")) {
		switch {
		case cutPrefix(&t, "state: "), cutPrefix(&t, "state:"):
			d.wifiState(t)
		case bytes.HasPrefix(t, []byte("connected with ")):
			d.wifiUp("connected")
		}
		return true
	}
	switch {
	case bytes.Contains(t, []byte("eason")):
		if n := reasonIn(t); n > 0 && n < 256 && (ofWiFi(h.tag) || ofWiFi(t)) {
			d.wifiLost(n)
			return true
		}
	case bytes.Contains(t, []byte("sta ip: ")), bytes.Contains(t, []byte("ot ip")), bytes.Contains(t, []byte("ot IP")), bytes.Contains(t, []byte("STA IP: ")):
		d.wifiUp("got_ip")
		return true
	}
	return false
}

// wifiState reads the driver's `run -> init (0xc800)`: the code's upper byte is
// the reason.
func (d *Decoder) wifiState(t []byte) {
	switch {
	case cutPrefix(&t, "run -> init ("):
		cutPrefix(&t, "0x")
		code := 0
		for _, c := range t {
			n, ok := nibble(c)
			if !ok || code > 0xffff {
				break
			}
			code = code<<4 | int(n)
		}
		d.wifiLost(int64(code >> 8 & 0xff))
	case bytes.Contains(t, []byte("-> run")):
		d.wifiUp("connected")
	}
}

// wifiLost tells a loss; reason is 0 where unknown.
func (d *Decoder) wifiLost(reason int64) {
	w := &d.wifi
	if w.state == "lost" && (reason == 0 || w.reasons[reason>>6]&(1<<(reason&63)) != 0) {
		return
	}
	w.state = "lost"
	w.reasons[reason>>6] |= 1 << (reason & 63)
	body := &model.WiFi{State: "lost"}
	if reason != 0 {
		body.Reason, body.Meaning = model.Some(reason), wifiReason(reason)
	}
	d.tell(body)
}

func (d *Decoder) wifiUp(state string) {
	if d.wifi.state == state || state == "connected" && d.wifi.state == "got_ip" {
		return
	}
	d.wifi = wifi{state: state}
	d.tell(&model.WiFi{State: state})
}

// reasonIn is the number after the word reason: `reason 200`, `Reason: 15`,
// `reason=8`, `reason:201`.
func reasonIn(b []byte) int64 {
	i := bytes.Index(b, []byte("eason"))
	b = bytes.TrimLeft(b[i+len("eason"):], " :=(")
	return number(b).Value()
}

// ofWiFi tells whether words are about the radio link, and not about another
// connection that ended for a reason.
func ofWiFi(b []byte) bool {
	for _, s := range [...]string{"wifi", "wi-fi", "wlan", "station", "ssid", "sta disconnect", "sta_disconnect", "sta:", "netif"} {
		if containsFold(b, s) {
			return true
		}
	}
	return false
}

// containsFold looks for s, which is in lower case, in any case.
func containsFold(b []byte, s string) bool {
	for i := 0; i+len(s) <= len(b); i++ {
		j := 0
		for j < len(s) {
			c := b[i+j]
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			if c != s[j] {
				break
			}
			j++
		}
		if j == len(s) {
			return true
		}
	}
	return false
}
