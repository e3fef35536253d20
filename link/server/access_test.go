package server

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"dev.local/linktop/model"
	"github.com/gorilla/websocket"
)

func TestToken(t *testing.T) {
	s, h := start(t, Config{Token: "s3cret+/=&"})
	base := "ws://" + s.Addr().String() + Path
	for name, c := range map[string]struct {
		url, bearer string
		status      int // 0: let in
		reason      string
	}{
		"none":            {base, "", 401, "token is missing"},
		"empty":           {base + "?token=", "", 401, "token is missing"},
		"wrong":           {base + "?token=s3cret", "", 401, "token is wrong"},
		"wrong bearer":    {base, "Bearer nope", 401, "token is wrong"},
		"another scheme":  {base, "Basic s3cret+/=&", 401, "token is missing"},
		"in the URL":      {s.DeviceURL(), "", 0, ""},
		"bearer":          {base, "Bearer s3cret+/=&", 0, ""},
		"bearer, lower":   {base, "bearer s3cret+/=&", 0, ""},
		"very long":       {base + "?token=" + strings.Repeat("x", 4000), "", 401, "token is wrong"},
		"broken encoding": {base + "?token=%zz", "", 401, "token is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			if c.bearer != "" {
				header.Set("Authorization", c.bearer)
			}
			ws, resp, err := websocket.DefaultDialer.Dial(c.url, header)
			if c.status == 0 {
				if err != nil {
					t.Fatal(err)
				}
				ws.Close()
				return
			}
			if err == nil || resp == nil || resp.StatusCode != c.status {
				t.Fatalf("answered %v, %v; want %d", resp, err, c.status)
			}
			body, _ := io.ReadAll(resp.Body)
			if !strings.Contains(string(body), c.reason) {
				t.Errorf("answered %q, want %q in it", body, c.reason)
			}
		})
	}
	for _, e := range h.all() {
		if b, _ := e.AppendJSON(nil); strings.Contains(string(b), "s3cret") {
			t.Errorf("the token is told: %s", b)
		}
	}
	if m := s.MaskedURL(); !strings.HasSuffix(m, "?token=…") {
		t.Errorf("MaskedURL is %s", m)
	}
}

func TestEveryAddressButLoopbackHasAToken(t *testing.T) {
	for listen, want := range map[string]bool{
		"127.0.0.1:0": false, "[::1]:0": false, "localhost:0": false, "127.9.9.9:0": false,
		":0": true, "0.0.0.0:0": true, "[::]:0": true, "192.168.1.2:0": true, "laptop.local:0": true,
	} {
		s, err := New(Config{Listen: listen})
		if err != nil {
			t.Fatalf("%s: %v", listen, err)
		}
		if got := s.Token() != ""; got != want {
			t.Errorf("%s: has a token is %v, want %v", listen, got, want)
		}
	}
	a, _ := New(Config{Listen: ":0"})
	b, _ := New(Config{Listen: ":0"})
	if a.Token() == b.Token() || len(a.Token()) < 20 {
		t.Errorf("made tokens %q and %q", a.Token(), b.Token())
	}
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	bare, _ := New(Config{})
	if err := bare.Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "needs a token") {
		t.Errorf("serving all addresses without a token: %v", err)
	}
}

func TestConfigThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		want string
	}{
		"no port":        {Config{Listen: "127.0.0.1"}, "write host:port"},
		"bad port":       {Config{Listen: "127.0.0.1:99999"}, "is no port"},
		"token too long": {Config{Token: strings.Repeat("x", 101)}, "longer than 100"},
		"token of words": {Config{Token: "a b"}, "a blank"},
	} {
		if _, err := New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

func TestOrigin(t *testing.T) {
	for name, c := range map[string]struct {
		token, origin, host string
		let                 bool
	}{
		"no browser":                 {"", "", "", true},
		"own page":                   {"", "http://HOST", "", true},
		"another site":               {"", "https://evil.example", "", false},
		"another port":               {"", "http://127.0.0.1:1", "", false},
		"null":                       {"", "null", "", false},
		"a name pointed at loopback": {"", "http://evil.example", "evil.example", false},
		"another site, right token":  {"tok", "https://tool.example", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := start(t, Config{Token: c.token})
			header := http.Header{}
			if c.origin != "" {
				header.Set("Origin", strings.Replace(c.origin, "HOST", s.Addr().String(), 1))
			}
			if c.host != "" {
				header.Set("Host", c.host)
			}
			ws, resp, err := websocket.DefaultDialer.Dial(s.DeviceURL(), header)
			if c.let {
				if err != nil {
					t.Fatal(err)
				}
				ws.Close()
				return
			}
			if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
				t.Fatalf("answered %v, %v; want 403", resp, err)
			}
			await(h, 1, refusedFor("may not connect here without a token"))
		})
	}
}

func TestPagesForPeople(t *testing.T) {
	s, h := start(t, Config{Token: "tok"})
	for path, want := range map[string]string{"/": "linktop metrics server", "/healthz": "ok"} {
		resp, err := http.Get("http://" + s.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 || !strings.HasPrefix(string(body), want) || strings.Contains(string(body), "tok=") {
			t.Errorf("%s: %d %q", path, resp.StatusCode, body)
		}
	}
	if p := bodies[*model.Peer](h); len(p) != 0 {
		t.Errorf("a reader of the page is told as %+v", *p[0])
	}
}

func TestBindErrors(t *testing.T) {
	s, _ := start(t, Config{})
	h := &heard{t: t}
	other, err := New(Config{Listen: s.Addr().String(), Sink: h.sink})
	if err != nil {
		t.Fatal(err)
	}
	err = other.Start(t.Context())
	_, port, _ := net.SplitHostPort(s.Addr().String())
	if err == nil || !strings.Contains(err.Error(), "port "+port+" on 127.0.0.1 is taken (another linktop?)") || !strings.Contains(err.Error(), "--listen :0") {
		t.Errorf("a taken port: %v", err)
	}
	if e := await[*model.Server](h, 1, nil); e.State != "failed" || e.Error != err.Error() {
		t.Errorf("told %+v", *e)
	}
	none, _ := New(Config{})
	if err := none.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Errorf("no address: %v", err)
	}
}

func TestURLs(t *testing.T) {
	s, h := start(t, Config{Token: "a&b"})
	_, port, _ := net.SplitHostPort(s.Addr().String())
	if got, want := s.URL("192.168.1.10"), "ws://192.168.1.10:"+port+"/audio?token=a%26b"; got != want {
		t.Errorf("URL is %s, want %s", got, want)
	}
	if got, want := s.URL("fe80::1"), "ws://[fe80::1]:"+port+"/audio?token=a%26b"; got != want {
		t.Errorf("URL is %s, want %s", got, want)
	}
	if e := await[*model.Server](h, 1, nil); e.State != "listening" || e.URL != "ws://127.0.0.1:"+port+"/audio?token=…" {
		t.Errorf("told %+v", *e)
	}
	all, err := New(Config{Listen: ":0"})
	if err != nil {
		t.Fatal(err)
	}
	if all.DeviceURL() != "" || all.Addr() != nil {
		t.Errorf("before it listens: %q, %v", all.DeviceURL(), all.Addr())
	}
	if err := all.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	u, err := url.Parse(all.DeviceURL())
	if err != nil {
		t.Fatal(err)
	}
	a, err := netip.ParseAddr(u.Hostname())
	if err != nil || a.IsUnspecified() || u.Query().Get("token") != all.Token() {
		t.Errorf("DeviceURL is %s", u)
	}
	if len("lt #12345 url "+all.DeviceURL()) > 200 {
		t.Errorf("a device's command line has no room for %s", u)
	}
	dial(t, all.DeviceURL(), nil) // it leads here
}

func TestAddressRank(t *testing.T) {
	order := []struct{ name, addr string }{
		{"wlan0", "192.168.1.20"}, {"eth0", "203.0.113.5"}, {"docker0", "172.17.0.1"}, {"tun0", "100.64.0.2"},
	}
	for i := 1; i < len(order); i++ {
		hi, lo := order[i-1], order[i]
		if addressRank(hi.name, netip.MustParseAddr(hi.addr)) <= addressRank(lo.name, netip.MustParseAddr(lo.addr)) {
			t.Errorf("%v does not come before %v", hi, lo)
		}
	}
}

func TestBehindAProxy(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	cf := map[string]string{"CF-Ray": "8f1a2b3c4d5e6f70-SJC", "CF-Connecting-IP": "203.0.113.9", "X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https"}
	for name, c := range map[string]struct {
		trust                        []netip.Prefix
		header                       map[string]string
		address, colo, proxy, scheme string
	}{
		"not trusted":         {nil, cf, "", "", "", "ws"},
		"others trusted":      {loopback[1:], cf, "", "", "", "ws"},
		"trusted":             {loopback, cf, "203.0.113.9", "SJC", "127.0.0.1", "wss"},
		"IPv6":                {loopback, map[string]string{"CF-Connecting-IP": "2001:db8::7"}, "2001:db8::7", "", "127.0.0.1", "ws"},
		"forwarded":           {loopback, map[string]string{"X-Forwarded-For": "6.6.6.6, 203.0.113.8, 10.1.1.1"}, "203.0.113.8", "", "127.0.0.1", "ws"},
		"forwarded with port": {loopback, map[string]string{"X-Forwarded-For": "203.0.113.8:4711"}, "203.0.113.8", "", "127.0.0.1", "ws"},
		"forwarded garbage":   {loopback, map[string]string{"X-Forwarded-For": "203.0.113.8, <script>"}, "", "", "127.0.0.1", "ws"},
		"all trusted":         {loopback, map[string]string{"X-Forwarded-For": "10.1.1.1"}, "", "", "127.0.0.1", "ws"},
		"bad address":         {loopback, map[string]string{"CF-Connecting-IP": "1.2.3"}, "", "", "127.0.0.1", "ws"},
		"bad colo":            {loopback, map[string]string{"CF-Ray": "8f1a-sjc1"}, "", "", "127.0.0.1", "ws"},
		"colo with more":      {loopback, map[string]string{"CF-Ray": "8f1a-SJC-x"}, "", "", "127.0.0.1", "ws"},
		"no headers":          {loopback, nil, "", "", "127.0.0.1", "ws"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := start(t, Config{TrustProxy: c.trust})
			header := http.Header{}
			for k, v := range c.header {
				header.Set(k, v)
			}
			ws := dial(t, s.DeviceURL(), header)
			if c.address == "" {
				c.address = ws.LocalAddr().String()
			}
			p := await(h, 1, peerIs("open"))
			if p.Address != c.address || p.Colo != c.colo || p.Proxy != c.proxy || p.Scheme != c.scheme {
				t.Errorf("told %+v", *p)
			}
		})
	}
}

func TestPeersAreKnownByTheirSite(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::",
	} {
		if got := site(netip.MustParseAddr(in)).String(); got != want {
			t.Errorf("site of %s is %s, want %s", in, got, want)
		}
	}
	mapped := &net.TCPAddr{IP: net.ParseIP("::ffff:192.0.2.1"), Port: 1}
	if got := addressOf(mapped).String(); got != "192.0.2.1" {
		t.Errorf("a mapped address is %s", got)
	}
}
