package schema

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// randomSchema draws a schema as strangers write them: any keywords, together in any way.
func randomSchema(t *rapid.T, depth int) any {
	if depth == 0 || rapid.IntRange(0, 20).Draw(t, "bool") == 0 {
		return rapid.SampledFrom([]any{true, map[string]any{}, map[string]any{"type": "string"}, map[string]any{"$ref": "#/$defs/d"}, map[string]any{"$ref": "#"}}).Draw(t, "leaf")
	}
	s := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "n") {
		word := rapid.SampledFrom([]string{"type", "type", "types", "properties", "properties", "items", "enum", "const", "anyOf", "oneOf", "allOf", "required",
			"minimum", "maxLength", "minItems", "pattern", "format", "additionalProperties", "default", "description", "not", "$ref", "prefixItems",
			"patternProperties", "propertyNames", "if", "then", "else", "contains", "minContains", "unevaluatedItems", "unevaluatedProperties", "dependentSchemas",
			"exclusiveMinimum", "multipleOf", "maxProperties", "minLength", "$dynamicRef", "nullable", "title", "uniqueItems", "dependentRequired", "x-own"}).Draw(t, "word")
		randomKeyword(t, s, word, depth)
	}
	return s
}

var (
	someTypes  = []string{"string", "integer", "number", "boolean", "array", "object", "null"}
	someNames  = []string{"a", "b", "a.b", "a-b", "1st", "über", "type"}
	someValues = []any{"x", "", 1, 2.5, true, nil, "5", []any{1}, map[string]any{"minimum": 1}}
)

func randomKeyword(t *rapid.T, s map[string]any, word string, depth int) {
	list := func() []any {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return randomSchema(t, depth-1) }), 1, 3).Draw(t, word)
	}
	byName := func() map[string]any {
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			m[rapid.SampledFrom(someNames).Draw(t, "name")] = randomSchema(t, depth-1)
		}
		return m
	}
	switch word {
	case "type":
		s["type"] = rapid.SampledFrom(someTypes).Draw(t, "type")
	case "types":
		s["type"] = rapid.SliceOfNDistinct(rapid.SampledFrom(someTypes), 1, 3, rapid.ID).Draw(t, "types")
	case "properties", "patternProperties", "dependentSchemas":
		s[word] = byName()
	case "items", "not", "if", "then", "else", "additionalProperties", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		s[word] = randomSchema(t, depth-1)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		s[word] = list()
	case "enum":
		s[word] = rapid.SliceOfN(rapid.SampledFrom(someValues), 1, 4).Draw(t, "enum")
	case "const", "default":
		s[word] = rapid.SampledFrom(someValues).Draw(t, word)
	case "required":
		s[word] = rapid.SliceOfNDistinct(rapid.SampledFrom(someNames), 0, 3, rapid.ID).Draw(t, word)
	case "minimum", "maxLength", "minItems", "minContains", "exclusiveMinimum", "maxProperties", "minLength":
		s[word] = rapid.IntRange(0, 5).Draw(t, word)
	case "pattern":
		s[word] = rapid.SampledFrom([]string{"^a", "(?=x)", "[0-9]+"}).Draw(t, word)
	case "$ref":
		s[word] = rapid.SampledFrom([]string{"#", "#/$defs/d"}).Draw(t, word)
	case "multipleOf":
		s[word] = rapid.SampledFrom([]float64{1, 2, 0.5}).Draw(t, word)
	case "$dynamicRef":
		s[word] = "#there"
	case "nullable", "uniqueItems":
		s[word] = true
	case "dependentRequired":
		s[word] = map[string]any{"a": []string{"b"}}
	default:
		s[word] = rapid.SampledFrom([]string{"date-time", "uri", "some words"}).Draw(t, word)
	}
}

func randomRoot(t *rapid.T) []byte {
	root, ok := randomSchema(t, 3).(map[string]any)
	if !ok {
		root = map[string]any{}
	}
	root["$defs"] = map[string]any{"d": randomSchema(t, 2), "e": map[string]any{"$dynamicAnchor": "there", "not": randomSchema(t, 1)}}
	raw, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func randomArgs(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case depth == 3 || kind > 6 && depth > 0:
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			m[rapid.SampledFrom(someNames).Draw(t, "name")] = randomArgs(t, depth-1)
		}
		return m
	case kind > 5 && depth > 0:
		return []any{randomArgs(t, depth-1)}
	}
	return rapid.SampledFrom([]any{"x", "5", "true", "", "[1]", `{"a":1}`, 1, 2.5, true, nil}).Draw(t, "scalar")
}

func TestEveryVersionOfARandomSchemaPassesItsProvidersRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := randomRoot(t)
		s, err := Parse(raw)
		if err != nil {
			return
		}
		args, _ := json.Marshal(randomArgs(t, 3))
		for _, name := range ProfileNames() {
			p, _ := ProfileOf(name)
			n := normalise(s, p)
			if problems := n.Profile.Problems(n.Schema); len(problems) > 0 {
				t.Fatalf("%s refuses %v\n%s\n%s", name, problems, raw, n.Schema)
			}
			if _, err := Parse(n.Schema); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", name, err, raw, n.Schema)
			}
			checkTrip(t, n, args)
		}
	})
}

// checkTrip demands that arguments come back from a provider as they went there.
func checkTrip(t *rapid.T, n *Normalised, args []byte) {
	back := n.Undo(n.Redo(args))
	there, _ := parse(args)
	again, err := parse(back)
	if err != nil || !n.SameArgs() && hasNull(there) {
		return // null may be an answer or may mean that there is none
	}
	if !hasNull(there) {
		again = withoutNulls(again)
	}
	if !there.Equal(again) {
		t.Fatalf("%s: %s came back as %s", n.Profile.Name, args, back)
	}
}

func hasNull(v *Value) bool {
	for _, item := range v.Items {
		if hasNull(item) {
			return true
		}
	}
	for _, m := range v.Members {
		if hasNull(m.Value) {
			return true
		}
	}
	return v.Kind == 'n'
}

// withoutNulls drops members that are null: strict mode asks for them.
func withoutNulls(v *Value) *Value {
	out := &Value{Kind: v.Kind, Text: v.Text}
	for _, item := range v.Items {
		out.Items = append(out.Items, withoutNulls(item))
	}
	for _, m := range v.Members {
		if m.Value.Kind != 'n' {
			out.Members = append(out.Members, member{Name: m.Name, Value: withoutNulls(m.Value)})
		}
	}
	return out
}

func TestTheFastPathProvesOnlyWhatIsValid(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		raw := randomRoot(t)
		s, err := Parse(raw)
		if err != nil || s.checks().ready() != nil {
			return
		}
		args, _ := json.Marshal(randomArgs(t, 3))
		v, err := parse(args)
		if err != nil {
			t.Fatal(err)
		}
		valid := fits(s, v)
		if s.checks().root.proves(args) {
			proved++
			if !valid {
				t.Fatalf("the fast path took %s for %s", args, raw)
			}
		}
		got, err := s.Check(args)
		if err != nil {
			return
		}
		if after, _ := parse(got.Args); !fits(s, after) {
			t.Fatalf("%s: %s became %s, which is not valid", raw, args, got.Args)
		}
		if valid && len(got.Notes) > 0 {
			t.Fatalf("%s: valid %s was changed to %s: %q", raw, args, got.Args, got.Notes)
		}
	})
	if proved == 0 && !testing.Short() { // with few trials that is chance
		t.Error("the fast path proved nothing")
	}
}
