package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// changeLetters is ${name^}, ${name^^}, ${name,} and ${name,,} of known text.
func changeLetters(text string, op syntax.ParExpOperator) string {
	n := len(text)
	if op == syntax.UpperFirst || op == syntax.LowerFirst {
		n = min(n, 1)
	}
	if op == syntax.UpperFirst || op == syntax.UpperAll {
		return strings.ToUpper(text[:n]) + text[n:]
	}
	return strings.ToLower(text[:n]) + text[n:]
}
