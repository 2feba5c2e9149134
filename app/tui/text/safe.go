package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabWidth is how many cells a tab takes at most.
const tabWidth = 4

// Safe makes one line of text from outside safe for a terminal: control bytes, escape sequences, and the characters that
// cannot be seen or that turn the direction of text become <U+200B>, so that nothing is other than it looks. Tabs become
// blanks. hidden counts the characters that it made visible.
func Safe(s string) (safe string, hidden int) {
	if isClean(s) {
		return s, 0
	}
	var b strings.Builder
	column := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "<0x%02X>", s[i])
			hidden++
			column += len("<0xFF>")
		case r == '\t':
			fill := tabWidth - column%tabWidth
			b.WriteString(strings.Repeat(" ", fill))
			column += fill
		case isHidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
			hidden++
			column += len("<U+200B>")
		default:
			b.WriteString(s[i : i+n])
			column++
		}
		i += n
	}
	return b.String(), hidden
}

// Shown is the text of Safe.
func Shown(s string) string {
	safe, _ := Safe(s)
	return safe
}

// OneLine puts a text that may have several lines on one.
func OneLine(s string) string { return Shown(strings.Join(strings.Fields(s), " ")) }

// Lines splits a text from outside into lines that are safe.
func Lines(s string) []string {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Shown(strings.TrimSuffix(lastWritten(l), "\r"))
	}
	return lines
}

// lastWritten is what a terminal shows of a line that a program wrote again and again after a carriage return.
func lastWritten(l string) string {
	trimmed := strings.TrimRight(l, "\r")
	if at := strings.LastIndexByte(trimmed, '\r'); at >= 0 {
		return trimmed[at+1:]
	}
	return l
}

func isClean(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return asciiFree(s)
		}
	}
	return true
}

func asciiFree(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r == '\t' || isHidden(r) {
			return false
		}
	}
	return true
}

// isHidden reports whether a character cannot be seen, or changes what is seen around it. Ordinary emoji contain joiners
// and variation selectors.
func isHidden(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r == 0x200D, r == 0x200C, r >= 0xFE00 && r <= 0xFE0F:
		return false
	case r == 0x00AD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x180E, r == 0xFEFF:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x2028 && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r >= 0xFFF9 && r <= 0xFFFB, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}
