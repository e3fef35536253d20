package server

import (
	"crypto/tls"
	"errors"
)

// Pinned is the TLS configuration of a client that trusts one certificate, by
// the fingerprint that Fingerprint gives, and no authority. The function is
// asked at each connection, so that it may not be known before.
func Pinned(want func() string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		// The check below stands in for the chain of authorities, which a
		// certificate of the server's own making does not have.
		InsecureSkipVerify: true,
		VerifyConnection: func(cs tls.ConnectionState) error {
			if len(cs.PeerCertificates) == 0 || fingerprintOf(cs.PeerCertificates[0].Raw) != want() {
				return errors.New("the server's certificate is not the one expected")
			}
			return nil
		},
	}
}
