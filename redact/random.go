package redact

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// looksRandom reports whether a run could be a real key: it has variety and is no placeholder of a manual.
func looksRandom(run []byte) bool {
	if len(run) < 12 {
		return true
	}
	return distinct(run) >= min(8, len(run)/2) && !isPlaceholder(run)
}

func distinct(run []byte) int {
	var seen class
	n := 0
	for _, b := range run {
		if !seen.has(b) {
			seen.add(b)
			n++
		}
	}
	return n
}

// isPlaceholder reports whether a run is what manuals write in place of a key.
func isPlaceholder(run []byte) bool {
	lower := bytes.ToLower(run)
	return slices.ContainsFunc([]string{"example", "xxxxx", "aaaaaa", "000000", "placeholder", "your_", "your-", "changeme", "dummy", "redacted"}, func(mark string) bool { return bytes.Contains(lower, []byte(mark)) })
}

// isKeyMaterial reports whether a value next to a telling name (token = …) is a key and not a word, a path or an
// identifier: letters and digits keep alternating in it, or small and capital letters and digits do more often than
// in words that are written together, and it has the entropy of random text.
func isKeyMaterial(run []byte) bool {
	digits, cases, numbers := 0, 0, 0
	for i, b := range run {
		if isDigit(b) {
			numbers++
		}
		if i == 0 {
			continue
		}
		if kindOfByte(b) != kindOfByte(run[i-1]) {
			cases++
		}
		if isLetter(run[i-1]) && isDigit(b) || isDigit(run[i-1]) && isLetter(b) {
			digits++
		}
	}
	alternates := digits >= 4 && digits*8 >= len(run) || numbers >= 2 && cases*20 >= len(run)*9
	if len(run) < 20 && isHex(run) {
		return false // too often the hash of something
	}
	return alternates && entropy(run) >= minEntropy && !isPlaceholder(run) && !isUUID(run)
}

// kindOfByte is 0 for small letters, 1 for capitals, 2 for digits, 3 for the rest.
func kindOfByte(b byte) int {
	switch {
	case 'a' <= b && b <= 'z':
		return 0
	case 'A' <= b && b <= 'Z':
		return 1
	case isDigit(b):
		return 2
	}
	return 3
}

// minEntropy in bits per byte: random hex of 32 characters has about 3.6, English identifiers about 3 to 3.8 (they
// fall to the alternation above).
const minEntropy = 3.0

func entropy(run []byte) float64 {
	var counts [256]int
	for _, b := range run {
		counts[b]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(run))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

func isHex(run []byte) bool {
	for _, b := range run {
		if !isDigit(b) && (b|0x20 < 'a' || b|0x20 > 'f') {
			return false
		}
	}
	return true
}

func isUUID(run []byte) bool {
	return len(run) == 36 && run[8] == '-' && run[13] == '-' && run[18] == '-' && run[23] == '-'
}

// Bounds of what looksOrdinary takes for ordinary.
const (
	longestOrdinary = 28 // letters of an identifier, which are not random
	longestWord     = 16
	longestNumber   = 8
	mostDigits      = 4
)

// looksOrdinary reports whether a value is a word, a small number or an identifier that is in ordinary text and code as well: to hide it
// would hide code, and nobody guesses by it.
func looksOrdinary(value string) bool { return looksLikeWord(value) || looksLikeIdentifier(value) }

// looksLikeWord reports whether a value is letters with at most a capital in front, or digits.
func looksLikeWord(value string) bool {
	letters, digits := 0, 0
	for i, b := range []byte(value) {
		switch {
		case 'a' <= b && b <= 'z', i == 0 && 'A' <= b && b <= 'Z', b == '-' || b == '_':
			letters++
		case isDigit(b):
			digits++
		default:
			return false
		}
	}
	switch {
	case letters == 0:
		return digits < longestNumber
	case digits == 0:
		return letters < longestWord
	}
	// word123: digits only at the end
	return digits <= mostDigits && len(value) < 12 && isDigit(value[len(value)-1]) && !isDigit(value[letters-1])
}

// looksLikeIdentifier reports whether a value is written as names in code are: words of letters, with a dot, a colon, a slash or a capital
// between them, as in django.contrib.auth or BCryptPasswordHasher. Words have vowels, and random letters change between small and
// capital ones more often.
func looksLikeIdentifier(value string) bool {
	if len(value) > longestOrdinary {
		return false
	}
	words, letters, vowels := 0, 0, 0
	for i, b := range []byte(value) {
		switch {
		case strings.IndexByte(".:/", b) >= 0:
			if i == 0 || i == len(value)-1 || !isLetter(value[i-1]) {
				return false
			}
			continue
		case !isLetter(b):
			return false
		case i == 0, !isLetter(value[i-1]), kindOfByte(b) == 1 && kindOfByte(value[i-1]) == 0:
			words++
		}
		letters++
		if strings.IndexByte("aeiouy", b|0x20) >= 0 {
			vowels++
		}
	}
	return words >= 2 && letters >= 4*words && vowels*4 >= letters && vowels*3 <= 2*letters
}
