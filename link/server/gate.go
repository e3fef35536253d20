package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// gate accepts connections and bounds those that have not upgraded yet. One
// connection too many is closed at once, before a goroutine is spent on it.
type gate struct {
	net.Listener
	s *Server
}

func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		sock := &socket{Conn: c, s: g.s, addr: addressOf(c.RemoteAddr()), since: g.s.cfg.Now()}
		why := g.s.half.enter(sock, g.s.trusted(sock.addr))
		if why == "" {
			return sock, nil
		}
		c.Close()
		g.s.refused.add(sock.peer(), why)
	}
}

// halfOpen are the connections that have not upgraded yet.
type halfOpen struct {
	limit, perAddress int

	mu      sync.Mutex
	all     map[*socket]struct{}
	address map[netip.Addr]int
}

func newHalfOpen(l Limits) *halfOpen {
	return &halfOpen{limit: l.HalfOpen, perAddress: l.HalfOpenAddress,
		all: map[*socket]struct{}{}, address: map[netip.Addr]int{}}
}

// enter counts s in, or says why not. A trusted proxy speaks for many clients
// and is bound by the whole limit only.
func (h *halfOpen) enter(s *socket, trusted bool) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch key := site(s.addr); {
	case len(h.all) >= h.limit:
		return "too many connections that do not finish their handshake"
	case !trusted && h.address[key] >= h.perAddress:
		return "too many connections from this address that do not finish their handshake"
	default:
		h.all[s] = struct{}{}
		h.address[key]++
		return ""
	}
}

func (h *halfOpen) leave(s *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.all[s]; !ok {
		return
	}
	delete(h.all, s)
	key := site(s.addr)
	if h.address[key]--; h.address[key] <= 0 {
		delete(h.address, key)
	}
}

func (h *halfOpen) closeAll() {
	h.mu.Lock()
	var left []*socket
	for s := range h.all {
		left = append(left, s)
	}
	h.mu.Unlock()
	for _, s := range left {
		s.Close()
	}
}

// site is what one client is counted by: its address, of IPv6 the /64 it may
// choose addresses from.
func site(a netip.Addr) netip.Addr {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}

// tlsErrors takes net/http's log, which is the only place that tells why a TLS
// handshake failed, and keeps the reason with the connection.
type tlsErrors struct{ half *halfOpen }

func (t tlsErrors) Write(line []byte) (int, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "http: TLS handshake error from ")
	if !ok {
		return len(line), nil
	}
	t.half.mu.Lock()
	defer t.half.mu.Unlock()
	for s := range t.half.all {
		if why, ok := strings.CutPrefix(rest, s.RemoteAddr().String()+": "); ok {
			s.tlsError.Store(&why)
		}
	}
	return len(line), nil
}

// socket is an accepted connection below TLS and HTTP.
type socket struct {
	net.Conn
	s     *Server
	addr  netip.Addr // invalid where the listener's addresses are no IPs
	since time.Time

	first    atomic.Int32 // its first byte + 1, 0 before it
	asked    atomic.Bool  // an HTTP request came
	tlsError atomic.Pointer[string]
	closed   atomic.Bool

	mu       sync.Mutex
	idle     time.Duration // 0 before the upgrade
	deadline time.Time
	ending   bool // the deadline is the last one
}

type socketKey struct{}

func withSocket(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, socketKey{}, c)
}

func (k *socket) Read(p []byte) (int, error) {
	n, err := k.Conn.Read(p)
	if n > 0 {
		if k.first.Load() == 0 {
			k.first.Store(int32(p[0]) + 1)
		}
		k.alive()
	}
	return n, err
}

// upgraded takes the connection out of the half-open ones and starts its idle
// time-out.
func (k *socket) upgraded(idle time.Duration) {
	k.s.half.leave(k)
	k.mu.Lock()
	k.idle = idle
	k.mu.Unlock()
	k.alive()
}

// alive moves the idle deadline. It does so once every sixteenth of the
// time-out, not with every read.
func (k *socket) alive() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.idle == 0 || k.ending {
		return
	}
	next := time.Now().Add(k.idle + k.idle/16)
	if next.Sub(k.deadline) >= k.idle/16 {
		k.deadline = next
		k.Conn.SetReadDeadline(next)
	}
}

// expire ends all reading after d, whatever arrives.
func (k *socket) expire(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.ending {
		k.ending = true
		k.Conn.SetReadDeadline(time.Now().Add(d))
	}
}

// linger lets the peer read what was sent last: a close with unread bytes in
// the receive buffer would reset the connection and take the close frame along.
func (k *socket) linger(scratch []byte) {
	k.expire(closeGrace)
	if half, ok := k.Conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	for {
		if _, err := k.Conn.Read(scratch); err != nil {
			return
		}
	}
}

// Close tells of a connection that ends before it asked for anything.
func (k *socket) Close() error {
	err := k.Conn.Close()
	if k.closed.Swap(true) {
		return err
	}
	k.s.half.leave(k)
	if !k.asked.Load() && !k.s.isClosing() {
		k.s.refused.add(k.peer(), k.silence())
	}
	return err
}

// silence is why no HTTP request came, in plain words.
func (k *socket) silence() string {
	first := k.first.Load() - 1
	const tlsHandshake = 0x16 // first byte of a TLS ClientHello record
	why := k.tlsError.Load()
	switch {
	case first < 0:
		return "connected and sent nothing"
	case k.s.tls == nil && first == tlsHandshake:
		return "speaks TLS, which this server does not: dial ws://, or start the server with TLS"
	case k.s.tls != nil && first != tlsHandshake:
		return "speaks no TLS, which this server wants: dial wss://"
	case why != nil && strings.Contains(*why, "certificate"):
		return "does not take the server's certificate (" + clean(*why, wordBytes) + "): give it the one with the fingerprint shown"
	case why != nil:
		return "TLS handshake failed: " + clean(*why, wordBytes)
	case k.s.cfg.Now().Sub(k.since) >= k.s.limits.Handshake:
		return "sent no whole HTTP request in " + k.s.limits.Handshake.String()
	default:
		return "sent no HTTP request that can be read"
	}
}
