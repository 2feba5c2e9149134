package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"rein/internal/near"
	"rein/schema/internal/tree"
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
		text.WriteString(". Arguments: " + e.outline)
	}
	return text.String()
}

func invalid(path, message string) *Invalid {
	return &Invalid{Problems: []Problem{{path, message}}}
}

// explain turns the full validator's tree of causes into problems.
func (s *Schema) explain(e *jsonschema.ValidationError, v *tree.Value) []Problem {
	if len(e.Causes) == 0 {
		return s.describe(e, v)
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return s.closest(e, v)
	}
	var problems []Problem
	for _, cause := range e.Causes {
		if len(problems) >= maxProblems {
			break
		}
		problems = append(problems, s.explain(cause, v)...)
	}
	return problems
}

// closest explains a failed choice by the branch that came furthest: the one whose first problem lies deepest.
func (s *Schema) closest(e *jsonschema.ValidationError, v *tree.Value) []Problem {
	var best []Problem
	deepest := -1
	var wanted []string
	for _, cause := range e.Causes {
		depth := depthOf(cause)
		if t, ok := typeProblem(cause); ok && depth == len(e.InstanceLocation) {
			wanted = append(wanted, t...)
			continue
		}
		if depth > deepest {
			deepest, best = depth, s.explain(cause, v)
		}
	}
	if best != nil {
		return best
	}
	return []Problem{{pathOf(e.InstanceLocation), "expected " + tree.Alternatives(wanted) + ", got " + v.At(e.InstanceLocation).Show()}}
}

func depthOf(e *jsonschema.ValidationError) int {
	depth := len(e.InstanceLocation)
	for _, cause := range e.Causes {
		depth = max(depth, depthOf(cause))
	}
	return depth
}

// typeProblem returns the wanted types when nothing but the type is wrong.
func typeProblem(e *jsonschema.ValidationError) ([]string, bool) {
	for len(e.Causes) == 1 {
		e = e.Causes[0]
	}
	t, ok := e.ErrorKind.(*kind.Type)
	if !ok {
		return nil, false
	}
	return t.Want, true
}

// describe puts one failed keyword into words.
func (s *Schema) describe(e *jsonschema.ValidationError, v *tree.Value) []Problem {
	path, got := pathOf(e.InstanceLocation), v.At(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return s.missing(k, e.InstanceLocation, got)
	case *kind.AdditionalProperties:
		return s.unknown(k, e.InstanceLocation, got)
	case *kind.Type:
		return []Problem{{path, "expected " + tree.Alternatives(k.Want) + ", got " + got.Show()}}
	case *kind.Enum:
		return []Problem{{path, "expected " + choices(k.Want, got) + ", got " + got.Show()}}
	case *kind.Const:
		return []Problem{{path, "expected " + shown(k.Want) + ", got " + got.Show()}}
	}
	return []Problem{{path, phrase(e.ErrorKind) + ", got " + got.Show()}}
}

func (s *Schema) missing(k *kind.Required, at []string, got *tree.Value) []Problem {
	var problems []Problem
	n := s.root.at(at)
	for _, name := range k.Missing[:min(len(k.Missing), maxProblems)] {
		text := textMissing
		if n != nil {
			if want := n.childNode(name); want != nil && want.types != 0 {
				text += " (" + tree.Alternatives(want.types.Names()) + ")"
			}
		}
		if like := near.Name(name, strangeNames(got, n)); like != "" {
			text += fmt.Sprintf("; you sent %q, did you mean that?", like)
		}
		problems = append(problems, Problem{join(pathOf(at), name), text})
	}
	return problems
}

func (s *Schema) unknown(k *kind.AdditionalProperties, at []string, got *tree.Value) []Problem {
	var problems []Problem
	n := s.root.at(at)
	unknown := slices.Sorted(slices.Values(k.Properties))
	for _, name := range unknown[:min(len(unknown), maxProblems)] {
		text := textStranger
		if n != nil {
			names, _ := n.known()
			if like := near.Names(name, names); len(like) > 0 {
				text += "; did you mean " + quoteAll(like, " or ") + "?"
			} else if len(names) > 0 {
				text += "; known are " + quoteAll(names[:min(len(names), 12)], ", ")
			}
		}
		problems = append(problems, Problem{join(pathOf(at), tree.Shorten(name, 64)), text})
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
	slices.SortStableFunc(kept, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return kept
}
