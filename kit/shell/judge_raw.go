package shell

import (
	"strings"
	"unicode/utf8"

	"rein/guard/effect"
)

// maxBytes is how many bytes one command line may have.
const maxBytes = 128 << 10

// CheckBytes looks at the text before anything is parsed: bytes that bash, the parser and the human see differently.
// It reports whether reading can continue.
func (r *judging) CheckBytes(text string) bool {
	switch {
	case len(text) > maxBytes:
		r.Found(effect.Unparsed, "longer than %d bytes", maxBytes)
		return false
	case strings.IndexByte(text, 0) >= 0:
		r.Found(effect.Obfuscated, "contains a NUL byte, which shells silently drop")
		return false
	case !utf8.ValidString(text):
		r.Found(effect.Unparsed, "is not valid UTF-8")
		return false
	}
	r.CheckRunes(text)
	if strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") {
		r.Found(effect.Obfuscated, "contains a carriage return, which can overwrite the displayed command")
		return false
	}
	if strings.Contains(text, "\r\n") {
		r.Found(effect.Unknown, "has lines that end in CR LF, which bash reads as part of the words")
	}
	return true
}

// CheckRunes looks for characters that people do not see as the shell does.
func (r *judging) CheckRunes(text string) {
	before := ' '
	for _, c := range text {
		if c >= utf8.RuneSelf || c < ' ' || c == 0x7f {
			if why := HiddenRune(c, before); why != "" {
				r.Found(effect.Obfuscated, "%s (U+%04X)", why, c)
			}
		}
		before = c
	}
}
