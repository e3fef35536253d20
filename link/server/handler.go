package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gorilla/websocket"
)

const page = `linktop metrics server

A device connects to the path /audio of this address by WebSocket and streams
audio. The server counts it, answers the device's reports and keeps nothing of
what was said. There is nothing to see here in a browser: the screen is where
linktop runs.
`

// serveHTTP answers a request: a page for people, a sign of life, a WebSocket
// for a device, or an error that says what is wrong.
func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	k, ok := r.Context().Value(socketKey{}).(*socket)
	if !ok {
		http.Error(w, "this connection is none of the server's own", http.StatusInternalServerError)
		return
	}
	k.asked.Store(true)
	defer s.recovered("answering "+k.peer().Address, func(err error) { s.refused.add(s.identify(k, r.Header), err.Error()) })
	upgrade := websocket.IsWebSocketUpgrade(r)
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case r.URL.Path == Path:
		s.serveAudio(w, r, k, upgrade)
	case upgrade:
		s.refuse(w, r, http.StatusNotFound, "the WebSocket is at "+Path+", not at "+shortPath(r))
	case r.URL.Path == "/" && reading:
		plain(w, http.StatusOK, page)
	case r.URL.Path == "/healthz" && reading:
		plain(w, http.StatusOK, "ok\n")
	case r.URL.Path == "/favicon.ico" && reading: // a browser that shows the page asks for it
		plain(w, http.StatusNotFound, "no icon here\n")
	case r.URL.Path == "/" || r.URL.Path == "/healthz":
		w.Header().Set("Allow", "GET, HEAD")
		s.refuse(w, r, http.StatusMethodNotAllowed, "method "+clean(r.Method, 20)+" is not answered here, only GET")
	default:
		s.refuse(w, r, http.StatusNotFound, "nothing is at "+shortPath(r)+"; the WebSocket is at "+Path)
	}
}

func (s *Server) serveAudio(w http.ResponseWriter, r *http.Request, k *socket, upgrade bool) {
	if status, why := s.admit(w, r, upgrade); status != 0 {
		s.refuse(w, r, status, why)
		return
	}
	if !s.reserve() {
		w.Header().Set("Retry-After", "5")
		s.refuse(w, r, http.StatusServiceUnavailable, fmt.Sprintf("%d devices are connected, which is the limit", s.limits.Connections))
		return
	}
	peer := s.identify(k, r.Header)
	ws, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.release()
		if _, answered := err.(websocket.HandshakeError); !answered {
			s.refused.add(peer, "the upgrade failed: "+clean(err.Error(), wordBytes))
		}
		return
	}
	s.accept(ws, k, peer)
}

// admit checks an upgrade before anything is spent on it. A status of 0 lets
// it in.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, upgrade bool) (int, string) {
	token := s.token(r)
	switch {
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", "GET")
		return http.StatusMethodNotAllowed, "method " + clean(r.Method, 20) + " cannot open a WebSocket, only GET can"
	case !upgrade:
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		return http.StatusUpgradeRequired, "the request asks for no WebSocket (Connection: Upgrade, Upgrade: websocket)"
	case r.Header.Get("Sec-WebSocket-Version") != "13":
		w.Header().Set("Sec-WebSocket-Version", "13")
		return http.StatusUpgradeRequired, fmt.Sprintf("WebSocket version %q is not spoken, only 13", clean(r.Header.Get("Sec-WebSocket-Version"), 20))
	case token == tokenWrong:
		return http.StatusUnauthorized, "the token is wrong: use the URL this run of linktop shows"
	case token == tokenAbsent && s.cfg.Token != "":
		return http.StatusUnauthorized, "the token is missing: add ?token=… or Authorization: Bearer …"
	case token != tokenRight && !sameOrigin(r):
		return http.StatusForbidden, "a page of " + clean(r.Header.Get("Origin"), 100) + " may not connect here without a token"
	}
	return 0, ""
}

// refuse answers with an error and tells of it.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	plain(w, status, "linktop: "+why+"\n")
	if k, ok := r.Context().Value(socketKey{}).(*socket); ok {
		s.refused.add(s.identify(k, r.Header), fmt.Sprintf("HTTP %d: %s", status, why))
	}
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

func shortPath(r *http.Request) string {
	return clean(strings.ToValidUTF8(r.URL.Path, "?"), 60)
}
