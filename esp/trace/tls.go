package trace

import (
	"bytes"
	"strconv"
)

// tlsCode is the mbedTLS error a line names, as a positive number: `returned
// -0x7200`, `write error :-0x6C00`, or in decimal brackets from the Arduino
// core, `(-80)`.
func tlsCode(h *head) (int64, bool) {
	t := h.text
	if i := bytes.Index(t, []byte("-0x")); i >= 0 {
		v, n := int64(0), 0
		for _, c := range t[i+3:] {
			x, ok := nibble(c)
			if !ok || n >= 8 {
				break
			}
			v = v<<4 | int64(x)
			n++
		}
		return v, v > 0
	}
	if !containsFold(h.tag, "ssl_client") {
		return 0, false
	}
	i := bytes.Index(t, []byte("(-"))
	if i < 0 {
		return 0, false
	}
	n := number(t[i+2:])
	return n.Value(), n.Value() > 0
}

func tlsHex(code int64) string {
	s := strconv.FormatInt(code, 16)
	b := make([]byte, 0, 12)
	b = append(b, "-0x"...)
	for range max(0, 4-len(s)) {
		b = append(b, '0')
	}
	for i := range len(s) {
		c := s[i]
		if c >= 'a' {
			c -= 0x20
		}
		b = append(b, c)
	}
	return string(b)
}

// tlsMeaning is an mbedTLS error (ssl.h, x509.h, net_sockets.h, …) in plain
// words.
func tlsMeaning(code int64) string {
	switch code {
	case 0x7200:
		return "the bytes that came are no TLS record: is it TLS at all?"
	case 0x7180:
		return "a record's integrity check failed"
	case 0x7100:
		return "bad input data: the connection is not set up, or closed already"
	case 0x7280:
		return "the peer closed the connection"
	case 0x7300:
		return "a handshake message could not be decoded"
	case 0x7400:
		return "no random numbers"
	case 0x7480:
		return "the server asks for a client certificate"
	case 0x7580:
		return "no application protocol in common"
	case 0x7600:
		return "the private key is missing"
	case 0x7680:
		return "no CA certificate is set, but one is needed"
	case 0x7700:
		return "unexpected message in the handshake"
	case 0x7780:
		return "the peer sent a fatal alert"
	case 0x7800:
		return "the server does not know that name"
	case 0x7880:
		return "the peer closed the connection"
	case 0x7A00:
		return "the certificate could not be processed"
	case 0x7F00:
		return "not enough memory for TLS"
	case 0x7F80:
		return "hardware acceleration failed"
	case 0x6E80:
		return "TLS versions do not match"
	case 0x6E00:
		return "no cipher or parameters in common"
	case 0x6D80:
		return "session ticket expired"
	case 0x6C00:
		return "internal error: the peer closed or the record was cut"
	case 0x6A00:
		return "a buffer is too small for the record"
	case 0x6900:
		return "it would have to wait for data"
	case 0x6880:
		return "it would have to wait for the send buffer"
	case 0x6800:
		return "timed out"
	case 0x6600:
		return "illegal parameter in the handshake"
	case 0x5E80:
		return "TLS is not configured rightly"
	case 0x2180:
		return "the certificate's format is not valid"
	case 0x2700:
		return "the server's certificate was not accepted"
	case 0x2880:
		return "not enough memory for the certificate"
	case 0x3000:
		return "certificate verification failed fatally"
	case 0x0042:
		return "no socket could be opened"
	case 0x0044:
		return "the connection could not be opened"
	case 0x004C:
		return "reading from the socket failed"
	case 0x004E:
		return "writing to the socket failed"
	case 0x0050:
		return "reset by the peer"
	case 0x0052:
		return "the server's name could not be resolved"
	}
	// A high-level code with a low-level one added to it.
	if high := code &^ 0x7f; high != code && high >= 0x1000 {
		if m := tlsMeaning(high); m != tlsUnknown {
			return m
		}
	}
	return tlsUnknown
}

const tlsUnknown = "error not known"
