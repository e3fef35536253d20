package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"dev.local/linktop/model"
)

// ray is CF-Ray: an identifier and the IATA code of the edge, "8f2a…-SJC".
var ray = regexp.MustCompile(`^[0-9a-fA-F]{1,64}-([A-Z]{3})$`)

// addressOf is the IP of a socket's address, invalid where it has none.
func addressOf(a net.Addr) netip.Addr {
	if a == nil {
		return netip.Addr{}
	}
	p, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr().Unmap().WithZone("")
}

// trusted tells whether the address's word on others is taken.
func (s *Server) trusted(a netip.Addr) bool {
	if !a.IsValid() {
		return false
	}
	for _, p := range s.cfg.TrustProxy {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// peer is the other side of the socket, before it said anything.
func (k *socket) peer() model.Peer {
	p := model.Peer{Scheme: "ws"}
	if k.s.tls != nil {
		p.Scheme = "wss"
	}
	if a := k.RemoteAddr(); a != nil {
		p.Address = a.String()
		if ap, err := netip.ParseAddrPort(p.Address); err == nil {
			p.Address = netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()).String()
		}
	}
	return p
}

// identify is the client as far as it can be believed: what forwarding headers
// say counts only when the socket's other end is a trusted proxy.
func (s *Server) identify(k *socket, h http.Header) model.Peer {
	p := k.peer()
	if !s.trusted(k.addr) {
		return p
	}
	p.Proxy = k.addr.String()
	if a, ok := s.forwardedFor(h); ok {
		p.Address = a.String()
	}
	if m := ray.FindStringSubmatch(h.Get("CF-Ray")); m != nil {
		p.Colo = m[1]
	}
	switch strings.ToLower(h.Get("X-Forwarded-Proto")) {
	case "https", "wss":
		p.Scheme = "wss"
	case "http", "ws":
		p.Scheme = "ws"
	}
	return p
}

// forwardedFor is the client behind the proxies: CF-Connecting-IP, else the
// last address of X-Forwarded-For that is no trusted proxy. What stands before
// that one was written by the client and may be anything.
func (s *Server) forwardedFor(h http.Header) (netip.Addr, bool) {
	if a, ok := forwardedAddress(h.Get("CF-Connecting-IP")); ok {
		return a, true
	}
	hops := strings.Split(strings.Join(h.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		a, ok := forwardedAddress(hops[i])
		if !ok {
			return netip.Addr{}, false
		}
		if !s.trusted(a) {
			return a, true
		}
	}
	return netip.Addr{}, false
}

// forwardedAddress reads an IP that may carry a port, as some proxies write it.
func forwardedAddress(v string) (netip.Addr, bool) {
	v = strings.TrimSpace(v)
	if p, err := netip.ParseAddrPort(v); err == nil {
		return p.Addr().Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(v)
	return a.Unmap().WithZone(""), err == nil
}

// ParseProxy reads an address or a CIDR of Config.TrustProxy.
func ParseProxy(word string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(word); err == nil {
		return p.Masked(), nil
	}
	a, err := netip.ParseAddr(word)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is no address and no CIDR such as 10.0.0.0/8", word)
	}
	return netip.PrefixFrom(a, a.BitLen()), nil
}
