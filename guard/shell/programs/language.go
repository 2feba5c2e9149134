package programs

import (
	"strings"

	"rein/guard/shell/code"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
	"rein/places"
)

// languageProgram reads building tools that run a text or a file as well: erl -eval, scala -e, dart x.dart.
func languageProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	for i, a := range c.Argv[1:] {
		switch {
		case table.IsCode(a.Text) && strings.Contains(a.Text, "/") || strings.HasSuffix(a.Text, "."+c.Name):
			if s := r.Locate(sc, a); !s.Free && s.Class == places.Temp && c.Argv[i].Text != "-o" {
				r.Script(sc, a, nil)
			}
		case strings.ContainsAny(a.Text, "({") && i > 0 && strings.HasPrefix(c.Argv[i].Text, "-"), strings.ContainsAny(a.Text, "({\"'"), code.IsEval(c.Argv[i].Text):
			r.Code(sc, c.Name, a, nil, &fact.Data{Known: true})
		}
	}
	return fact.Data{}, false
}
