package redact

import (
	"bytes"
	"math"
)

// looksRandom says whether a run could be a real key: it has variety and is no placeholder of a manual.
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
			seen[b>>6] |= 1 << (b & 63)
			n++
		}
	}
	return n
}

// isPlaceholder says whether a run is what manuals write in place of a key.
func isPlaceholder(run []byte) bool {
	lower := bytes.ToLower(run)
	for _, mark := range []string{"example", "xxxxx", "aaaaaa", "000000", "placeholder", "your_", "your-", "changeme", "dummy", "redacted"} {
		if bytes.Contains(lower, []byte(mark)) {
			return true
		}
	}
	return false
}

// isKeyMaterial says whether a value next to a telling name (token = …) is a key and not a word, a path or an
// identifier: letters and digits keep alternating in it, and it has the entropy of random text.
func isKeyMaterial(run []byte) bool {
	changes := 0
	for i := 1; i < len(run); i++ {
		if isLetter(run[i-1]) && isDigit(run[i]) || isDigit(run[i-1]) && isLetter(run[i]) {
			changes++
		}
	}
	return changes >= 4 && changes*8 >= len(run) && entropy(run) >= minEntropy && !isPlaceholder(run) && !isUUID(run)
}

// minEntropy in bits per byte: random hex of 32 characters has about 3.6, English identifiers about 3.2 to 3.8 (they
// fall to the alternation above).
const minEntropy = 3.2

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

func isUUID(run []byte) bool {
	return len(run) == 36 && run[8] == '-' && run[13] == '-' && run[18] == '-' && run[23] == '-'
}
