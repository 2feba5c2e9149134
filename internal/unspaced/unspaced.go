// Package unspaced makes text of scripts that write words without spaces searchable word by word: Chinese, Japanese, Thai and
// others.
package unspaced

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Is reports whether a character belongs to a script that writes words without spaces.
func Is(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Apart puts a space between the characters of such scripts, so that each is a word. Control characters but the end of a
// line become spaces.
func Apart(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' {
			return ' '
		}
		return r
	}, text)
	if ASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	last := false
	for _, r := range text {
		now := Is(r)
		if now && last {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = now
	}
	return b.String()
}

// Pairs returns each two neighbours of such scripts, separated by spaces: to find a pair as one word is much quicker than to find
// its characters beside each other.
func Pairs(text string) string {
	if ASCII(text) {
		return ""
	}
	var b strings.Builder
	var last rune
	for _, r := range text {
		if !Is(r) {
			r = 0
		}
		if r != 0 && last != 0 {
			b.WriteRune(last)
			b.WriteRune(r)
			b.WriteByte(' ')
		}
		last = r
	}
	return b.String()
}

// ASCII reports whether the text has no other characters.
func ASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
