// Package virtual is an ESP32-S3 without hardware: a producer of PCM at the
// measured 27.4 KB/s, a 64 KiB ring buffer, a WebSocket task that writes in
// ESP-IDF's order, and a serial console that speaks linktop's device protocol.
//
// It is reached only through what a real device has: the console's bytes
// (in process, or through a PTY) and the WebSocket it opens to the server it is
// told. Nothing that only a simulation could know leaves it.
package virtual
