package schema

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// fits reports whether JSON Schema alone accepts v.
func fits(s *Schema, v *Value) bool {
	c := &check{checks: s.checks(), left: 1 << 30, matches: patternSteps}
	return len(c.value(s.checks().root, &subject{Value: v})) == 0
}

// leniently is the other library's engine of regular expressions, with our rule for those that RE2 cannot express.
type leniently struct{ *regexp.Regexp }

func (l leniently) MatchString(text string) bool {
	return l.Regexp == nil || l.Regexp.MatchString(text)
}
func (l leniently) String() string { return "" }

// TestTheValidatorAgreesWithAnother compares verdicts about random schemas and arguments with those of santhosh-tekuri/jsonschema.
func TestTheValidatorAgreesWithAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := randomRoot(t)
		s, err := Parse(raw)
		if err != nil || s.checks().ready() != nil {
			return
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) {
			re, _ := regexp.Compile(text)
			return leniently{re}, nil
		})
		if err := c.AddResource("other:schema", document); err != nil {
			t.Fatal(err)
		}
		other, err := c.Compile("other:schema")
		if err != nil {
			t.Fatalf("the other library refuses %s: %v", raw, err)
		}
		for range 4 {
			args, _ := json.Marshal(randomArgs(t, 3))
			v, err := parse(args)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
			if err != nil {
				t.Fatal(err)
			}
			if want := other.Validate(plain) == nil; want != fits(s, v) {
				t.Fatalf("valid: %v, but not here\n%s\n%s", want, raw, args)
			}
		}
	})
}
