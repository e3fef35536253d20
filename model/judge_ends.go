package model

import (
	"fmt"
	"strconv"
)

func (f *facts) serverSlow() Judgement {
	j := Judgement{ID: "server_slow", Name: "server", Basis: "did"}
	got := f.snap.Rate.ReceivedOfSent
	if !got.Known() || f.reports < minReports {
		j.Evidence, j.Missing = "no reports yet", "reports of a connected device"
		return j
	}
	j.Evidence = "gets " + share(got) + " of sent"
	j.Numbers = fmt.Sprintf("%d of %d bytes received over %d reports", got.Num, got.Den, f.reports)
	switch v := got.Value(); {
	case v >= 0.99:
		j.Verdict = No
	case v < keepsUpRatio-0.03:
		j.Verdict = Yes
	default:
		j.Verdict = Partly
	}
	return j
}

func (f *facts) uartLimited() Judgement {
	j := Judgement{ID: "uart_limited", Name: "serial line", Basis: "did"}
	use := f.snap.Serial.Share()
	if !use.Known() {
		j.Evidence, j.Missing = "not measured", "a serial port with a baud rate"
		return j
	}
	percent := int(use.Value()*100 + 0.5)
	j.Evidence = strconv.Itoa(percent) + " % of " + f.snap.Serial.Baud.String() + " baud"
	j.Numbers = fmt.Sprintf("%s of %d bytes/s", f.snap.Serial.PerSecond, f.snap.Serial.Baud.Value()/10)
	switch {
	case percent >= 90:
		j.Verdict = Yes
	case percent >= 70:
		j.Verdict = Partly
	default:
		j.Verdict = No
	}
	return j
}

func (f *facts) wifiOrReset() Judgement {
	j := Judgement{ID: "wifi_or_reset", Name: "Wi-Fi or reset", Basis: "did"}
	if f.snap.Serial.Bytes == 0 && f.s.counts.LogLines == 0 {
		j.Evidence, j.Missing = "no serial log", "the device's serial log"
		return j
	}
	switch t := f.s.troubleUS; {
	case t > 0 && t >= f.snap.NowUS-last10US:
		j.Verdict, j.Evidence = Yes, strconv.FormatInt((f.snap.NowUS-t)/1_000_000, 10)+" s ago"
	case t > 0 && t >= f.s.setting.sinceUS && f.s.setting.sinceUS > 0:
		j.Verdict, j.Evidence = Partly, "once under these settings"
	default:
		j.Verdict, j.Evidence = No, "none seen"
	}
	return j
}
