package virtual

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"dev.local/linktop/model"
)

// Parent is the transport below the WebSocket, as ESP-IDF's parent transport
// is: the one seam between the firmware and whatever path lies behind it.
// Poll and Write are called from one goroutine, Read from another.
type Parent interface {
	// Poll waits until the send buffer has more than its low-water mark free.
	// false without an error: it had not after timeout.
	Poll(ctx context.Context, timeout time.Duration) (ready bool, err error)
	// Write puts p into the send buffer and returns once all of it is there. It
	// returns less, with an error, when the socket's own send time-out passes,
	// ctx ends, or the connection is lost.
	Write(ctx context.Context, p []byte) (int, error)
	// Read waits for bytes of the peer.
	Read(p []byte) (int, error)
	// Close ends the connection in order: what is in the send buffer still goes out.
	Close() error
	// Abort ends it at once, as a loss of power does.
	Abort()
	// TCP is the connection's state now; Seq is left to the caller.
	TCP() model.TCP
	// SetSndBuf resizes the send buffer, in bytes.
	SetSndBuf(size int64)
}

// Dialer opens a connection to host:port. ctx bounds the opening only.
type Dialer func(ctx context.Context, address string) (Parent, error)

// tlsParent is ESP-IDF's ssl transport: its poll is the socket's, its writes
// and reads pass through TLS.
type tlsParent struct {
	Parent
	conn *tls.Conn
}

// startTLS shakes hands over parent; life ends with the connection.
func startTLS(dial, life context.Context, parent Parent, config *tls.Config, host string) (*tlsParent, error) {
	if config == nil {
		config = &tls.Config{}
	}
	config = config.Clone()
	if config.ServerName == "" {
		config.ServerName = host
	}
	// Go starts with small records; mbedTLS fills its output buffer.
	config.DynamicRecordSizingDisabled = true
	conn := tls.Client(&parentConn{parent: parent, life: life}, config)
	if err := conn.HandshakeContext(dial); err != nil {
		return nil, err
	}
	return &tlsParent{parent, conn}, nil
}

// tlsRecordBytes is CONFIG_MBEDTLS_SSL_OUT_CONTENT_LEN of ESP-IDF.
const tlsRecordBytes = 4096

func (t *tlsParent) Write(_ context.Context, p []byte) (int, error) {
	sent := 0
	for sent < len(p) {
		n, err := t.conn.Write(p[sent:min(len(p), sent+tlsRecordBytes)])
		sent += n
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

func (t *tlsParent) Read(p []byte) (int, error) { return t.conn.Read(p) }

// parentConn makes a Parent a net.Conn for the TLS client and for the
// WebSocket handshake. It has no deadlines: whoever waits aborts the parent.
type parentConn struct {
	parent Parent
	life   context.Context
	// sealed: the handshake is over, only the WebSocket task writes.
	sealed atomic.Bool
}

var errSealed = errors.New("only the WebSocket task writes on this connection")

func (c *parentConn) Write(p []byte) (int, error) {
	if c.sealed.Load() {
		return 0, errSealed
	}
	return c.parent.Write(c.life, p)
}

func (c *parentConn) Read(p []byte) (int, error)       { return c.parent.Read(p) }
func (c *parentConn) Close() error                     { c.parent.Abort(); return nil }
func (c *parentConn) LocalAddr() net.Addr              { return noAddr{} }
func (c *parentConn) RemoteAddr() net.Addr             { return noAddr{} }
func (c *parentConn) SetDeadline(time.Time) error      { return nil }
func (c *parentConn) SetReadDeadline(time.Time) error  { return nil }
func (c *parentConn) SetWriteDeadline(time.Time) error { return nil }

type noAddr struct{}

func (noAddr) Network() string { return "tcp" }
func (noAddr) String() string  { return "device" }
