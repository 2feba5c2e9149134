package shell

import "strings"

// namesInParts reports whether a text puts the name of what starts programs together, 'ev'+'al', or hands it on as a
// string, as PHP calls functions.
func namesInParts(tokens []token, lang string) bool {
	for i, t := range tokens {
		if !t.isStr {
			continue
		}
		if lang == "php" && isRunner(t.str) {
			return true
		}
		whole, j := t.str, i
		for len(whole) < 64 {
			k := j + 1
			for tokenAt(tokens, k).sym == '+' || tokenAt(tokens, k).sym == '.' {
				k++
			}
			if k == j+1 || !tokenAt(tokens, k).isStr {
				break
			}
			whole, j = whole+tokens[k].str, k
		}
		if j > i && isRunner(whole[strings.LastIndexByte(whole, '.')+1:]) {
			return true
		}
	}
	return false
}

func isRunner(name string) bool {
	return runners().has(name)
}
