package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/gorilla/websocket"
)

// ending is why a connection ended, in plain words, and whether the device may
// not yet have read the close frame that was sent to it.
func (c *conn) ending(err error) (why string, linger bool) {
	c.mu.Lock()
	own := c.reason
	c.mu.Unlock()
	var closed *websocket.CloseError
	var timeout net.Error
	switch {
	case own != "":
		return own, false
	case errors.Is(err, websocket.ErrReadLimit):
		return fmt.Sprintf("a message was too big (1009): %d bytes is the most for binary, %d for text", c.s.limits.BinaryBytes, c.s.limits.TextBytes), true
	case errors.Is(err, errTextTooBig):
		return fmt.Sprintf("a text message was too big (1009): %d bytes is the most", c.s.limits.TextBytes), true
	case errors.As(err, &closed):
		return closeWords(closed), false
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("no byte came for %s: device off, Wi-Fi lost or path dead", c.s.limits.Idle), false
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed):
		return gone, false
	case strings.HasPrefix(err.Error(), "websocket: "):
		return "broke the WebSocket protocol (1002): " + clean(strings.TrimPrefix(err.Error(), "websocket: "), wordBytes), true
	default:
		return "the connection failed: " + clean(err.Error(), wordBytes), false
	}
}

const gone = "ended without a close frame (1006): device reset or off, Wi-Fi lost, or cut by the path"

// closeWords are the close codes of RFC 6455, 7.4, in plain words.
func closeWords(e *websocket.CloseError) string {
	words, ok := map[int]string{
		websocket.CloseNormalClosure:           "closed by the device (1000)",
		websocket.CloseGoingAway:               "closed by the device: it goes away (1001)",
		websocket.CloseProtocolError:           "closed by the device: protocol error (1002)",
		websocket.CloseUnsupportedData:         "closed by the device: it cannot use what it got (1003)",
		websocket.CloseNoStatusReceived:        "closed by the device, no code given (1005)",
		websocket.CloseInvalidFramePayloadData: "closed by the device: invalid data (1007)",
		websocket.ClosePolicyViolation:         "closed by the device: policy (1008)",
		websocket.CloseMessageTooBig:           "closed by the device: message too big for it (1009)",
		websocket.CloseInternalServerErr:       "closed by the device: internal error (1011)",
	}[e.Code]
	switch {
	case e.Code == websocket.CloseAbnormalClosure:
		return gone
	case !ok:
		words = fmt.Sprintf("closed by the device (%d)", e.Code)
	}
	if e.Text != "" {
		words += ": " + clean(e.Text, wordBytes)
	}
	return words
}
