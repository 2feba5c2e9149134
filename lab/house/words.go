package house

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Words that are out of use, with the standard terms that replace them. The forms of a word count too.
var oldWords = map[string]string{
	"wall walls walled":                       "sandbox, isolation",
	"rung rungs":                              "sandbox backend",
	"warden wardens":                          "supervisor",
	"nursery nurseries":                       "zygote",
	"crowd crowds":                            "process limit",
	"widen widens widened widening":           "request access, grant access",
	"rescue rescues rescued rescuing":         "recover (a call), tool-call format",
	"parked parks parking":                    "pending, suspended",
	"tape tapes taped":                        "recording, replay",
	"mend mends mended mending":               "repair",
	"grave gravely":                           "high risk",
	"hard-stop hard-stops":                    "always denied",
	"delegate delegates delegated delegating": "sub-agent",
	"guardian guardians":                      "guard",
	"trail trails":                            "taint",
	"lesson lessons":                          "tool prompt",
	"remark remarks":                          "note",
	"battery batteries":                       "test suite",
}

// Expressions in which an old word is a term of the trade or the name of a thing outside the project.
var fine = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`wall[- _]?(clock|time)s?`,
	`rescue\.(target|service)`, `["']rescue["']`, // systemd's single-user mode
	`-?\bDelegate=\w*`, `(cgroup|systemd)[^.]{0,40} delegat\w+`, `delegated? (cgroup|subtree|scope)`, // cgroup delegation, a term of systemd
	`audit trail`,
	`"remark"`,     // a class of web pages
	`rescue_cases`, // a file of others
}, "|"))

// Words reports old words, by directory, above the count that the list allows.
func (m *Module) Words(list *List) ([]string, error) {
	found, err := m.words()
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, c := range found {
		if limit := list.limit(c); c.n > limit {
			problems = append(problems, fmt.Sprintf("%s uses the old word %q %d times, at most %d: say %s (last in %s)",
				c.where, c.what, c.n, limit, newWord(c.what), c.last))
		}
	}
	return problems, nil
}

// words counts the old words of each directory. Files in testdata count for the package that they belong to. This
// package is left out: it lists the words.
func (m *Module) words() ([]count, error) {
	roots := map[string]string{}
	for forms := range oldWords {
		first, _, _ := strings.Cut(forms, " ")
		for form := range strings.FieldsSeq(forms) {
			roots[form] = first
		}
	}
	type key struct{ where, word string }
	totals, last := map[key]int{}, map[key]string{}
	err := m.files(func(name string, text []byte) error {
		where, _, _ := strings.Cut(path.Dir(name), "/testdata")
		if where == "lab/house" {
			return nil
		}
		for number, line := range strings.Split(string(text), "\n") {
			previous := ""
			for _, word := range wordsOf(fine.ReplaceAllString(line, " ")) {
				for _, w := range []string{word, previous + "-" + word} {
					if root, ok := roots[w]; ok {
						totals[key{where, root}]++
						last[key{where, root}] = fmt.Sprintf("%s:%d", name, number+1)
					}
				}
				previous = word
			}
		}
		return nil
	})
	var found []count
	for k, n := range totals {
		found = append(found, count{where: k.where, what: k.word, n: n, last: last[k]})
	}
	sortCounts(found)
	return found, err
}

// wordsOf splits a line into lower-case words, also inside identifiers: oldWords is "old" and "words".
func wordsOf(line string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	for _, r := range line {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && len(word) > 0 && unicode.IsLower(word[len(word)-1]) {
			end()
		}
		if unicode.IsLetter(r) {
			word = append(word, r)
		}
	}
	end()
	return words
}

func newWord(root string) string {
	for _, forms := range slices.Sorted(maps.Keys(oldWords)) {
		if forms == root || strings.HasPrefix(forms, root+" ") {
			return oldWords[forms]
		}
	}
	return ""
}
