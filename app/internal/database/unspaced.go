package database

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsUnspaced reports whether a character belongs to a script that writes words without spaces:
// Chinese, Japanese, Thai and others.
func IsUnspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// SpaceApart puts a space between the characters of such scripts, so that each is a word. Control characters but the end of a
// line become spaces.
func SpaceApart(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' {
			return ' '
		}
		return r
	}, text)
	if IsASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	last := false
	for _, r := range text {
		now := IsUnspaced(r)
		if now && last {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = now
	}
	return b.String()
}

// LetterPairs returns each two neighbours of such scripts, separated by spaces: to find a pair as one word is much quicker than to find
// its characters beside each other.
func LetterPairs(text string) string {
	if IsASCII(text) {
		return ""
	}
	var b strings.Builder
	var last rune
	for _, r := range text {
		if !IsUnspaced(r) {
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

// IsASCII reports whether the text has no other characters.
func IsASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
