package shell

import "strings"

// namesInParts reports whether a text puts the name of what starts programs together, 'ev'+'al', or passes it on as a
// string, as PHP calls functions.
func namesInParts(tokens []token, lang string) bool {
	for i, t := range tokens {
		if !t.IsStr {
			continue
		}
		if lang == "php" && isRunner(t.Str) {
			return true
		}
		whole, j := t.Str, i
		for len(whole) < 64 {
			k := j + 1
			for tokenAt(tokens, k).Sym == '+' || tokenAt(tokens, k).Sym == '.' {
				k++
			}
			if k == j+1 || !tokenAt(tokens, k).IsStr {
				break
			}
			whole, j = whole+tokens[k].Str, k
		}
		if j > i && isRunner(whole[strings.LastIndexByte(whole, '.')+1:]) {
			return true
		}
	}
	return false
}

func isRunner(name string) bool {
	return runners().Has(name)
}
