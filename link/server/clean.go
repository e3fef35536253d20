package server

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dev.local/linktop/model"
)

// clean makes a peer's words safe to show and to keep: valid UTF-8 without
// control and formatting characters (each becomes a blank, of which one remains
// in a row), at most limit bytes and cut between two characters.
func clean(s string, limit int) string {
	if plainASCII(s) && len(s) <= limit {
		return s
	}
	return string(cleanText(nil, s, limit))
}

// cleanText appends the cleaned s to dst.
func cleanText[T ~string | ~[]byte](dst model.Text, in T, limit int) model.Text {
	start, blank := len(dst), false
	// A character that is cut in two at the end of the part looked at is left
	// out below, as it would not have fitted.
	s := string(in[:min(len(in), 4*limit+utf8.UTFMax)])
	for _, r := range s {
		r = visible(r)
		if r == ' ' && blank {
			continue
		}
		if len(dst)-start+utf8.RuneLen(r) > limit {
			break
		}
		blank = r == ' '
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// visible is the rune, or a blank in place of one that controls or formats.
func visible(r rune) rune {
	if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
		return ' '
	}
	return r
}

func plainASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
