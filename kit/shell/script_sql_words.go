package shell

import (
	"slices"
	"strings"
)

// sqlWords returns the words of statements, in lower case, that may say what they change: those of statements that only look, strings
// and quoted names are left out. Where clients disagree about what is a string (backslashes, comments, other quotes), all words count.
func sqlWords(low string) []string {
	if strings.ContainsAny(low, "\\`[$") || strings.Contains(low, "--") || strings.Contains(low, "/*") || strings.Contains(low, "#") {
		return sqlSplit(low)
	}
	low = unquoted(low)
	var words []string
	for statement := range strings.SplitSeq(low, ";") {
		all := sqlSplit(statement)
		if len(all) > 0 && slices.Contains([]string{"select", "values", "show", "describe", "desc", "table"}, all[0]) {
			continue
		}
		words = append(words, all...)
	}
	return words
}

func sqlSplit(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c == '_' || c >= '0' && c <= '9') })
}

// unquoted takes out what is between quotes, of either kind.
func unquoted(text string) string {
	var b strings.Builder
	open := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case open != 0 && c == open:
			open = 0
			b.WriteByte(' ')
		case open == 0 && (c == '\'' || c == '"'):
			open = c
		case open == 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}
