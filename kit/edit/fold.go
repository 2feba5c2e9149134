package edit

// This file compares lines of text under the loosest equality that still means the same text: blanks collapsed,
// typographic characters as plain ones, accents composed, nothing invisible.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldUnit is one character of a line under the loosest equality, with the bytes of the line that it stands for.
type foldUnit struct {
	R        rune
	From, To int
}

// ofFold returns the characters of a line under the loosest equality: blanks outside collapsed to one, none at the ends, typographic
// characters as their plain ones, composed accents, no zero width. Letter case and digits always count.
func ofFold(s string) []foldUnit {
	out := make([]foldUnit, 0, len(s))
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
			for _, p := range foldPlain(r) {
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

func addUnit(out []foldUnit, r rune, from, to int) []foldUnit {
	if isZeroWidth(r) {
		if n := len(out); n > 0 {
			out[n-1].To = to
		}
		return out
	}
	if !isBlank(r) {
		return append(out, foldUnit{r, from, to})
	}
	if n := len(out); n == 0 {
		return out
	} else if out[n-1].R == ' ' {
		out[n-1].To = to
		return out
	}
	return append(out, foldUnit{' ', from, to})
}

// foldPlain returns the ASCII spelling of a typographic character, and any other character as it is.
func foldPlain(r rune) string {
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

// isBlank reports whether a character is white space within a line.
func isBlank(r rune) bool {
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
	for _, u := range ofFold(s) {
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

// hashKey returns a hash of Key(s), without making the string; zero for a blank line.
func hashKey(s string) uint64 {
	h, some, gap := uint64(hashStart), false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return hashUnits(ofFold(s))
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

func hashUnits(units []foldUnit) uint64 {
	if len(units) == 0 {
		return 0
	}
	h := uint64(hashStart)
	for _, u := range units {
		h = (h ^ uint64(u.R)) * hashPrime
	}
	return h
}

// foldDamage is the set of differences between a line of the model and one of the file that has the same key.
type foldDamage uint16

const (
	foldTrailing foldDamage = 1 << iota // blanks at the end
	foldTypography
	foldIndentation
	foldInterior // blanks inside
	blankLines
)

// foldCompare reports how a model's line differs from a file's line with the same key.
func foldCompare(model, file string) foldDamage {
	if model == file {
		return 0
	}
	var d foldDamage
	mi, fi := foldIndent(model), foldIndent(file)
	if mi != fi {
		d |= foldIndentation
	}
	m, f := model[len(mi):], file[len(fi):]
	mt, ft := strings.TrimRight(m, " \t\r"), strings.TrimRight(f, " \t\r")
	if len(m)-len(mt) != len(f)-len(ft) || m[len(mt):] != f[len(ft):] {
		d |= foldTrailing
	}
	if mt == ft {
		return d
	}
	ms, fs := foldRespell(mt), foldRespell(ft)
	if ms != mt || fs != ft {
		d |= foldTypography
	}
	if ms != fs {
		d |= foldInterior
	}
	return d
}

// foldRespell writes typographic characters plainly and leaves every ordinary blank as it is.
func foldRespell(s string) string {
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
		case isBlank(r) && r >= utf8.RuneSelf:
			b.WriteByte(' ')
		default:
			b.WriteString(foldPlain(r))
		}
	}
	return b.String()
}

// foldBlank reports whether a line has white space only.
func foldBlank(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v' {
			return c >= 0x80 && strings.TrimFunc(s[i:], isBlank) == ""
		}
	}
	return true
}

// foldIndent returns the blanks before a line's first character.
func foldIndent(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
}

// Names lists the differences in words.
func (dm foldDamage) Names() []string {
	var out []string
	for _, n := range damageNames {
		if dm&n.bit != 0 {
			out = append(out, n.name)
		}
	}
	return out
}

var damageNames = [...]struct {
	bit  foldDamage
	name string
}{
	{foldTrailing, "blanks at line ends"}, {foldTypography, "typography"}, {foldIndentation, "indentation"}, {foldInterior, "blanks inside lines"}, {blankLines, "blank lines"},
}
