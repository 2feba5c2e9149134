package agent

import (
	"unicode"
	"unicode/utf8"
)

// What the classes cost, in hundredths of a token. Where vocabularies differ the larger cost is taken: a correction lowers
// the estimate after the first answer.
const (
	costWord      = 100 // the first piece of a run of letters
	costPiece     = 97  // each further piece: after a joint of lower and upper case, or of letters and digits
	costDigits    = 117 // each group of three digits that is begun
	costPunct     = 66  // a run of punctuation
	costPunctMore = 46  // each further three characters of it
	costBlank     = 183 // a run of blanks that is longer than one or has a line break
	costWide      = 98  // a character of Chinese, Japanese or Korean
	costLetter    = 43  // another letter
	costSymbol    = 100 // another symbol
	costRandom    = 61  // a byte of base64, hexadecimal, a hash
)

// leastRandom and jointEvery tell random letters and digits from words: a long run with many joints.
const (
	leastRandom = 24
	jointEvery  = 8
)

type class uint8

const (
	high class = iota
	lower
	upper
	digit
	blank
	breaks
	punct
)

// classes gives each byte its class; bytes of characters outside ASCII are high.
var classes = func() (t [256]class) {
	for b := range 128 {
		switch {
		case b >= 'a' && b <= 'z':
			t[b] = lower
		case b >= 'A' && b <= 'Z':
			t[b] = upper
		case b >= '0' && b <= '9':
			t[b] = digit
		case b == '\n' || b == '\r':
			t[b] = breaks
		case b == ' ' || b == '\t':
			t[b] = blank
		default:
			t[b] = punct
		}
	}
	return t
}()

// estimateTokens returns about how many tokens a text has, without the vocabulary of a model; 0 only for an empty text. It reads the
// text once, sorts its characters into classes, and adds what each class costs on average. On code, prose, JSON, logs and CJK
// texts it is within 5 % on average (docs/maintainers/performance.md); bytes divided by four are 25 % off, and 63 % on base64. It takes some
// 4 µs a kB.
func estimateTokens(text string) int {
	if text == "" {
		return 0
	}
	return max(1, (scan(text)+50)/100)
}

// window and windows are what estimateQuickly reads of a long text.
const (
	window  = 256
	windows = 16
)

// estimateQuickly is estimateTokens for long texts: above 4 kB it reads 16 pieces that are spread evenly, so that it takes 20 µs whatever
// the length.
func estimateQuickly(text string) int {
	if len(text) <= window*windows {
		return estimateTokens(text)
	}
	sum, step := 0, len(text)/windows
	for i := range windows {
		sum += scan(text[i*step : i*step+window])
	}
	return sum * (len(text) / window) / windows / 100
}

// scan returns the tokens of a text in hundredths.
func scan(text string) (sum int) {
	for i := 0; i < len(text); {
		switch classes[text[i]] {
		case lower, upper, digit:
			end, cost := word(text, i)
			sum, i = sum+cost, end
		case blank, breaks:
			end, broken := i, false
			for end < len(text) && (classes[text[end]] == blank || classes[text[end]] == breaks) {
				broken = broken || classes[text[end]] == breaks
				end++
			}
			if broken || end-i > 1 {
				sum += costBlank
			}
			i = end
		case punct:
			end := i + 1
			for end < len(text) && classes[text[end]] == punct {
				end++
			}
			sum += costPunct + (end-i-1)/3*costPunctMore
			i = end
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			sum += costOf(r)
			i += size
		}
	}
	return sum
}

// word returns the end and the cost of a run of letters and digits.
func word(text string, start int) (end, cost int) {
	joints, digits := 0, 0
	last := class(punct)
	for end = start; end < len(text); end++ {
		c := classes[text[end]]
		if c != last {
			if c != lower && c != upper && c != digit {
				break
			}
			// An upper case letter before lower case ones begins the same piece.
			if last != punct && !(last == upper && c == lower) {
				joints++
			}
			switch {
			case c == digit:
				digits = 0
			case last == punct:
				cost += costWord
			case last != upper || c != lower:
				cost += costPiece
			}
			last = c
		}
		if c == digit {
			if digits%3 == 0 {
				cost += costDigits
			}
			digits++
		}
	}
	if n := end - start; n >= leastRandom && joints*jointEvery >= n {
		return end, n * costRandom
	}
	return end, cost
}

// costOf returns what a character outside ASCII costs.
func costOf(r rune) int {
	switch {
	case r >= 0x2E80 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r >= 0xF900 && r <= 0xFAFF, r >= 0xFF00 && r <= 0xFFEF, r >= 0x20000 && r <= 0x3FFFF:
		return costWide
	case unicode.IsLetter(r), unicode.IsMark(r):
		return costLetter
	}
	return costSymbol
}
