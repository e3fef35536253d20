package trace

import "bytes"

// errnos are the socket errors of newlib and picolibc (sys/errno.h), which
// ESP-IDF prints by number or by strerror's words.
var errnos = []struct {
	n       int64
	words   string // strerror
	meaning string
}{
	{5, "I/O error", "input/output error"},
	{9, "Bad file number", "the socket is closed already"},
	{11, "No more processes", "it would have to wait: the send buffer is full"},
	{12, "Not enough space", "the device is out of memory"},
	{16, "Device or resource busy", "busy"},
	{22, "Invalid argument", "invalid argument"},
	{23, "Too many open files in system", "no socket left"},
	{32, "Broken pipe", "the connection is closed"},
	{104, "Connection reset by peer", "reset by the peer"},
	{105, "No buffer space available", "no network buffers left on the device"},
	{111, "Connection refused", "refused: nothing listens there"},
	{112, "Address already in use", "address in use"},
	{113, "Software caused connection abort", "aborted by the device's own network: Wi-Fi or address lost, or retransmissions given up"},
	{114, "Network is unreachable", "network not reachable: Wi-Fi down?"},
	{115, "Network interface is not configured", "network interface down"},
	{116, "Connection timed out", "timed out"},
	{118, "Host is unreachable", "host not reachable"},
	{119, "Connection already in progress", "still connecting"},
	{120, "Socket already connected", "still connecting"},
	{128, "Socket is not connected", "not connected"},
}

func errnoMeaning(n int64) string {
	for _, e := range errnos {
		if e.n == n {
			return e.meaning
		}
	}
	return "error not known"
}

// errnoIn is the error number a line names, 0 for none: `select error 113`,
// `errno=104`, `errno = Connection reset by peer`, `errno: 11`, `connect error:
// Host is unreachable`.
func errnoIn(b []byte) int64 {
	for _, key := range [...]string{"select error ", "errno", "error: "} {
		for rest := b; ; {
			i := bytes.Index(rest, []byte(key))
			if i < 0 {
				break
			}
			rest = rest[i+len(key):]
			value := bytes.TrimLeft(rest, " =:")
			if n := number(value); n.Value() > 0 && n.Value() < 1000 {
				return n.Value()
			}
			for _, e := range errnos {
				if bytes.HasPrefix(value, []byte(e.words)) {
					return e.n
				}
			}
		}
	}
	return 0
}
