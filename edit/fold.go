package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// unit is one character of a line under the loosest equality, with the bytes of the line that it stands for.
type unit struct {
	r        rune
	from, to int
}

// fold reads a line under the loosest equality: blanks outside collapsed to one, none at the ends, typographic
// characters as their plain ones, composed accents, no zero width. Letter case and digits always count.
func fold(s string) []unit {
	out := make([]unit, 0, len(s))
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
			for _, p := range plain(r) {
				out = addUnit(out, p, from, to)
				from = to
			}
		}
		i += n
	}
	if n := len(out); n > 0 && out[n-1].r == ' ' {
		out = out[:n-1]
	}
	return out
}

func addUnit(out []unit, r rune, from, to int) []unit {
	if isZeroWidth(r) {
		if n := len(out); n > 0 {
			out[n-1].to = to
		}
		return out
	}
	if !isBlank(r) {
		return append(out, unit{r, from, to})
	}
	if n := len(out); n == 0 {
		return out
	} else if out[n-1].r == ' ' {
		out[n-1].to = to
		return out
	}
	return append(out, unit{' ', from, to})
}

// plain is the ASCII spelling of a typographic character; any other character is its own.
func plain(r rune) string {
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

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// key is a line under the loosest equality as a string; empty for a blank line.
func key(s string) string {
	if isPlainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, u := range fold(s) {
		b.WriteRune(u.r)
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

// hashKey is a hash of key(s), without making the string; zero for a blank line.
func hashKey(s string) uint64 {
	h, some, gap := uint64(hashStart), false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return hashUnits(fold(s))
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

func hashUnits(units []unit) uint64 {
	if len(units) == 0 {
		return 0
	}
	h := uint64(hashStart)
	for _, u := range units {
		h = (h ^ uint64(u.r)) * hashPrime
	}
	return h
}

// damage is the set of differences between a line of the model and one of the file that has the same key.
type damage uint16

const (
	trailing damage = 1 << iota // blanks at the end
	typography
	indentation
	interior // blanks inside
	blankLines
)

// compare reports how a model's line differs from a file's line with the same key.
func compare(model, file string) damage {
	if model == file {
		return 0
	}
	var d damage
	mi, fi := indent(model), indent(file)
	if mi != fi {
		d |= indentation
	}
	m, f := model[len(mi):], file[len(fi):]
	mt, ft := strings.TrimRight(m, " \t\r"), strings.TrimRight(f, " \t\r")
	if len(m)-len(mt) != len(f)-len(ft) || m[len(mt):] != f[len(ft):] {
		d |= trailing
	}
	if mt == ft {
		return d
	}
	ms, fs := respell(mt), respell(ft)
	if ms != mt || fs != ft {
		d |= typography
	}
	if ms != fs {
		d |= interior
	}
	return d
}

// respell writes typographic characters plainly and leaves every ordinary blank as it is.
func respell(s string) string {
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
			b.WriteString(plain(r))
		}
	}
	return b.String()
}
