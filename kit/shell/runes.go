package shell

import (
	"unicode"
	"unicode/utf8"
)

// HiddenRune describes what is wrong with a rune that looks like another one or like nothing, "" for a harmless one. Joiners and
// selectors are harmless inside emoji and scripts that need them: after a rune that is not ASCII.
func HiddenRune(c, before rune) string {
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
