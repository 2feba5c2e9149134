package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literalQuotes reads the single quotes of the word in "${name:-'word'}" as bash does within double quotes: they are letters, and what
// is between them is expanded. The parser takes it for quoted text. code is true where there is something to expand; unknown takes its
// place.
func literalQuotes(p *syntax.ParamExp, unknown string) (_ *syntax.ParamExp, code bool) {
	if p.Exp.Word == nil {
		return p, false
	}
	var parts []syntax.WordPart
	for _, part := range p.Exp.Word.Parts {
		if q, ok := part.(*syntax.SglQuoted); ok {
			text := "'" + q.Value + "'"
			if q.Dollar || strings.ContainsAny(q.Value, "$`") {
				text, code = unknown, true
			}
			part = &syntax.Lit{Value: text}
		}
		parts = append(parts, part)
	}
	exp, other := *p.Exp, *p
	exp.Word, other.Exp = &syntax.Word{Parts: parts}, &exp
	return &other, code
}

// isDefault reports whether an operator gives its word in the place of a value, or checks for one.
func isDefault(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return true
	}
	return false
}

// emptyIsUnset reports whether an operator treats an empty value as none.
func emptyIsUnset(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.ErrorUnsetOrNull:
		return true
	}
	return false
}

// variableOf returns the variable that a word of an expression names without a dollar sign: x, a[1].
func variableOf(w *syntax.Word) (*syntax.ParamExp, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		if syntax.ValidName(p.Value) {
			return &syntax.ParamExp{Short: true, Param: p}, true
		}
	case *syntax.ParamExp:
		if p.Short && p.Index != nil && !p.Dollar.IsValid() {
			return p, true
		}
	}
	return nil, false
}

// firstPart is the first part of a word, nil where it has none.
func firstPart(parts []syntax.WordPart) syntax.WordPart {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}
