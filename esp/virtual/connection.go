package virtual

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/websocket"
)

// connectTimeout is esp_websocket_client's network time-out for opening.
const connectTimeout = 10 * time.Second

// closeWait is how long the task has to answer a close of the server.
const closeWait = 2 * time.Second

// connection is one WebSocket to the server.
type connection struct {
	fw     *firmware
	parent Parent
	kind   string // tcp ssl
	ws     *websocket.Conn
	life   context.Context // ends when the connection is lost
	lose   context.CancelFunc

	reports chan receiverReport // from the reader
	pongs   chan []byte
	closing chan int // close code of the server

	seq, parentSeq int64
	left           bool      // closed in order
	told           time.Time // last `LT t`
	head           [14]byte
	buf            []byte
}

// receiverReport is an audio_rr.
type receiverReport struct {
	Seq int64 `json:"seq"`
}

// checkURL is the part of `lt url` that can be told without trying.
func checkURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Hostname() == "" {
		return nil, errors.New("want ws://host:port/path or wss://host:port/path")
	}
	return u, nil
}

func address(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	port := "80"
	if u.Scheme == "wss" {
		port = "443"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// connect opens a WebSocket. What fails is in the log as ESP-IDF prints it.
func (f *firmware) connect(ctx context.Context, raw string) (*connection, error) {
	u, err := checkURL(raw)
	if err != nil {
		f.log('E', "websocket_client", "Invalid url: %v", err)
		return nil, err
	}
	dial, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	parent, err := f.opts.Dial(dial, address(u))
	if err != nil {
		f.logRefused(u, err)
		return nil, err
	}
	life, lose := context.WithCancel(f.life)
	// Whatever waits in the parent while the handshake is on ends with it.
	stop := context.AfterFunc(dial, parent.Abort)
	c, err := f.upgrade(dial, life, parent, u)
	if err == nil && !stop() {
		err = dial.Err()
	}
	if err != nil {
		lose()
		parent.Abort()
		return nil, err
	}
	c.lose = lose
	go c.read()
	return c, nil
}

func (f *firmware) upgrade(dial, life context.Context, parent Parent, u *url.URL) (*connection, error) {
	c := &connection{
		fw: f, parent: parent, kind: "tcp", life: life,
		reports: make(chan receiverReport, 8), pongs: make(chan []byte, 4), closing: make(chan int, 1),
	}
	if u.Scheme == "wss" {
		t, err := startTLS(dial, life, parent, f.opts.TLS, u.Hostname())
		if err != nil {
			f.log('E', "esp-tls-mbedtls", "mbedtls_ssl_handshake returned %s", handshakeCode(err))
			f.log('E', "esp-tls", "Failed to open new connection")
			f.log('E', "transport_ws", "Error connecting to host %s", address(u))
			return nil, err
		}
		c.parent, c.kind = t, "ssl"
	}
	raw := &parentConn{parent: c.parent, life: life}
	hand := func(context.Context, string, string) (net.Conn, error) { return raw, nil }
	dialer := websocket.Dialer{NetDialContext: hand, NetDialTLSContext: hand, ReadBufferSize: 4096, WriteBufferSize: 1024}
	ws, response, err := dialer.DialContext(dial, u.String(), http.Header{"User-Agent": {"ESP32 Websocket Client"}})
	if err != nil {
		if response != nil {
			f.log('E', "transport_ws", "Sec-WebSocket-Accept not found, HTTP status %d", response.StatusCode)
		} else {
			f.log('E', "transport_ws", "Error read response for Upgrade header")
		}
		return nil, err
	}
	raw.sealed.Store(true)
	ws.SetReadLimit(64 << 10)
	ws.SetPingHandler(func(data string) error {
		select {
		case c.pongs <- []byte(data):
			signal(f.wake)
		default: // the newest unanswered ping is the one that counts, RFC 6455 5.5.3
		}
		return nil
	})
	ws.SetCloseHandler(func(code int, _ string) error {
		if code == websocket.CloseNoStatusReceived {
			code = websocket.CloseNormalClosure // 1005 must not go on the wire
		}
		select {
		case c.closing <- code:
		default:
		}
		return nil
	})
	c.ws = ws
	return c, nil
}

// logRefused is what esp-tls and the transports print when no connection
// comes up, with esp-tls's error codes (esp_tls_errors.h).
func (f *firmware) logRefused(u *url.URL, err error) {
	code := 0x8004 // ESP_ERR_ESP_TLS_FAILED_CONNECT_TO_HOST
	switch n := errno(err); n {
	case 202:
		code = 0x8001 // ESP_ERR_ESP_TLS_CANNOT_RESOLVE_HOSTNAME
		f.log('E', "esp-tls", "couldn't get hostname for :%s: getaddrinfo() returns 202, addrinfo=0x0", u.Hostname())
	case 116:
		code = 0x8006 // ESP_ERR_ESP_TLS_CONNECTION_TIMEOUT
		f.log('E', "esp-tls", "[sock=54] select() timeout")
	default:
		f.log('E', "esp-tls", "[sock=54] delayed connect error: %s", reason(err))
	}
	f.log('E', "transport_base", "Failed to open a new connection: %d", code)
	f.log('E', "transport_ws", "Error connecting to host %s", address(u))
}

// read takes in what the server sends, until the connection ends.
func (c *connection) read() {
	defer signal(c.fw.wake)
	defer c.lose()
	for {
		kind, data, err := c.ws.ReadMessage()
		if err != nil {
			var closed *websocket.CloseError
			switch {
			case c.life.Err() != nil:
			case errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure:
				// The task answers the close before the connection is given up.
				signal(c.fw.wake)
				_ = pause(c.life, closeWait)
			default:
				c.fw.log('E', "transport_base", "poll_read select error %d, errno = %s, fd = 54", errno(err), reason(err))
			}
			return
		}
		if kind != websocket.TextMessage {
			continue
		}
		var m struct {
			Type string `json:"type"`
			Line string `json:"line"`
			receiverReport
		}
		if err := json.Unmarshal(data, &m); err != nil {
			c.fw.log('W', "audio", "server sent %d bytes that are no JSON", len(data))
			continue
		}
		switch m.Type {
		case "lt":
			if answer := c.fw.command(m.Line, overWS); answer != "" {
				c.fw.enqueue(answerMessage(answer))
			}
		case "audio_rr":
			select {
			case c.reports <- m.receiverReport:
				signal(c.fw.wake)
			default:
			}
		}
	}
}
