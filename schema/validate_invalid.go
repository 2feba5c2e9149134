package schema

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"rein/internal/plaintext"
)

// Invalid is the error of arguments that do not fit their schema. Its text is short and meant for the model.
type Invalid struct {
	Problems []Problem // at least one, in a stable order
	outline  string    // the arguments that there are, where that helps
}

// Problem is one thing that is wrong.
type Problem struct {
	Path    string `json:"path"`    // like options.files[2].name; empty for the arguments as a whole
	Message string `json:"message"` // what was expected, and the nearest allowed name or value
}

// maxProblems bounds what is looked for: a hundred thousand wrong items need no hundred thousand words.
const maxProblems = 50

// maxShown is how many problems the text lists; a model that gets ten problems repairs no more than one that gets five.
const maxShown = 5

// Error names each problem, the first five in full, and the arguments that there are where one was missing or unknown.
func (e *Invalid) Error() string {
	var text strings.Builder
	for i, p := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&text, "; and %d more", len(e.Problems)-i)
			break
		}
		if i > 0 {
			text.WriteString("; ")
		}
		if p.Path != "" {
			text.WriteString(p.Path + ": ")
		}
		text.WriteString(p.Message)
	}
	if e.outline != "" {
		text.WriteString(" (arguments: " + e.outline + ")")
	}
	return text.String()
}

func invalid(path, message string) *Invalid {
	return &Invalid{Problems: []Problem{{path, message}}}
}

func (c *checks) missing(names []string, at []string, got *Value) []Problem {
	var problems []Problem
	n := c.root.at(at)
	for _, name := range names[:min(len(names), maxProblems)] {
		text := textMissing
		if n != nil {
			if want := n.childNode(name); want != nil && want.types != 0 {
				text += " (" + alternatives(want.types.Names()) + ")"
			}
		}
		if like := plaintext.NearestName(name, strangeNames(got, n)); like != "" {
			text += fmt.Sprintf("; you sent %q, did you mean that?", like)
		}
		problems = append(problems, Problem{join(pathOf(at), name), text})
	}
	return problems
}

func (c *checks) unknown(names []string, at []string) []Problem {
	var problems []Problem
	n := c.root.at(at)
	unknown := slices.Sorted(slices.Values(names))
	for _, name := range unknown[:min(len(unknown), maxProblems)] {
		text := textStranger
		if n != nil {
			known, _ := n.known()
			if like := plaintext.NearestNames(name, known); len(like) > 0 {
				text += "; did you mean " + quoteAll(like, " or ") + "?"
			} else if len(known) > 0 {
				text += "; known are " + quoteAll(known[:min(len(known), 12)], ", ")
			}
		}
		problems = append(problems, Problem{join(pathOf(at), shorten(name, 64)), text})
	}
	return problems
}

func distinct(problems []Problem) []Problem {
	var kept []Problem
	for _, p := range problems {
		if !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].Path < kept[j].Path })
	return kept
}
