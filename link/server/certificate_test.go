package server

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

func TestTLS(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	s, h := start(t, Config{TLS: true, CertDir: dir})
	if u := s.DeviceURL(); !strings.HasPrefix(u, "wss://127.0.0.1:") {
		t.Errorf("DeviceURL is %s", u)
	}
	file := filepath.Join(dir, certFile)
	pool := x509.NewCertPool()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(file); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has mode %v", info.Mode())
	}
	for block, rest := pem.Decode(b); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			pool.AddCert(cert)
		}
	}
	// A device that trusts the certificate itself, by address and by name.
	for _, name := range []string{"", "localhost"} {
		d := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: name}}
		ws, _, err := d.Dial(s.DeviceURL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		ws.WriteMessage(websocket.BinaryMessage, make([]byte, 4096))
		ws.Close()
	}
	await[*model.Binary](h, 2, func(b *model.Binary) bool { return b.LenBytes == 4096 })
	if p := await(h, 1, peerIs("open")); p.Scheme != "wss" {
		t.Errorf("told %+v", *p)
	}
	pinned := websocket.Dialer{TLSClientConfig: Pinned(s.Fingerprint)}
	ws, _, err := pinned.Dial(s.DeviceURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ws.Close()

	t.Run("a device that does not trust it", func(t *testing.T) {
		_, _, err := websocket.DefaultDialer.Dial(s.DeviceURL(), nil)
		var unknown x509.UnknownAuthorityError
		if !errors.As(err, &unknown) {
			t.Fatalf("dialled: %v", err)
		}
		await(h, 1, refusedFor("does not take the server's certificate"))
	})
	t.Run("a device without TLS", func(t *testing.T) {
		if _, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.DeviceURL(), "wss"), nil); err == nil {
			t.Fatal("dialled ws://")
		}
		await(h, 1, refusedFor("dial wss://"))
	})
	t.Run("garbage in the handshake", func(t *testing.T) {
		c := dialRaw(t, s)
		c.Write([]byte("\x16\x03\x01\x00\x05hello"))
		io.Copy(io.Discard, c)
		await(h, 1, refusedFor("TLS handshake failed"))
	})
	t.Run("a message too big", func(t *testing.T) {
		d := websocket.Dialer{TLSClientConfig: Pinned(s.Fingerprint)}
		ws, _, err := d.Dial(s.DeviceURL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		go ws.WriteMessage(websocket.BinaryMessage, make([]byte, 8<<20))
		ws.SetReadDeadline(time.Now().Add(patience))
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
			t.Errorf("the client saw %v, want close 1009", err)
		}
	})
}

func TestTheCertificateIsKept(t *testing.T) {
	dir := t.TempDir()
	clock := newClock()
	print := func() string {
		t.Helper()
		s, err := New(Config{TLS: true, CertDir: dir, Now: clock.now})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Fingerprint()) != 95 || strings.Count(s.Fingerprint(), ":") != 31 {
			t.Fatalf("fingerprint %q", s.Fingerprint())
		}
		return s.Fingerprint()
	}
	first := print()
	file := filepath.Join(dir, certFile)
	os.Chmod(file, 0o644)
	if second := print(); second != first {
		t.Errorf("fingerprint %s at the first start, %s at the second", first, second)
	}
	if info, _ := os.Stat(file); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("a key that others could read stays at mode %v", info.Mode())
	}
	clock.pass(certLifetime - certRenew - time.Hour)
	if third := print(); third != first {
		t.Error("renewed before it is near its end")
	}
	clock.pass(2 * time.Hour)
	if fourth := print(); fourth == first {
		t.Error("not renewed near its end")
	}
	os.WriteFile(file, []byte("garbage"), 0o600)
	if _, err := New(Config{TLS: true, CertDir: dir}); err == nil || !strings.Contains(err.Error(), "delete the file") {
		t.Errorf("a damaged file: %v", err)
	}
	if _, err := New(Config{TLS: true, CertDir: filepath.Join(file, "sub")}); err == nil {
		t.Error("a directory that cannot be: no error")
	}
}
