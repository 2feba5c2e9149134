package edit

// Lines are compared under the loosest equality that still means the same text: blanks collapsed, typographic
// characters as plain ones, accents composed, nothing invisible.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldedChar is one character of a line under the loosest equality, with the bytes of the line that it stands for.
type foldedChar struct {
	R        rune
	From, To int
}

// foldLine returns the characters of a line under the loosest equality: blanks outside collapsed to one, none at the ends, typographic
// characters as their plain ones, composed accents, no zero width. Letter case and digits always count.
func foldLine(s string) []foldedChar {
	out := make([]foldedChar, 0, len(s))
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
			out = addUnit(out, rune(c), i, i+1)
			i++
			continue
		}
		n := norm.NFC.NextBoundaryInString(s[i:], true)
		if n <= 0 {
			n = len(s) - i
		}
		from, to := i, i+n
		for _, r := range norm.NFC.String(s[i : i+n]) {
			for _, p := range plainSpelling(r) {
				out = addUnit(out, p, from, to)
				from = to
			}
		}
		i += n
	}
	if n := len(out); n > 0 && out[n-1].R == ' ' {
		out = out[:n-1]
	}
	return out
}

func addUnit(out []foldedChar, r rune, from, to int) []foldedChar {
	if isZeroWidth(r) {
		if n := len(out); n > 0 {
			out[n-1].To = to
		}
		return out
	}
	if !isBlankChar(r) {
		return append(out, foldedChar{r, from, to})
	}
	if n := len(out); n == 0 {
		return out
	} else if out[n-1].R == ' ' {
		out[n-1].To = to
		return out
	}
	return append(out, foldedChar{' ', from, to})
}

// plainSpelling returns the ASCII spelling of a typographic character, and any other character as it is.
func plainSpelling(r rune) string {
	switch r {
	case '“', '”', '„', '‟', '″', '＂':
		return `"`
	case '‘', '’', '‚', '‛', '′', '＇':
		return "'"
	case '‐', '‑', '‒', '–', '—', '―', '−', '－':
		return "-"
	case '…':
		return "..."
	}
	if r > 0xff00 && r < 0xff5f {
		return string(r - 0xff00 + 0x20)
	}
	return string(r)
}

// isBlankChar reports whether a character is white space within a line.
func isBlankChar(r rune) bool {
	switch r {
	case ' ', '\t', '\r', '\f', '\v', 0xa0, 0x202f, 0x205f, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}

func isZeroWidth(r rune) bool {
	switch r {
	case 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0xad:
		return true
	}
	return false
}

// isWord reports whether a character belongs to a word or a number.
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// foldKey returns a line under the loosest equality as a string; empty for a blank line.
func foldKey(s string) string {
	if isPlainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, u := range foldLine(s) {
		b.WriteRune(u.R)
	}
	return b.String()
}

// isPlainASCII means that a line is its own key.
func isPlainASCII(s string) bool {
	last := byte(' ')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf || c == ' ' && last == ' ' || c < ' ' {
			return false
		}
		last = c
	}
	return last != ' ' || s == ""
}

const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

// foldHash returns a hash of foldKey(s), without making the string; zero for a blank line.
func foldHash(s string) uint64 {
	h, some, gap := uint64(hashStart), false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return hashUnits(foldLine(s))
		}
		if c == ' ' || c >= '\t' && c <= '\r' {
			gap = some
			continue
		}
		if gap {
			h = (h ^ ' ') * hashPrime
			gap = false
		}
		some = true
		h = (h ^ uint64(c)) * hashPrime
	}
	if !some {
		return 0
	}
	return h
}

func hashUnits(units []foldedChar) uint64 {
	if len(units) == 0 {
		return 0
	}
	h := uint64(hashStart)
	for _, u := range units {
		h = (h ^ uint64(u.R)) * hashPrime
	}
	return h
}

// lineDamage is the set of differences between a line of the model and one of the file that has the same key.
type lineDamage uint16

const (
	damageTrailing lineDamage = 1 << iota // blanks at the end
	damageTypography
	damageIndentation
	damageInterior // blanks inside
	damageBlankLine
)

// compareLines reports how a model's line differs from a file's line with the same key.
func compareLines(model, file string) lineDamage {
	if model == file {
		return 0
	}
	var d lineDamage
	mi, fi := indentOf(model), indentOf(file)
	if mi != fi {
		d |= damageIndentation
	}
	m, f := model[len(mi):], file[len(fi):]
	mt, ft := strings.TrimRight(m, " \t\r"), strings.TrimRight(f, " \t\r")
	if len(m)-len(mt) != len(f)-len(ft) || m[len(mt):] != f[len(ft):] {
		d |= damageTrailing
	}
	if mt == ft {
		return d
	}
	ms, fs := respellLine(mt), respellLine(ft)
	if ms != mt || fs != ft {
		d |= damageTypography
	}
	if ms != fs {
		d |= damageInterior
	}
	return d
}

// respellLine writes typographic characters plainly and leaves every ordinary blank as it is.
func respellLine(s string) string {
	plainOnly := true
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			plainOnly = false
			break
		}
	}
	if plainOnly {
		return s
	}
	var b strings.Builder
	for _, r := range norm.NFC.String(s) {
		switch {
		case isZeroWidth(r):
		case isBlankChar(r) && r >= utf8.RuneSelf:
			b.WriteByte(' ')
		default:
			b.WriteString(plainSpelling(r))
		}
	}
	return b.String()
}

// isBlankLine reports whether a line has white space only.
func isBlankLine(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v' {
			return c >= 0x80 && strings.TrimFunc(s[i:], isBlankChar) == ""
		}
	}
	return true
}

// indentOf returns the blanks before a line's first character.
func indentOf(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
}

// Names lists the differences in words.
func (dm lineDamage) Names() []string {
	var out []string
	for _, n := range damageNames {
		if dm&n.bit != 0 {
			out = append(out, n.name)
		}
	}
	return out
}

var damageNames = [...]struct {
	bit  lineDamage
	name string
}{
	{damageTrailing, "blanks at line ends"}, {damageTypography, "typography"}, {damageIndentation, "indentation"}, {damageInterior, "blanks inside lines"}, {damageBlankLine, "blank lines"},
}
