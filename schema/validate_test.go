package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// Each row is a schema of the argument v, a value that fits, and one that does not, with the problem.
func TestProblemsOfRareKeywords(t *testing.T) {
	for _, row := range []struct{ schema, good, bad, want string }{
		{`{"exclusiveMinimum":1}`, `1.5`, `1`, `v: must be more than 1, got 1`},
		{`{"exclusiveMaximum":0.5}`, `0`, `0.5`, `v: must be less than 0.5, got 0.5`},
		{`{"minimum":1,"exclusiveMinimum":true}`, `2`, `1`, `v: must be more than 1, got 1`}, // draft-04
		{`{"multipleOf":0.01}`, `4.35`, `4.351`, `v: must be a multiple of 0.01, got 4.351`},
		{`{"minLength":2.0}`, `"éé"`, `"é"`, `v: must have at least 2 characters, got "é"`},
		{`{"const":{"a":1}}`, `{"a":1.0}`, `{"a":2}`, `v: expected {"a":1}, got an object`},
		{`{"enum":[1,"a"],"const":1}`, `1`, `"a"`, `v: expected 1, got "a"`},
		{`{"type":"integer"}`, `12345678901234567890`, `"x"`, `v: expected an integer, got "x"`},
		{`{"uniqueItems":true}`, `[1,"1",true]`, `[{"a":1,"b":2},0,{"b":2.0,"a":1}]`, `v: items 0 and 2 are the same, got a list`},
		{`{"contains":{"const":1}}`, `[2,1]`, `[2]`, `v: must have at least 1 items of the form that the schema asks for, got 0`},
		{`{"contains":{"const":1},"maxContains":1}`, `[1,2]`, `[1,1]`, `v: must have at most 1 items of the form that the schema names, got 2`},
		{`{"contains":{"const":1},"minContains":0}`, `[]`, `5`, ``},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `["5",5]`, `["a","b"]`, `v[1]: expected an integer, got "b"`},
		{`{"minProperties":1}`, `{"a":1}`, `{}`, `v: must have at least 1 members, got 0`},
		{`{"maxProperties":0}`, `{}`, `{"a":1}`, `v: must have at most 0 members, got 1`},
		{`{"propertyNames":{"maxLength":1}}`, `{"a":1}`, `{"ab":1}`, `v.ab: the name: must have at most 1 characters, got "ab"`},
		{`{"patternProperties":{"^x":{"type":"null"}},"additionalProperties":false}`, `{"xa":null}`, `{"xa":1}`, `v.xa: expected null, got 1`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"b":1}`, `{"a":1}`, `v: needs also "b", because "a" is given`},
		{`{"not":{"type":"string"}}`, `1`, `"a"`, `v: is ruled out by the schema, got "a"`},
		{`{"properties":{"a":false}}`, `{"b":1}`, `{"a":1}`, `v.a: is not allowed here, got 1`},
		{`{"oneOf":[{"minimum":1},{"maximum":1}]}`, `2`, `1`, `v: fits more than one of the allowed forms, got 1`},
		{`{"if":{"minimum":5},"then":{"maximum":8},"else":{"multipleOf":2}}`, `2`, `9`, `v: must be at most 8, got 9`},
		{`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1}`, `{"b":1}`, `v.b: is not allowed here, got 1`},
		{`{"anyOf":[{"prefixItems":[{"const":1},true]},true],"unevaluatedItems":{"type":"null"}}`, `[1,2,null]`, `[2]`, `v[0]: expected null, got 2`},
		{`{"properties":{"a":true},"allOf":[{"unevaluatedProperties":false}]}`, `{}`, `{"a":1}`, `v.a: is not allowed here, got 1`}, // it does not see its parents
		{`{"allOf":[{"$ref":"#/properties/v"}]}`, ``, `1`, `v: the schema refers to itself without end`},
	} {
		s, err := Parse(json.RawMessage(`{"type":"object","properties":{"v":` + row.schema + `}}`))
		if err != nil {
			t.Errorf("%s: %v", row.schema, err)
			continue
		}
		if args := `{"v":` + row.good + `}`; row.good != "" {
			if c, err := s.Check(json.RawMessage(args)); err != nil || string(c.Args) != args {
				t.Errorf("%s: %s became %s, %v", row.schema, args, c.Args, err)
			}
		}
		if _, err := s.Check(json.RawMessage(`{"v":` + row.bad + `}`)); err == nil && row.want != "" || err != nil && !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s:\n got %v\nwant %s", row.schema, err, row.want)
		}
	}
}

func TestReferencesStayInTheirDocument(t *testing.T) {
	for _, row := range []struct{ rule, rest, good, bad string }{
		{"an anchor", `"properties":{"v":{"$ref":"#it"}},"$defs":{"x":{"$anchor":"it","type":"integer"}}`, `1`, `"a"`},
		{"an anchor as in draft-07", `"properties":{"v":{"$ref":"#it"}},"definitions":{"x":{"$id":"#it","type":"integer"}}`, `1`, `"a"`},
		{"a name in data is no anchor", `"properties":{"v":{"$ref":"#it"}},"$defs":{"y":{"const":{"$anchor":"it"}},"x":{"$anchor":"it","type":"integer"}}`, `1`, `"a"`},
		{"a dynamic one", `"properties":{"v":{"$dynamicRef":"#it"}},"$defs":{"x":{"$dynamicAnchor":"it","type":"integer"}}`, `1`, `"a"`},
		{"a schema with an $id", `"properties":{"v":{"$id":"v.json","$ref":"#/$defs/x","$defs":{"x":{"type":"integer"}}}},"$defs":{"x":{"type":"string"}}`, `1`, `"a"`},
		{"beside a reference, in draft-07", `"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"$ref":"#/definitions/x","maximum":1}},"definitions":{"x":{"type":"integer"}}`, `2`, `"a"`},
		{"beside a reference", `"properties":{"v":{"$ref":"#/definitions/x","maximum":1}},"definitions":{"x":{"type":"integer"}}`, `1`, `2`},
	} {
		s, err := Parse(json.RawMessage(`{"type":"object",` + row.rest + `}`))
		if err != nil {
			t.Errorf("%s: %v", row.rule, err)
			continue
		}
		if _, err := s.Check(json.RawMessage(`{"v":` + row.good + `}`)); err != nil {
			t.Errorf("%s: %v", row.rule, err)
		}
		if _, err := s.Check(json.RawMessage(`{"v":` + row.bad + `}`)); err == nil {
			t.Errorf("%s: %s was accepted", row.rule, row.bad)
		}
	}
}

func TestParseRefusesKeywordsOfAnotherKind(t *testing.T) {
	for _, property := range []string{`{"minimum":"1"}`, `{"minLength":-1}`, `{"maxItems":1.5}`, `{"pattern":5}`, `{"multipleOf":0}`, `{"not":5}`, `{"contains":[]}`,
		`{"dependentRequired":{"a":[1]}}`, `{"dependentSchemas":{"a":1}}`, `{"patternProperties":[]}`, `{"prefixItems":{}}`, `{"anyOf":[]}`, `{"$ref":5}`,
		`{"$ref":"#nowhere"}`, `{"$ref":"https://example.com/schema"}`, `{"$ref":"other.json#/a"}`, `{"$dynamicRef":"#nowhere"}`, `{"propertyNames":{"type":"x"}}`} {
		if _, err := Parse(json.RawMessage(`{"type":"object","properties":{"v":` + property + `}}`)); err == nil {
			t.Errorf("%s: accepted", property)
		}
	}
}

// Notes of what was evaluated, and of equal items, do not multiply with the schema.
func TestLongListsStayCheap(t *testing.T) {
	list := `{"v":[` + many(50_000, "%d") + `]}`
	for rule, property := range map[string]string{
		"different items": `{"uniqueItems":true}`,
		"many references": `{"unevaluatedItems":false,"$ref":"#/$defs/d0"}`,
	} {
		schema := chain(200, func(next string) string { return next }, `{"items":{"type":"integer"}}`)
		s, err := Parse(json.RawMessage(strings.Replace(schema, `{"a":`, `{"v":`+property+`,"a":`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		took, used := cost(func() { _, err = s.Check(json.RawMessage(list)) })
		if err != nil || took > 5*time.Second || used > 256<<20 {
			t.Errorf("%s: %v, %d bytes used, %v", rule, took, used, err)
		}
	}
}
