package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"rein/guard/shell/fact"
)

// checkBytes looks at the text before anything is parsed: bytes that bash, the parser and the human see differently.
// It reports whether reading can go on.
func (r *reader) checkBytes(text string) bool {
	switch {
	case len(text) > MaxBytes:
		r.Found(fact.Unparsed, "longer than %d bytes", MaxBytes)
		return false
	case strings.IndexByte(text, 0) >= 0:
		r.Found(fact.Obfuscated, "contains a NUL byte, which shells silently drop")
		return false
	case !utf8.ValidString(text):
		r.Found(fact.Unparsed, "is not valid UTF-8")
		return false
	}
	r.checkRunes(text)
	if strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") {
		r.Found(fact.Obfuscated, "contains a carriage return, which can overwrite the displayed command")
		return false
	}
	if strings.Contains(text, "\r\n") {
		r.Found(fact.Unknown, "has lines that end in CR LF, which bash reads as part of the words")
	}
	return true
}

func (r *reader) checkRunes(text string) {
	before := ' '
	for _, c := range text {
		if c >= utf8.RuneSelf || c < ' ' || c == 0x7f {
			if why := hidden(c, before); why != "" {
				r.Found(fact.Obfuscated, "%s (U+%04X)", why, c)
			}
		}
		before = c
	}
}

// hidden describes what is wrong with a rune that looks like another one or like nothing, "" for a harmless one. Joiners and
// selectors are harmless inside emoji and scripts that need them: after a rune that is not ASCII.
func hidden(c, before rune) string {
	switch {
	case c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x2069, c == 0x061C:
		return "changes the direction of the text"
	case c == 0x200C, c == 0x200D, c >= 0xFE00 && c <= 0xFE0F:
		if before < utf8.RuneSelf && c < 0xFE00 {
			return "an invisible character"
		}
	case c >= 0x200B && c <= 0x200F, c >= 0x2060 && c <= 0x2064, c == 0xFEFF, c == 0x00AD, c == 0x180E, c == 0x034F,
		c == 0x115F, c == 0x1160, c == 0x3164, c == 0xFFA0, c >= 0xE0000 && c <= 0xE0FFF:
		return "an invisible character"
	case c == 0x2028, c == 0x2029, c == 0x0085:
		return "a line break that shells do not see"
	case c < ' ' && c != '\n' && c != '\t' && c != '\r', c == 0x7f, c > 0x7f && c < 0xA0:
		return "a control character"
	}
	return ""
}

// oddName describes what is wrong with the spelling of a program's name, "" if nothing is.
func oddName(name string) string {
	for _, c := range name {
		if c >= utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsSpace(c) || unicode.IsSymbol(c) || unicode.IsPunct(c)) {
			return "letters that look like others in a program's name"
		}
	}
	return ""
}
