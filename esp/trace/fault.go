package trace

import (
	"bytes"
	"strconv"
)

// symptom is what one line says of a failure.
type symptom struct {
	area, code, meaning string
	rank                rank
	mark                uint32 // one bit a symptom; 0 for none
}

// rank is how much a symptom knows of the failure's cause.
type rank uint8

const (
	vague   rank = iota + 1 // that something failed
	likely                  // what failed, and how
	certain                 // with a code that says why
)

const (
	markTLS uint32 = 1 << iota
	markErrno
	markPoll
	markPollFailed
	markUpgrade
	markResolve
	markConnect
	markClient
	markHeader
	markWrite
	markRead
	markVerify
	markWatchdog
)

const (
	codeUpgrade        = "upgrade"
	codeUnknownCommand = "unrecognized command"
)

// ofNetwork tells whether a tag is one of ESP-IDF's (or the Arduino core's)
// transport layers.
func ofNetwork(tag []byte) bool {
	for _, s := range [...]string{"transport", "esp-tls", "websocket", "ssl_client", "wificlient", "networkclient", "mbedtls", "ws_client"} {
		if containsFold(tag, s) {
			return true
		}
	}
	return false
}

// symptomOf reads a line of the network layers.
func symptomOf(h *head) symptom {
	if h.level != 'E' && h.level != 'W' {
		return symptom{}
	}
	t := h.text
	if bytes.Equal(h.tag, []byte("task_wdt")) {
		if bytes.Contains(t, []byte("got triggered")) {
			return symptom{"watchdog", "task_wdt", "a task kept a core busy too long: the tasks that did not report are named", likely, markWatchdog}
		}
		return symptom{}
	}
	if !ofNetwork(h.tag) {
		return symptom{}
	}
	has := func(s string) bool { return bytes.Contains(t, []byte(s)) }
	if code, ok := tlsCode(h); ok {
		what := "TLS failed: "
		switch {
		case has("handshake"):
			what = "TLS handshake failed: "
		case has("write") || has("send_ssl"):
			what = "TLS write failed: "
		case has("read"):
			what = "TLS read failed: "
		}
		return symptom{"tls", tlsHex(code), what + tlsMeaning(code), certain, markTLS}
	}
	if n := errnoIn(t); n > 0 {
		what := "the connection failed: "
		switch {
		case has("write") || has("send"):
			what = "write failed: "
		case has("read") || has("recv"):
			what = "read failed: "
		case has("connect"):
			what = "connect failed: "
		}
		return symptom{"socket", "errno " + strconv.FormatInt(n, 10), what + errnoMeaning(n), certain, markErrno}
	}
	switch {
	case has("Upgrade header"):
		return symptom{"websocket", codeUpgrade, "no answer to the WebSocket upgrade: the server, or a proxy before it, closed or kept silent", certain, markUpgrade}
	case has("Sec-WebSocket-Accept not found"), has("Invalid websocket key"):
		return symptom{"websocket", codeUpgrade, "the answer is no WebSocket upgrade: wrong path, or refused by a proxy or the server", certain, markUpgrade}
	case has("transport_poll_write(-1)"), has("Poll timeout or error"):
		return symptom{"websocket", "poll failed", "the transport broke while waiting to become writable", vague, markPollFailed}
	case has("transport_poll_write"):
		return symptom{"websocket", "poll timeout", "the transport did not become writable in time: the send buffer stayed full", likely, markPoll}
	case has("getaddrinfo"), has("couldn't get hostname"):
		return symptom{"socket", "name", "the server's name could not be resolved", likely, markResolve}
	case has("select() timeout"), has("onnection timeout"):
		return symptom{"socket", "connect timeout", "the server did not answer the connect in time", likely, markConnect}
	case has("verify peer certificate"), has("verification info"):
		return symptom{"tls", "certificate", "the server's certificate was not accepted", likely, markVerify}
	case has("esp_transport_write() returned"):
		return symptom{"websocket", "write failed", "a WebSocket write failed", vague, markClient}
	case has("Error write header"):
		return symptom{"websocket", "write failed", "the WebSocket header could not be written", vague, markHeader}
	case has("write error"), has("Error write"):
		return symptom{"websocket", "write failed", "a write to the transport failed", vague, markWrite}
	case has("read error"), has("Error read"):
		return symptom{"websocket", "read failed", "a read from the transport failed", vague, markRead}
	case has("connect failed"), has("Failed to open"), has("Error connecting"), has("Error transport connect"):
		return symptom{"websocket", "connect failed", "the connection could not be opened", vague, markConnect}
	}
	return symptom{}
}

// faultOf reads lines that are a failure each, by themselves.
func faultOf(h *head) symptom {
	t := h.text
	switch h.level {
	case 0:
		switch {
		case bytes.HasPrefix(t, []byte("Unrecognized command")):
			return symptom{area: "console", code: codeUnknownCommand, meaning: "the device's console does not know the command it was sent"}
		case bytes.HasPrefix(t, []byte("CORRUPT HEAP")):
			return symptom{area: "heap", code: "corrupt", meaning: "the heap is damaged: something wrote past its memory"}
		}
	case 'E', 'W':
		if ofNetwork(h.tag) {
			return symptom{}
		}
		switch {
		case containsFold(t, "esp_err_no_mem"), containsFold(t, "out of memory"), containsFold(t, "no mem"),
			containsFold(t, "alloc") && (containsFold(t, "fail") || containsFold(t, "unable") || containsFold(t, "could not")):
			return symptom{area: "heap", code: "no memory", meaning: "not enough memory"}
		case containsFold(t, "overflow"), containsFold(t, "overrun"), containsFold(t, "underrun"), containsFold(t, "ring full"), containsFold(t, "ringbuf full"):
			if ofAudio(h.tag) || ofAudio(t) {
				return symptom{area: "audio", code: "overflow", meaning: "audio was lost on the device: a buffer could not take or give it in time"}
			}
		}
	}
	return symptom{}
}

func ofAudio(b []byte) bool {
	for _, s := range [...]string{"audio", "i2s", "ring", "pcm", "mic"} {
		if containsFold(b, s) {
			return true
		}
	}
	return false
}
