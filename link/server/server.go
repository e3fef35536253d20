// Package server is the metrics server: a WebSocket server that counts the
// audio a device sends, answers its reports and carries commands both ways.
// It keeps no audio: payload is read, counted and let go.
//
// Several connections may be open at once, each counted on its own; every event
// names its connection. The newest one steers: commands go to it. When it
// closes, the newest of those that remain takes over.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

// Path is where a device connects.
const Path = "/audio"

// Config is what a Server is made of.
type Config struct {
	// Listen is host:port as net.Listen takes it; ":8765" is every address,
	// ":0" a free port. Needed by Start only.
	Listen string
	// Token is asked of every client, as ?token=… or Authorization: Bearer ….
	// New makes one when Listen is not a loopback address and none is given.
	Token string
	// TLS serves wss:// with a certificate of the server's own making.
	TLS bool
	// CertDir keeps the certificate between starts; empty is the directory
	// linktop under the user's configuration directory.
	CertDir string
	// TrustProxy are the addresses whose word on the client's address is taken.
	TrustProxy []netip.Prefix
	// Sink gets every event, one call at a time. It must return quickly and
	// must not call Close. The body of a binary event is used again: Clone what
	// is kept. No call is made after Close returned.
	Sink func(model.Event)
	// Limits bound what a client can take; zero fields mean the defaults.
	Limits Limits
	// Now is the clock, time.Now by default.
	Now func() time.Time
}

// Server is a metrics server. Make it with New.
type Server struct {
	cfg      Config
	limits   Limits
	host     string // of Config.Listen
	http     http.Server
	upgrader websocket.Upgrader
	tls      *tls.Config // nil without TLS
	print    string      // the certificate's fingerprint
	half     *halfOpen
	refused  *refusals

	sink   sync.Mutex // serialises Config.Sink
	silent bool       // Sink gets nothing more

	mu       sync.Mutex
	addr     net.Addr
	conns    map[int64]*conn // by ID, accepted and not yet ended
	lastID   int64
	reserved int // upgrades under way
	closing  bool

	wg        sync.WaitGroup // goroutines of the server and its connections
	closeOnce sync.Once
	closed    chan struct{}
}

// New checks the configuration, and makes a token and a certificate where they
// are needed. Nothing is opened yet.
func New(cfg Config) (*Server, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sink == nil {
		cfg.Sink = func(model.Event) {}
	}
	s := &Server{cfg: cfg, limits: cfg.Limits.withDefaults(), conns: map[int64]*conn{}, closed: make(chan struct{})}
	if cfg.Listen != "" {
		host, err := listenHost(cfg.Listen)
		if err != nil {
			return nil, err
		}
		s.host = host
		if s.cfg.Token == "" && !isLoopback(host) {
			s.cfg.Token = newToken()
		}
	}
	if err := checkToken(s.cfg.Token); err != nil {
		return nil, err
	}
	if cfg.TLS {
		cert, err := loadCertificate(cfg.CertDir, s.cfg.Now())
		if err != nil {
			return nil, err
		}
		s.print = fingerprintOf(cert.Certificate[0])
		s.tls = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	s.half = newHalfOpen(s.limits)
	s.refused = &refusals{now: s.cfg.Now, tell: func(p model.Peer) {
		// It may be told from net/http's goroutines, which do not survive a panic.
		defer s.recovered("telling of a refusal", nil)
		s.emit(&p)
	}}
	s.upgrader = websocket.Upgrader{
		ReadBufferSize:   readBuffer,
		WriteBufferSize:  writeBuffer,
		HandshakeTimeout: s.limits.Write,
		CheckOrigin:      func(*http.Request) bool { return true }, // admit has checked it
		Error: func(w http.ResponseWriter, r *http.Request, status int, why error) {
			s.refuse(w, r, status, why.Error())
		},
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // HTTP/2 cannot be hijacked
	s.http = http.Server{
		Handler:           http.HandlerFunc(s.serveHTTP),
		ConnContext:       withSocket,
		ErrorLog:          log.New(tlsErrors{s.half}, "", 0),
		Protocols:         protocols,
		ReadHeaderTimeout: s.limits.Handshake,
		ReadTimeout:       s.limits.Handshake,
		WriteTimeout:      s.limits.Write,
		MaxHeaderBytes:    s.limits.httpHeaderBytes(),
	}
	s.http.SetKeepAlivesEnabled(false)
	return s, nil
}

// Start binds Config.Listen and serves in the background until ctx ends or
// Close is called. The error says what holds the address and what to do.
func (s *Server) Start(ctx context.Context) error {
	if s.cfg.Listen == "" {
		return errors.New("starting the metrics server: no address to listen on was given")
	}
	ln, err := net.Listen("tcp", s.cfg.Listen)
	if err != nil {
		err = bindError(s.cfg.Listen, err)
		s.emit(&model.Server{State: "failed", Error: err.Error()})
		return err
	}
	if err := s.adopt(ln); err != nil {
		ln.Close()
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		ln.Close()
		return errClosed
	}
	s.spawn("serving "+ln.Addr().String(), func() { s.serve(ctx, ln) }, nil)
	return nil
}

// Serve serves a listener, an emulated one for instance, until ctx ends or
// Close is called; both end the whole server. It closes ln and returns nil
// unless accepting failed. A listener of the host's network on another address
// than loopback needs a token.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if err := s.adopt(ln); err != nil {
		ln.Close()
		return err
	}
	return s.serve(ctx, ln)
}

var errClosed = errors.New("starting the metrics server: it was closed; make a new one")

// adopt makes ln the server's and tells of it.
func (s *Server) adopt(ln net.Listener) error {
	if tcp, ok := ln.(*net.TCPListener); ok && s.cfg.Token == "" && !isLoopback(tcp.Addr().(*net.TCPAddr).IP.String()) {
		return fmt.Errorf("serving on %s: every address but loopback needs a token; give one", ln.Addr())
	}
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return errClosed
	}
	if s.addr == nil {
		s.addr = ln.Addr()
	}
	s.mu.Unlock()
	s.emit(&model.Server{State: "listening", URL: s.MaskedURL(), Fingerprint: s.print})
	return nil
}

func (s *Server) serve(ctx context.Context, ln net.Listener) (err error) {
	defer context.AfterFunc(ctx, func() {
		defer s.recovered("stopping", nil)
		s.Close()
	})()
	defer s.recovered("serving "+ln.Addr().String(), func(e error) { err = e })
	var gated net.Listener = &gate{Listener: ln, s: s}
	if s.tls != nil {
		gated = tls.NewListener(gated, s.tls)
	}
	err = s.http.Serve(gated)
	if s.isClosing() {
		return nil
	}
	err = fmt.Errorf("accepting connections on %s: %w; start the server again", ln.Addr(), err)
	s.emit(&model.Server{State: "failed", Error: err.Error()})
	return err
}

// Close tells every device that the server goes away (1001), closes all
// connections and waits for their goroutines, closeGrace at the longest for a
// device that does not answer. It may be called again and at any time.
func (s *Server) Close() error {
	s.closeOnce.Do(func() {
		defer close(s.closed)
		s.mu.Lock()
		s.closing = true
		live := make([]*conn, 0, len(s.conns))
		for _, c := range s.conns {
			live = append(live, c)
		}
		s.mu.Unlock()
		s.http.Close()
		for _, c := range live {
			s.spawn("closing a connection", func() { c.shutdown(websocket.CloseGoingAway, "the server stopped") }, nil)
		}
		s.wg.Wait()
		s.half.closeAll()
		s.refused.flush()
		s.emit(&model.Server{State: "stopped"})
		s.sink.Lock()
		s.silent = true
		s.sink.Unlock()
	})
	<-s.closed
	return nil
}

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// emit tells the sink of something that happened now.
func (s *Server) emit(body model.Body) { s.emitAt(s.cfg.Now(), body) }

func (s *Server) emitAt(at time.Time, body model.Body) {
	s.sink.Lock()
	defer s.sink.Unlock()
	if !s.silent {
		s.cfg.Sink(model.Event{HostUS: at.UnixMicro(), Body: body})
	}
}
