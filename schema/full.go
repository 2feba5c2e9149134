package schema

import (
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"rein/schema/internal/tree"
)

// full is the validator for all of JSON Schema.
type full struct {
	schema *jsonschema.Schema
	meter  *meter // nil where the work grows with the arguments alone
}

// compile prepares the full validator. It loads nothing from anywhere.
func compile(document *tree.Value) (*full, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	f := &full{meter: &meter{}}
	expressions := &patterns{meter: f.meter, made: make(map[string]jsonschema.Regexp)}
	c.UseRegexpEngine(expressions.compile)
	document = inNewerWords(document)
	several := multiplies(document)
	if several {
		document = withSteps(document)
		c.AssertFormat()
		c.RegisterFormat(&jsonschema.Format{Name: stepFormat, Validate: f.meter.step})
	}
	const location = "rein:arguments"
	if err := c.AddResource(location, document.Plain()); err != nil {
		return nil, err
	}
	var err error
	f.schema, err = c.Compile(location)
	if expressions.tooLarge() {
		return nil, errLargePatterns // in place of an error for each pattern
	}
	if expressions.weight == 0 && !several {
		f.meter = nil
	}
	return f, err
}

func (f *full) validate(v *tree.Value) error {
	if f.meter != nil {
		return f.meter.run(f.schema, v)
	}
	return f.schema.Validate(v.Plain())
}

// nothing is a loader that refuses: a schema may come from a stranger and must not make us read files or call hosts.
type nothing struct{}

func (nothing) Load(url string) (any, error) { return nil, fmt.Errorf("%s is outside the schema", url) }

// validate lets the full validator decide about v, and adds what JSON Schema does not see.
func (s *Schema) validate(v *tree.Value) error {
	full, err := s.full()
	if err != nil {
		return fmt.Errorf("the schema cannot be used: %w", err)
	}
	problems := s.root.strangers(v, "")
	if err := full.validate(v); err != nil {
		found, ok := err.(*jsonschema.ValidationError)
		if !ok {
			return fmt.Errorf("the schema cannot be used: %w", err)
		}
		problems = append(problems, s.explain(found, v)...)
	}
	if len(problems) == 0 {
		return nil
	}
	invalid := &Invalid{Problems: distinct(problems)}
	if slices.ContainsFunc(invalid.Problems, aboutNames) {
		invalid.outline = s.Outline()
	}
	return invalid
}
