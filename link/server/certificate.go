package server

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	certFile     = "server.pem" // key and certificate in one, so that they cannot part
	certLifetime = 2 * 365 * 24 * time.Hour
	certRenew    = 30 * 24 * time.Hour // left when a new one is made
)

// loadCertificate gives the certificate kept in dir, or makes one. A kept one
// stays until it is near its end, even when the host's addresses change: a
// device may have its fingerprint.
func loadCertificate(dir string, now time.Time) (tls.Certificate, error) {
	if dir == "" {
		base, err := os.UserConfigDir()
		if err != nil {
			return tls.Certificate{}, fmt.Errorf("keeping the server's certificate: %w; name a directory for it", err)
		}
		dir = filepath.Join(base, "linktop")
	}
	name := filepath.Join(dir, certFile)
	b, err := os.ReadFile(name)
	switch {
	case err == nil:
		cert, err := tls.X509KeyPair(b, b)
		if err != nil {
			return cert, fmt.Errorf("reading the server's certificate %s: %w; delete the file to have a new one made", name, err)
		}
		if now.Before(cert.Leaf.NotAfter.Add(-certRenew)) {
			return cert, keepPrivate(name)
		}
	case !errors.Is(err, os.ErrNotExist):
		return tls.Certificate{}, fmt.Errorf("reading the server's certificate: %w", err)
	}
	b, err = makeCertificate(now)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making the server's certificate: %w", err)
	}
	if err := writePrivate(dir, name, b); err != nil {
		return tls.Certificate{}, fmt.Errorf("keeping the server's certificate: %w; make %s writable or name another directory", err, dir)
	}
	return tls.X509KeyPair(b, b)
}

// makeCertificate makes a key and a certificate signed by it, as PEM.
func makeCertificate(now time.Time) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	names, ips := hostNames()
	template := x509.Certificate{
		SerialNumber:          serial.Add(serial, big.NewInt(1)),
		Subject:               pkix.Name{CommonName: "linktop metrics server"},
		NotBefore:             now.Add(-24 * time.Hour), // a device's clock may lag
		NotAfter:              now.Add(certLifetime),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, // and no authority: trusting it trusts this server only
		DNSNames:              names,
		IPAddresses:           ips,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, block := range []*pem.Block{{Type: "PRIVATE KEY", Bytes: private}, {Type: "CERTIFICATE", Bytes: der}} {
		if err := pem.Encode(&b, block); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// hostNames are the names and addresses by which this host may be dialled.
func hostNames() ([]string, []net.IP) {
	names := []string{"localhost"}
	if h, err := os.Hostname(); err == nil && h != "" && h != "localhost" && len(h) < 254 && isASCII(h) {
		names = append(names, h)
	}
	ips := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return names, ips
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() {
			ips = append(ips, n.IP)
		}
	}
	return names, ips
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// writePrivate writes the file whole or not at all, for the owner only.
func writePrivate(dir, name string, b []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, certFile+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// keepPrivate takes a kept key out of others' reach again.
func keepPrivate(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 == 0 || os.PathSeparator == '\\' { // Windows has no such bits
		return nil
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return fmt.Errorf("the server's key %s can be read by others and that cannot be changed: %w", name, err)
	}
	return nil
}

// fingerprintOf is the SHA-256 of a certificate (DER) as openssl prints it.
func fingerprintOf(der []byte) string {
	sum := sha256.Sum256(der)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
}
