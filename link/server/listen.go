package server

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// listenHost checks a listen address and gives its host part.
func listenHost(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("listen address %q: %w; write host:port, as in 127.0.0.1:8765 or :8765", listen, err)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return "", fmt.Errorf("listen address %q: %q is no port; give a number from 0 to 65535, 0 for a free one", listen, port)
	}
	return host, nil
}

// isLoopback tells whether only this host reaches the address.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// bindError says why an address cannot be listened on and what to do next.
func bindError(listen string, err error) error {
	host, port, _ := net.SplitHostPort(listen)
	if host == "" {
		host = "0.0.0.0"
	}
	switch {
	case addressInUse(err):
		return fmt.Errorf("port %s on %s is taken (another linktop?): %w; choose another with --listen :0", port, host, err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("port %s on %s may not be opened by this user: %w; choose one above 1023 with --listen :8765", port, host, err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("no network interface of this host has the address %s: %w; listen on all with --listen :%s", host, err, port)
	default:
		return fmt.Errorf("listening on %s: %w; choose another address with --listen", listen, err)
	}
}

// Addr is the address of the first listener, nil before one is served.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Token is what clients are asked for, empty when nothing is.
func (s *Server) Token() string { return s.cfg.Token }

// Fingerprint is the SHA-256 of the certificate as openssl prints it, empty
// without TLS.
func (s *Server) Fingerprint() string { return s.print }

// URL is where a device that reaches this host as host connects, token
// included; empty before the server listens.
func (s *Server) URL(host string) string { return s.url(host, s.cfg.Token) }

// DeviceURL is the URL to tell a device: the listener's own address, or where
// it listens on all, the address of this host that a device on the local
// network most likely reaches. It carries the token.
func (s *Server) DeviceURL() string { return s.URL(s.deviceHost()) }

// MaskedURL is DeviceURL for showing: its token is hidden.
func (s *Server) MaskedURL() string {
	if s.cfg.Token == "" {
		return s.DeviceURL()
	}
	return s.url(s.deviceHost(), "…")
}

func (s *Server) url(host, token string) string {
	addr := s.Addr()
	if addr == nil {
		return ""
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return ""
	}
	scheme := "ws"
	if s.tls != nil {
		scheme = "wss"
	}
	u := scheme + "://" + net.JoinHostPort(host, port) + Path
	switch token {
	case "":
	case "…":
		u += "?token=…"
	default:
		u += "?token=" + url.QueryEscape(token)
	}
	return u
}

func (s *Server) deviceHost() string {
	addr := s.Addr()
	if addr == nil {
		return ""
	}
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return ""
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		return lanAddress()
	}
	return host
}

// virtualInterfaces are prefixes of interfaces that lead to containers, virtual
// machines and tunnels: no device is behind them.
var virtualInterfaces = []string{"docker", "br-", "veth", "virbr", "vmnet", "vbox", "vethernet", "tun", "tap", "utun", "wg", "zt", "tailscale", "podman", "cni", "lxc", "bridge", "awdl", "llw"}

// lanAddress is the IPv4 address of this host that a device on the same network
// most likely reaches: a private one of an interface that is up, physical
// before virtual; else any; else loopback.
func lanAddress() string {
	best, rank := "127.0.0.1", 0
	interfaces, err := net.Interfaces()
	if err != nil {
		return best
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		for _, a := range interfaceIPv4(i) {
			if r := addressRank(i.Name, a); r > rank {
				best, rank = a.String(), r
			}
		}
	}
	return best
}

func addressRank(name string, a netip.Addr) int {
	rank := 1
	if a.IsPrivate() {
		rank += 2
	}
	for _, v := range virtualInterfaces {
		if strings.HasPrefix(strings.ToLower(name), v) {
			return rank
		}
	}
	return rank + 3
}

func interfaceIPv4(i net.Interface) []netip.Addr {
	addrs, err := i.Addrs()
	if err != nil {
		return nil
	}
	var out []netip.Addr
	for _, a := range addrs {
		p, err := netip.ParsePrefix(a.String())
		if err == nil && p.Addr().Is4() && !p.Addr().IsLinkLocalUnicast() {
			out = append(out, p.Addr())
		}
	}
	return out
}
