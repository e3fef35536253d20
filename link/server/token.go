package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// tokenBytes is the longest token: a `lt url` line must stay under 200 bytes.
const tokenBytes = 100

// newToken is 26 characters that need no escaping in a URL (130 bits).
func newToken() string { return rand.Text() }

func checkToken(token string) error {
	if len(token) > tokenBytes {
		return errors.New("the token is longer than 100 bytes: a device's command line has no room for it")
	}
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return errors.New("the token has a blank, a control or a non-ASCII character: a device's command line cannot carry it")
		}
	}
	return nil
}

// tokenState tells whether a request carries the server's token.
type tokenState int

const (
	tokenAbsent tokenState = iota
	tokenWrong
	tokenRight
)

func (s *Server) token(r *http.Request) tokenState {
	if s.cfg.Token == "" {
		return tokenAbsent
	}
	given := r.URL.Query().Get("token")
	if given == "" {
		scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if strings.EqualFold(scheme, "Bearer") {
			given = strings.TrimSpace(value)
		}
	}
	if given == "" {
		return tokenAbsent
	}
	// Hashes make both sides equally long, whatever was given.
	want, got := sha256.Sum256([]byte(s.cfg.Token)), sha256.Sum256([]byte(given))
	if subtle.ConstantTimeCompare(want[:], got[:]) == 1 {
		return tokenRight
	}
	return tokenWrong
}

// sameOrigin tells whether a browser's request comes from a page of this
// server. A page of another site may not speak to it, not even by a name of its
// own that it points at this host.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || !strings.EqualFold(u.Host, r.Host) {
		return false
	}
	name := u.Hostname()
	if strings.EqualFold(name, "localhost") {
		return true
	}
	_, err = netip.ParseAddr(name)
	return err == nil
}
