package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// Keywords of draft-07 in a schema that names no draft, that one, or the newest: servers send all of them.
func TestKeywordsOfDraft07(t *testing.T) {
	for _, row := range []struct {
		rule, property string
		good, bad      []string
	}{
		{"items in order", `{"type":"array","items":[{"type":"integer"},{"type":"string"}]}`, []string{`[]`, `[1]`, `[1,"a"]`, `[1,"a",true]`}, []string{`["a"]`, `[1,2]`}},
		{"nothing behind them", `{"items":[{"type":"integer"}],"additionalItems":false}`, []string{`[]`, `[1]`}, []string{`[1,2]`}},
		{"others behind them", `{"type":"array","items":[{"type":"integer"}],"additionalItems":{"type":"boolean"}}`, []string{`[1,true]`}, []string{`[1,2]`}},
		{"no list", `{"type":"array","items":{"type":"integer"},"additionalItems":false}`, []string{`[1,2]`}, []string{`["a"]`}},
		{"an empty list", `{"type":"array","items":[],"additionalItems":false}`, []string{`[]`}, []string{`[1]`}},
		{"deep inside", `{"anyOf":[{"type":"array","items":[{"items":[{"const":1}]}]}]}`, []string{`[[1]]`}, []string{`[[2]]`}},
		{"a reference into them", `{"items":[{"type":"integer"},{"$ref":"#/properties/p/items/0"}]}`, []string{`[1,2]`}, []string{`[1,"a"]`}},
		{"no allowed value", `{"enum":[]}`, nil, []string{`1`, `"a"`, `null`, `[]`, `{}`}},
		{"dependencies", `{"type":"object","dependencies":{"a":["b"],"c":{"required":["d"]}}}`, []string{`{}`, `{"a":1,"b":1}`, `{"c":1,"d":1}`}, []string{`{"a":1}`, `{"c":1}`}},
	} {
		for _, draft := range []string{``, `"$schema":"http://json-schema.org/draft-07/schema#",`, `"$schema":"https://json-schema.org/draft/2020-12/schema",`} {
			if row.rule == "an empty list" && strings.Contains(draft, "07") {
				continue // draft-07 itself refuses it
			}
			s, err := Parse(json.RawMessage(`{` + draft + `"type":"object","properties":{"p":` + row.property + `}}`))
			if err != nil {
				t.Errorf("%s, %s: %v", row.rule, draft, err)
				continue
			}
			for _, v := range row.good {
				args := `{"p":` + v + `}`
				if c, err := s.Check(json.RawMessage(args)); err != nil || string(c.Args) != args || len(c.Notes) > 0 {
					t.Errorf("%s, %s: %s became %s %v, %v", row.rule, draft, v, c.Args, c.Notes, err)
				}
			}
			for _, v := range row.bad {
				if c, err := s.Check(json.RawMessage(`{"p":` + v + `}`)); err == nil && len(c.Notes) == 0 {
					t.Errorf("%s, %s: %s was accepted without a note", row.rule, draft, v)
				}
			}
		}
	}
}
