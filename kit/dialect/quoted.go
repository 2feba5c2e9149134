package dialect

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// The most words of markup that may be before an argument, and between the name of an argument and its value, in a text
// that holds a call: `"arguments": {`, `<arg_value>`, and the like.
const (
	wordsToArguments = 12
	wordsToValue     = 6
)

// quotes reports whether the texts hold this call: the name of the tool and after it each argument with its value, in any
// format of calls and in any spelling. The model has read the texts, so a call that it writes into its own text may be a
// quotation. Blanks, quotes, escapes, markup, letter case and the line numbers of a listing make no difference.
func quotes(texts []string, c RecoveredCall) bool {
	want := wordsOf(c.Name)
	pairs := arguments(json.RawMessage(c.Args))
	text := strings.Join(texts, "\n") // a listing may come in several results
	return len(want) > 0 && slices.ContainsFunc(spellings(text), func(spelled string) bool { return holds(spelled, want, pairs) })
}

// A pair is the words of an argument: its name, and the spellings of its value.
type pair struct {
	name   []word
	values [][]word
}

func (p pair) longest() (n int) {
	for _, v := range p.values {
		n = max(n, len(v))
	}
	return n
}

// arguments lists the plain values of the arguments with the names that they have.
func arguments(args json.RawMessage) []pair {
	var all any
	if json.Unmarshal(args, &all) != nil {
		return []pair{{values: [][]word{wordsOf(string(args))}}}
	}
	var pairs []pair
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				walk(key, value)
			}
		case []any:
			for _, value := range v {
				walk(name, value)
			}
		case string:
			p := pair{name: wordsOf(name)}
			for _, spelled := range spellings(v) {
				p.values = append(p.values, wordsOf(spelled))
			}
			pairs = append(pairs, p)
		case float64:
			pairs = append(pairs, pair{name: wordsOf(name), values: [][]word{wordsOf(strconv.FormatFloat(v, 'f', -1, 64))}})
		case bool:
			pairs = append(pairs, pair{name: wordsOf(name), values: [][]word{wordsOf(strconv.FormatBool(v))}})
		}
	}
	walk("", all)
	return pairs
}

// holds reports whether a text has the words of a name and, near them, those of every argument. Prose has the same words
// without the marks of a call.
func holds(text string, name []word, pairs []pair) bool {
	words, reach := wordsOf(text), 0
	for _, p := range pairs {
		reach += len(p.name) + p.longest() + wordsToArguments
	}
	for i := range words {
		if !begins(words[i:], name) {
			continue
		}
		first, last, all := i, i+len(name), true
		for _, p := range pairs {
			from, to, ok := near(words, i, reach, p)
			first, last, all = min(first, from), max(last, to), all && ok
		}
		if !all {
			continue
		}
		end := words[min(last, len(words))-1].end
		if last == i+len(name) { // no arguments: the marks are around the name
			end = min(end+8, len(text))
		}
		if strings.ContainsAny(text[max(0, words[first].start-16):end], "<{([|") {
			return true
		}
	}
	return false
}

// near finds an argument within reach words of the name at index i, before or after it.
func near(words []word, i, reach int, p pair) (from, to int, ok bool) {
	for at := max(0, i-reach); at < min(len(words), i+1+reach); at++ {
		if !begins(words[at:], p.name) {
			continue
		}
		rest := words[at+len(p.name):]
		for _, v := range p.values {
			for skip := 0; skip <= wordsToValue && skip <= len(rest); skip++ {
				if begins(rest[skip:], v) {
					return at, at + len(p.name) + skip + len(v), true
				}
			}
		}
	}
	return i, i, false
}

func begins(words, with []word) bool {
	if len(with) > len(words) {
		return false
	}
	for i, w := range with {
		if words[i].text != w.text {
			return false
		}
	}
	return true
}

// A word is a run of letters and digits, in lower case, with its place in the text.
type word struct {
	text       string
	start, end int
}

func wordsOf(text string) []word {
	var all []word
	start := -1
	for i, c := range text {
		switch in := unicode.IsLetter(c) || unicode.IsDigit(c); {
		case in && start < 0:
			start = i
		case !in && start >= 0 && !unicode.Is(unicode.Mn, c) && !unicode.Is(unicode.Cf, c):
			all = append(all, word{lower(text[start:i]), start, i})
			start = -1
		}
	}
	if start >= 0 {
		all = append(all, word{lower(text[start:]), start, len(text)})
	}
	return all
}

// lower spells a word in lower case, and without the invisible characters in it.
func lower(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return unicode.ToLower(c)
	}, s)
}

var (
	lineNumbers = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(?:[^\s:]{1,200}[:-])?[ \t]*\d+[ \t]*(?:[|:→\t-]|\x{2502})`)
	})
	escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\+(?:[nrtbf]|["'/\\])`) })
	codes   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))`) })
)

// spellings are the readings of a text: escapes are escapes or letters, and a number at the start of a line is part of the
// text or belongs to the listing.
func spellings(text string) []string {
	all := []string{unescaped(text)}
	for _, change := range []*regexp.Regexp{escapes(), lineNumbers()} {
		for _, s := range all[:len(all):len(all)] {
			if changed := change.ReplaceAllString(s, " "); changed != s {
				all = append(all, changed)
			}
		}
	}
	return all
}

// unescaped decodes character codes of JSON and HTML.
func unescaped(text string) string {
	if strings.Contains(text, `\`) {
		text = codes().ReplaceAllStringFunc(text, func(s string) string {
			code, err := strconv.ParseUint(strings.TrimLeft(s, `\`)[1:], 16, 32)
			if err != nil {
				return s
			}
			return string(rune(code))
		})
	}
	if strings.Contains(text, "&") {
		text = html.UnescapeString(text)
	}
	return text
}
