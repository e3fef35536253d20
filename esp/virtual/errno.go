package virtual

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
)

// errno is the number lwIP would give for the error (lwip/errno.h). Error
// numbers of the host differ from system to system: its words are asked.
func errno(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errSendTimeout):
		return 11 // EAGAIN, SO_SNDTIMEO passed
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return 116 // ETIMEDOUT
	case errors.Is(err, net.ErrClosed), errors.Is(err, context.Canceled):
		return 113 // ECONNABORTED
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return 128 // ENOTCONN
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "refused"):
		return 111
	case strings.Contains(text, "no such host"):
		return 202 // EAI_FAIL
	case strings.Contains(text, "unreachable"):
		return 118
	}
	return 104 // ECONNRESET
}

// reason is the error in newlib's words.
func reason(err error) string {
	return map[int]string{
		11: "No more processes", 104: "Connection reset by peer", 111: "Connection refused",
		113: "Software caused connection abort", 116: "Connection timed out", 118: "Host is unreachable",
		128: "Socket is not connected", 202: "Host not found",
	}[errno(err)]
}

// handshakeCode is what mbedTLS would return for a failed handshake.
func handshakeCode(err error) string {
	var record tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		return "-0x2700" // MBEDTLS_ERR_X509_CERT_VERIFY_FAILED
	case errors.As(err, &record):
		return "-0x7200" // MBEDTLS_ERR_SSL_INVALID_RECORD: the peer speaks no TLS
	}
	return "-0x7280" // MBEDTLS_ERR_SSL_CONN_EOF
}
