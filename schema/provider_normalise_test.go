package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// normalise writes a schema for a provider; its bytes were read before.
func normalise(s *Schema, p Profile) *Normalised {
	n, _ := Normalise(s.Raw(), p)
	return n
}

func normalised(t *testing.T, vendor, raw string) *Normalised {
	t.Helper()
	s, err := Parse(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := ProfileOf(vendor)
	if !ok {
		t.Fatalf("no profile %s", vendor)
	}
	n := normalise(s, p)
	if problems := n.Profile.Problems(n.Schema); len(problems) > 0 {
		t.Errorf("%s refuses %s: %v", vendor, n.Schema, problems)
	}
	return n
}

// object wraps one property x, so that rows stay short.
func object(x string) string { return `{"type":"object","properties":{"x":` + x + `}}` }

func TestNormaliseBelowTheRoot(t *testing.T) {
	for _, row := range []struct{ rule, vendor, in, want string }{
		{"data is never looked into", "openai", `{"type":"object","default":{"format":"json","minimum":3},"enum":[{"pattern":"x"}]}`,
			`{"type":"object","enum":[{"pattern":"x"}],"default":{"format":"json","minimum":3},"properties":{}}`},
		{"a property may be named like a keyword", "conservative", `{"type":"object","properties":{"pattern":{"type":"string"},"minimum":{"type":"string"}},"required":["pattern"]}`,
			`{"type":"object","properties":{"pattern":{"type":"string"},"minimum":{"type":"string"}},"required":["pattern"]}`},
		{"limits go into the description", "conservative", `{"type":"integer","minimum":1,"maximum":9,"default":3,"description":"How many."}`,
			`{"type":"integer","description":"How many. (at least 1; at most 9; default 3)"}`},
		{"const becomes an enum of one", "gemini", `{"const":"a"}`, `{"type":"string","enum":["a"]}`},
		{"const stays where it may", "openai-strict", `{"const":"a"}`, `{"type":["string","null"],"enum":["a",null]}`},
		{"literals of a choice become one enum", "gemini", `{"anyOf":[{"const":"a"},{"const":"b"}]}`, `{"type":"string","enum":["a","b"]}`},
		{"null leaves an enum", "gemini-parameters", `{"enum":["a",null]}`, `{"type":"string","enum":["a"],"nullable":true}`},
		{"numbers leave an enum of texts", "gemini-parameters", `{"type":"integer","enum":[1,2]}`, `{"type":"integer","description":"(one of 1, 2)"}`},
		{"empty texts leave an enum", "gemini", `{"enum":["a",""]}`, `{"type":"string","description":"(or \"\")","enum":["a"]}`},
		{"X or null, as a keyword", "gemini-parameters", `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `{"type":"integer","nullable":true}`},
		{"X or null, as a list of types", "openai-strict", `{"type":["integer","null"]}`, `{"type":["integer","null"]}`},
		{"X or null, as a choice", "gemini", `{"type":["integer","null"]}`, `{"anyOf":[{"type":"integer"},{"type":"null"}]}`},
		{"X or null, unsayable", "conservative", `{"type":["integer","null"]}`, `{"type":"integer"}`},
		{"several types become a choice, each with its own limits", "gemini-parameters", `{"type":["string","integer"],"minLength":2,"minimum":5}`,
			`{"anyOf":[{"type":"string","minLength":2},{"type":"integer","minimum":5}]}`},
		{"several types, unsayable", "conservative", `{"type":["string","integer"]}`, `{"type":"string","description":"(or an integer)"}`},
		{"oneOf becomes anyOf", "gemini", `{"oneOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`},
		{"what is beside anyOf moves into it", "gemini-parameters", `{"description":"d","type":"string","anyOf":[{"minLength":1},{"pattern":"x"}]}`,
			`{"anyOf":[{"type":"string","minLength":1,"description":"d"},{"type":"string","pattern":"x"}]}`},
		{"a choice of one keeps the members beside it", "gemini", `{"anyOf":[{"required":["a"]}],"type":"object","properties":{"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		{"forms become one object that requires what all require", "conservative",
			`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"},"w":{"type":"string"}},"required":["k","w"]}]}`,
			`{"type":"object","description":"(give k, or k and w)","properties":{"k":{"type":"string","enum":["a","b"]},"w":{"type":"string"}},"required":["k"]}`},
		{"allOf is merged", "gemini", `{"allOf":[{"type":"integer","minimum":1,"maximum":9},{"minimum":3}]}`, `{"type":"integer","minimum":3,"maximum":9}`},
		{"allOf stays where it may", "anthropic", `{"allOf":[{"type":"integer"},{"minimum":3}]}`, `{"allOf":[{"type":"integer"},{"minimum":3}]}`},
		{"a list gets items", "groq", `{"type":"array"}`, `{"type":"array","items":{}}`},
		{"an object gets properties", "mistral", `{"type":"object"}`, `{"type":"object","properties":{}}`},
		{"unknown words vanish without a word", "openai-strict", `{"type":["string","null"],"x-order":1,"$comment":"c"}`, `{"type":["string","null"]}`},
		{"a format that is not taken goes into the description", "openai-strict", `{"type":["string","null"],"format":"uri"}`, `{"type":["string","null"],"description":"(format uri)"}`},
		{"tuples go into the description", "conservative", `{"type":"array","prefixItems":[{"type":"string"}]}`,
			`{"type":"array","description":"(the items in order: [{\"type\":\"string\"}])","items":{}}`},
		{"required names without a property go", "gemini", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]}`,
			`{"type":"object","description":"(requires b)","properties":{"a":{"type":"string"}},"required":["a"]}`},
	} {
		n := normalised(t, row.vendor, object(row.in))
		v, err := parse(n.Schema)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.Member("properties").Member("x").Append(nil)); got != row.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", row.rule, row.vendor, got, row.want)
		}
	}
}

func TestNormaliseRoots(t *testing.T) {
	for _, row := range []struct{ rule, vendor, in, want string }{
		{"nothing", "openai", `{}`, `{"type":"object","properties":{}}`},
		{"true", "anthropic", `true`, `{"type":"object","properties":{}}`},
		{"no properties at all where empty ones are refused", "gemini-parameters", `{"type":"object","properties":{}}`, `{"type":"object"}`},
		{"a choice at the root keeps the root an object", "anthropic", `{"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"type":"object","description":"(give a, or b)","properties":{"a":{},"b":{}}}`},
		{"forms at the root become one", "groq", `{"oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
			`{"type":"object","description":"(give a, or b)","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`},
		{"a reference at the root", "gemini", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"s":{"type":"string"}}}}}`,
			`{"type":"object","properties":{"s":{"type":"string"}}}`},
		{"siblings of a reference stay", "gemini", `{"properties":{"a":{"$ref":"#/$defs/a","description":"mine","enum":["x"]}},"$defs":{"a":{"type":"string","description":"theirs"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"mine","enum":["x"]}}}`},
		{"a reference to a property", "gemini", `{"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`},
		{"a cycle is cut", "gemini", `{"properties":{"v":{"type":"string"},"next":{"$ref":"#"}}}`,
			`{"type":"object","properties":{"v":{"type":"string"},"next":{"type":"object","description":"(nested, of the same form as the whole)"}}}`},
		{"a cycle stays where references may", "anthropic", `{"properties":{"next":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}`,
			`{"type":"object","properties":{"next":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}},"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}`},
		{"strict requires everything and forbids the rest", "openai-strict", `{"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]}},"required":["a","b"],"additionalProperties":false}`},
		{"an open map cannot be strict", "openai-strict", `{"properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`,
			`{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`},
		{"names of arguments", "gemini", `{"properties":{"a.b":{"type":"string"},"a-b":{"type":"string"},"1st":{"type":"string"}},"required":["1st"]}`,
			`{"type":"object","properties":{"a_b":{"type":"string"},"a_b_` + "2rbwfvt5" + `":{"type":"string"},"a1st":{"type":"string"}},"required":["a1st"]}`},
	} {
		if got := string(normalised(t, row.vendor, row.in).Schema); got != row.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", row.rule, row.vendor, got, row.want)
		}
	}
}

func TestWhatIsLostIsListed(t *testing.T) {
	n := normalised(t, "bedrock", `{"properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`)
	if n.Note != "give a, or b" || len(n.Lost) == 0 || n.Lost[0].Keyword != "anyOf" {
		t.Errorf("note %q, lost %v", n.Note, n.Lost)
	}
	n = normalised(t, "openai-strict", object(`{"type":"object"}`))
	if n.Strict || n.Profile.Name != "openai" || n.Lost[0].Keyword != "strict" {
		t.Errorf("an object of anything is not strict: %+v", n)
	}
}

func TestUndoGivesTheOriginalArguments(t *testing.T) {
	const raw = `{"properties":{"a.b":{"type":"object","properties":{"c-d":{"type":"string"},"e":{"type":"integer"}}},"l":{"type":"array","items":{"type":"object","properties":{"x y":{"type":"string"}}}},` +
		`"n":{"type":["string","null"]}},"required":["a.b"]}`
	for _, row := range []struct{ vendor, args, sent string }{
		{"gemini", `{"a.b":{"c-d":"v"},"l":[{"x y":"w"}]}`, `{"a_b":{"c_d":"v"},"l":[{"x_y":"w"}]}`},
		{"openai-strict", `{"a.b":{"c-d":"v"}}`, `{"a.b":{"c-d":"v","e":null},"l":null,"n":null}`},
		{"openai", `{"a.b":{"c-d":"v"}}`, `{"a.b":{"c-d":"v"}}`},
	} {
		n := normalised(t, row.vendor, raw)
		sent := n.Redo(json.RawMessage(row.args))
		if string(sent) != row.sent {
			t.Errorf("%s sent %s, want %s", row.vendor, sent, row.sent)
		}
		back := strings.Replace(string(n.Undo(sent)), `,"n":null`, "", 1) // n may be null, so that null is an answer
		if back != row.args {
			t.Errorf("%s came back as %s, want %s", row.vendor, back, row.args)
		}
	}
}

func TestNormaliseIsStable(t *testing.T) {
	for name, raw := range hostileSchemas {
		for _, vendor := range ProfileNames() {
			p, _ := ProfileOf(vendor)
			a, errA := Parse(json.RawMessage(raw))
			b, errB := Parse(json.RawMessage(raw))
			if errA != nil || errB != nil {
				continue
			}
			if x, y := normalise(a, p), normalise(b, p); string(x.Schema) != string(y.Schema) {
				t.Errorf("%s for %s differs from run to run", name, vendor)
			}
		}
	}
}

func TestNullAloneStaysNull(t *testing.T) {
	s, err := Parse(json.RawMessage(`{"type":"object","properties":{"any":{"anyOf":[{"type":"integer"},{"type":"null"}]},"one":{"oneOf":[{"type":"string"},{"type":["null"]}]},
		"const":{"const":null},"enum":{"enum":[null]},"alone":{"type":"null"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, vendor := range ProfileNames() {
		p, _ := ProfileOf(vendor)
		n := normalise(s, p)
		version, err := Parse(n.Schema)
		if err != nil || len(n.Profile.Problems(n.Schema)) > 0 {
			t.Fatalf("%s: %v, %v\n%s", vendor, err, n.Profile.Problems(n.Schema), n.Schema)
		}
		args := map[string]string{"any": `"x"`, "one": `5`}
		if vendor != "gemini-parameters" && vendor != "conservative" { // these cannot hold null beside a type
			args["const"], args["enum"], args["alone"] = `5`, `5`, `{}`
		}
		for name, wrong := range args {
			if _, err := version.Check(json.RawMessage(`{"` + name + `":` + wrong + `}`)); err == nil {
				t.Errorf("%s takes %s for %s:\n%s", vendor, wrong, name, n.Schema)
			}
		}
		if vendor != "groq" {
			continue
		}
		if _, err := version.Check(json.RawMessage(`{"one":"x"}`)); err != nil { // of oneOf one branch alone may fit
			t.Errorf("%s refuses what is valid: %v\n%s", vendor, err, n.Schema)
		}
	}
}

// TestEveryLossIsListed: where a version takes what the original refuses, it lists what it lost.
func TestEveryLossIsListed(t *testing.T) {
	for _, row := range []struct{ a, wrong string }{ // the schema of an argument, and what it refuses
		{`{"type":"integer"}`, `"z"`},
		{`{"type":["integer","boolean"]}`, `"z"`},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `"z"`},
		{`{"enum":["x",1,true]}`, `"z"`},
		{`{"const":"x"}`, `"z"`},
		{`{"allOf":[{"type":"string"},{"enum":["x"]}]}`, `"z"`},
		{`{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"null"}]}}`, `["z"]`},
		{`{"type":"array","prefixItems":[{"type":"integer"}]}`, `["z"]`},
		{`{"type":"array","uniqueItems":true,"items":{"type":"string"}}`, `["q","q"]`},
		{`{"type":"object","patternProperties":{"^z":{"type":"integer"}}}`, `{"z":"z"}`},
		{`{"type":"number","multipleOf":5}`, `3`},
		{`{"type":"string","pattern":"^a"}`, `"z"`},
		{`{"pattern":"^a","description":"without a type"}`, `"z"`},
		{`{"minimum":3}`, `1`},
		{`{"not":{"type":"string"}}`, `"z"`},
	} {
		s, err := Parse(json.RawMessage(`{"type":"object","properties":{"a":` + row.a + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		args := json.RawMessage(`{"a":` + row.wrong + `}`)
		if _, err := s.Check(args); err == nil {
			t.Errorf("%s takes %s", row.a, args)
		}
		for _, vendor := range ProfileNames() {
			p, _ := ProfileOf(vendor)
			n := normalise(s, p)
			version, err := Parse(n.Schema)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := version.Check(args); err == nil && len(n.Lost) == 0 {
				t.Errorf("%s lost without a word %s: %s", vendor, row.a, n.Schema)
			}
		}
	}
}
