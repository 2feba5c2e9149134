package files

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// needles are words of which at least one is in every match. The zero value knows none.
type needles struct {
	words [][]byte
	rare  []int // where the rarest letter of each word is
	fold  bool  // words are lower-case ASCII and letter case does not matter
}

// ready notes the rarest letters.
func (n *needles) ready() {
	for _, w := range n.words {
		n.rare = append(n.rare, rarest(w))
	}
}

// The bounds of needles that are useful.
const (
	mostWords   = 12
	shortestLen = 2 // a single letter is nearly everywhere
)

// usable reports whether looking for the needles finds every match in a text. Two letters outside ASCII fold to "k" and
// "s": in a text that has them, folded needles are not enough.
func (n needles) usable(text []byte) bool {
	if len(n.words) == 0 {
		return false
	}
	return !n.fold || !bytes.Contains(text, []byte("\u212a")) && !bytes.Contains(text, []byte("\u017f"))
}

// index returns where a word is at or behind a position, or -1.
func (n needles) index(text []byte, word, from int) int {
	i := -1
	if n.fold {
		i = indexFold(text[from:], n.words[word], n.rare[word])
	} else {
		i = indexRare(text[from:], n.words[word], n.rare[word])
	}
	if i < 0 {
		return -1
	}
	return from + i
}

// indexRare is bytes.Index, but looks for the letter k of the word, where bytes.Index looks for the first: "ebra" is
// found three times as fast by its "b".
func indexRare(text, word []byte, k int) int {
	for at := k; at < len(text); at++ {
		i := bytes.IndexByte(text[at:], word[k])
		if i < 0 {
			return -1
		}
		at += i
		if start := at - k; start+len(word) <= len(text) && bytes.Equal(text[start:start+len(word)], word) {
			return start
		}
	}
	return -1
}

// indexFold finds a lower-case ASCII word in any letter case, by its rarest letter.
func indexFold(text, word []byte, k int) int {
	lower, upper := word[k], toUpper(word[k])
	nextLower, nextUpper := -1, -1 // where each is next; len(text) when nowhere
	for at := k; at < len(text); at++ {
		nextLower = find(text, lower, at, nextLower)
		if upper == lower {
			nextUpper = len(text)
		} else {
			nextUpper = find(text, upper, at, nextUpper)
		}
		if at = min(nextLower, nextUpper); at >= len(text) {
			return -1
		}
		if start := at - k; start+len(word) <= len(text) && equalFold(text[start:start+len(word)], word) {
			return start
		}
	}
	return -1
}

// find returns where a byte is at or behind a position, if what is known is not there.
func find(text []byte, b byte, at, known int) int {
	if known >= at {
		return known
	}
	if i := bytes.IndexByte(text[at:], b); i >= 0 {
		return at + i
	}
	return len(text)
}

// common orders letters by how often they are in source text; what is not in it is rarer than all.
const common = " etarnisolcdpumfgh_bywvk.x"

func rarest(word []byte) int {
	best, often := 0, len(common)+1
	for i, b := range word {
		n := 0
		if at := strings.IndexByte(common, b); at >= 0 {
			n = len(common) - at
		}
		if n < often {
			best, often = i, n
		}
	}
	return best
}

func toUpper(b byte) byte {
	if b >= 'a' && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}

func equalFold(text, lower []byte) bool {
	for i, b := range lower {
		t := text[i]
		if t >= 'A' && t <= 'Z' {
			t += 'a' - 'A'
		}
		if t != b {
			return false
		}
	}
	return true
}

// required returns words of which every match has at least one.
func required(re *syntax.Regexp) needles {
	switch re.Op {
	case syntax.OpLiteral:
		return literalNeedle(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best needles
		for _, sub := range re.Sub {
			if n := required(sub); n.better(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		return either(re.Sub)
	}
	return needles{}
}

func literalNeedle(re *syntax.Regexp) needles {
	word := string(re.Rune)
	fold := re.Flags&syntax.FoldCase != 0
	if fold {
		word = strings.ToLower(word)
		for _, r := range word {
			if r >= utf8.RuneSelf {
				return needles{} // folds in ways of its own
			}
		}
	}
	if len(word) < shortestLen {
		return needles{}
	}
	return needles{words: [][]byte{[]byte(word)}, fold: fold}
}

func either(subs []*syntax.Regexp) needles {
	var all needles
	for _, sub := range subs {
		n := required(sub)
		if len(n.words) == 0 || len(all.words)+len(n.words) > mostWords {
			return needles{}
		}
		all.words = append(all.words, n.words...)
		all.fold = all.fold || n.fold
	}
	if all.fold {
		for i, w := range all.words {
			for _, b := range w {
				if b >= utf8.RuneSelf {
					return needles{}
				}
			}
			all.words[i] = bytes.ToLower(w)
		}
	}
	return all
}

// better reports whether looking for n leaves fewer lines to check than looking for m.
func (n needles) better(m needles) bool {
	if len(n.words) == 0 || len(m.words) == 0 {
		return len(n.words) > 0
	}
	return n.weight()*len(m.words) > m.weight()*len(n.words)
}

// weight is how rare the least rare word is: a letter counts for more when it is not a common one.
func (n needles) weight() int {
	least := 1 << 30
	for _, word := range n.words {
		sum := 0
		for _, b := range word {
			if sum++; strings.IndexByte(common, b) < 0 {
				sum += 2
			}
		}
		least = min(least, sum)
	}
	return least
}

// literal reports whether an expression is one word and nothing else.
func literal(re *syntax.Regexp) bool {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	return re.Op == syntax.OpLiteral
}
