package trace

// Checksum is the NMEA checksum of a line: the XOR of its words, joined by
// single blanks. A `*hh` at the end is not part of it.
func Checksum(line []byte) byte {
	sum, blank := byte(0), false
	line, _, _ = cutChecksum(line)
	started := false
	for _, c := range line {
		if c == ' ' {
			blank = started
			continue
		}
		if blank {
			sum ^= ' '
			blank = false
		}
		sum ^= c
		started = true
	}
	return sum
}

// AppendChecksum appends a blank and the line's checksum as `*hh`, which the
// far end verifies.
func AppendChecksum(line []byte) []byte {
	const hex = "0123456789ABCDEF"
	sum := Checksum(line)
	return append(line, ' ', '*', hex[sum>>4], hex[sum&15])
}

// cutChecksum takes `*hh` off the end of a line.
func cutChecksum(line []byte) (rest []byte, sum byte, found bool) {
	n := len(line)
	for n > 0 && line[n-1] == ' ' {
		n--
	}
	if n < 4 || line[n-3] != '*' || line[n-4] != ' ' {
		return line, 0, false
	}
	high, ok1 := nibble(line[n-2])
	low, ok2 := nibble(line[n-1])
	if !ok1 || !ok2 {
		return line, 0, false
	}
	return line[:n-4], high<<4 | low, true
}

// checked tells whether a line carries no checksum, or the right one.
func checked(line []byte) bool {
	_, sum, found := cutChecksum(line)
	return !found || sum == Checksum(line)
}
