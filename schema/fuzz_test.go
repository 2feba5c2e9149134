package schema

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

var fuzzSeeds = []struct{ schema, args string }{
	{`{"type":"object","properties":{"a":{"type":"integer","minimum":1},"b":{"enum":["x",1,null]}},"required":["a"],"additionalProperties":false}`, `{"a":"5","b":"x"}`},
	{`{"properties":{"l":{"type":"array","items":{"type":["number","null"]},"maxItems":3}}}`, `{"l":"[1,2.5]"}`},
	{`{"properties":{"s":{"type":"string","minLength":1,"maxLength":3,"pattern":"^a"}}}`, `{"s":"aé"}`},
	{`{"anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"boolean"}}}`, `{"a":"true"}`},
	{`{"properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}`, `{"n":{"n":{}}}`},
	{`{"allOf":[{"properties":{"a":{"const":1}}},{"properties":{"a":{"type":"integer"}}}]}`, `{"a":1.0}`},
	{`{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"integer"}]}},"patternProperties":{"^x":{"type":"null"}}}`, `{"a":1e2,"xy":null}`},
	{`true`, `"{\"a\":1}"`},
	{`{"type":"object","properties":{"if":{"if":{"const":1},"then":{"not":{}}}}}`, `{"if":2}`},
	{`{"properties":{"a b":{"type":"string"},"a.b":{"enum":[""]}},"required":["zz"]}`, `{"a b":"","zz":1}`},
}

// FuzzCheck: what the fast path proves, the full validator accepts; what Check accepts is valid, an object, and stays
// as it is when checked again; nothing takes long.
func FuzzCheck(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s.schema), []byte(s.args))
	}
	f.Fuzz(func(t *testing.T, raw, args []byte) {
		if len(raw) > 4096 || len(args) > 4096 {
			return
		}
		start := time.Now()
		s, err := Parse(raw)
		if err != nil {
			return
		}
		got, err := s.Check(args)
		if invalid := (*Invalid)(nil); errors.As(err, &invalid) && (len(invalid.Problems) == 0 || invalid.Error() == "") {
			t.Error("a refusal without words")
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s with %s took %v", raw, args, took)
		}
		if err != nil {
			return
		}
		if s.checks().root.proves(args) {
			v, err := parse(args)
			if err != nil {
				t.Fatalf("the fast path took %q, which is not strict: %v", args, err)
			}
			if err := s.validate(v); err != nil && s.checks().ready() == nil {
				t.Fatalf("the fast path took %q for %s: %v", args, raw, err)
			}
		}
		var object map[string]any
		if json.Unmarshal(got.Args, &object) != nil || object == nil {
			t.Fatalf("%q is not an object", got.Args)
		}
		if again, err := s.Check(got.Args); err != nil || len(again.Notes) > 0 || string(again.Args) != string(got.Args) {
			t.Errorf("%s: %q became %q, and then %q %q %v", raw, args, got.Args, again.Args, again.Notes, err)
		}
	})
}

// FuzzNormalise: every profile's version passes the profile's own rules, is stable, is no larger than its budget allows,
// and lets arguments go there and come back.
func FuzzNormalise(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s.schema), []byte(s.args))
	}
	for _, raw := range hostileSchemas {
		f.Add([]byte(raw), []byte(`{"a":1}`))
	}
	f.Fuzz(func(t *testing.T, raw, args []byte) {
		if len(raw) > 4096 {
			return
		}
		s, err := Parse(raw)
		if err != nil {
			return
		}
		start := time.Now()
		for _, name := range ProfileNames() {
			p, _ := ProfileOf(name)
			n := normalise(s, p)
			if problems := n.Profile.Problems(n.Schema); len(problems) > 0 {
				t.Fatalf("%s refuses %v\n%s\n%s", name, problems, raw, n.Schema)
			}
			if len(n.Schema) > 1<<20 {
				t.Fatalf("%s: %d bytes became %d", name, len(raw), len(n.Schema))
			}
			if _, err := Parse(n.Schema); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", name, err, raw, n.Schema)
			}
			n.Undo(n.Redo(args))
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s took %v", raw, took)
		}
	})
}
