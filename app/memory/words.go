package memory

import (
	"slices"
	"strings"
	"unicode"

	"rein/app/internal/database"
)

// mostWords is how many words of a query are searched.
const mostWords = 12

// wordsOf returns the words of a query as phrases of the index, without those that say nothing. A run of a script without spaces
// becomes pairs of characters, because nobody knows where its words end.
func wordsOf(query string) (all []string) {
	var common []string
	for _, w := range strings.FieldsFunc(strings.ToLower(query), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Mn, r)
	}) {
		for _, p := range phrases(w) {
			switch {
			case slices.Contains(all, p) || slices.Contains(common, p):
			case stopWord(p):
				common = append(common, p)
			default:
				all = append(all, p)
			}
		}
	}
	if len(all) == 0 {
		all = common
	}
	return all[:min(len(all), mostWords)]
}

// phrases takes a word apart where its script changes.
func phrases(word string) (all []string) {
	runes := []rune(word)
	for from := 0; from < len(runes); {
		to := from
		for to < len(runes) && database.IsUnspaced(runes[to]) == database.IsUnspaced(runes[from]) {
			to++
		}
		run := runes[from:to]
		switch {
		case !database.IsUnspaced(run[0]) || len(run) <= 2:
			all = append(all, string(run))
		default:
			for i := range len(run) - 1 {
				all = append(all, string(run[i:i+2]))
			}
		}
		from = to
	}
	return all
}

// quoted is a phrase as the search engine takes it: nothing in it is an operator. A pair of characters is one word of the index.
func quoted(phrase string) string { return `"` + phrase + `"` }

// stopWord reports whether a word is in nearly every text.
func stopWord(w string) bool { return strings.Contains(stopWords, " "+w+" ") }

const stopWords = " a about an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of on or our should so than that the their them then there these they this to was we were what when where which who why will with would you your 一个 什么 的 是 了 在 和 我 我们 有 "
