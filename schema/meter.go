package schema

import (
	"errors"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"rein/schema/internal/tree"
)

// The full validator tries every branch of every choice. A schema of a few references can ask for 2^20 steps, so where
// a schema has choices or references the steps are counted, and too many end the check.
const (
	stepFormat   = "rein-step"
	freeSteps    = 2_000 // about 3 ms
	stepsPerNode = 50    // for each value of the arguments
)

var (
	errTooCostly = errors.New("the schema is too costly: its choices multiply")
	errTooLong   = errors.New("the arguments are too long for its patterns")
)

// meter counts the steps of one validation at a time.
type meter struct {
	mu      sync.Mutex
	left    int // steps
	matches int // instructions of patterns times letters
}

// step is called by the full validator at each schema that it tries, through a format that is put into all of them.
func (m *meter) step(any) error {
	if m.left--; m.left < 0 {
		panic(errTooCostly)
	}
	return nil
}

// match is called before a pattern is tried.
func (m *meter) match(steps int) {
	if m.matches -= steps; m.matches < 0 {
		panic(errTooLong)
	}
}

// run validates with a budget that grows with the arguments.
func (m *meter) run(full *jsonschema.Schema, v *tree.Value) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == errTooCostly, p == errTooLong:
			err = p.(error)
		default:
			panic(p)
		}
	}()
	m.left, m.matches = freeSteps+stepsPerNode*v.Count(), patternSteps
	return full.Validate(v.Plain())
}

// How a keyword holds schemas.
const (
	holdsOne  tree.Words = "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties additionalItems contentSchema"
	holdsList tree.Words = "anyOf oneOf allOf prefixItems items"
	holdsMap  tree.Words = "properties patternProperties dependentSchemas dependencies $defs definitions"
	// linear are the keywords that look at each value once.
	linear = tree.PlainWords + " " + tree.LimitWords + " title default examples deprecated readOnly writeOnly format contentEncoding contentMediaType additionalProperties " +
		"minProperties maxProperties const prefixItems $schema $comment"
)

// multiplies reports whether a schema can look at one value more than once.
func multiplies(v *tree.Value) bool {
	if v.Kind != '{' {
		return false
	}
	for _, m := range v.Members {
		if !linear.Has(m.Name) && !tree.Annotations.Has(m.Name) && (asserts.Has(m.Name) || tree.AllWords.Has(m.Name) || m.Name == "dependencies") {
			return true
		}
		for _, sub := range subschemas(m) {
			if multiplies(sub) {
				return true
			}
		}
	}
	return false
}

// subschemas lists the schemas that one keyword holds.
func subschemas(m tree.Member) []*tree.Value {
	switch {
	case holdsOne.Has(m.Name) && m.Value.Kind == '{':
		return []*tree.Value{m.Value}
	case holdsList.Has(m.Name) && m.Value.Kind == '[':
		return m.Value.Items
	case holdsMap.Has(m.Name) && m.Value.Kind == '{':
		var all []*tree.Value
		for _, p := range m.Value.Members {
			if p.Value.Kind == '{' {
				all = append(all, p.Value)
			}
		}
		return all
	}
	return nil
}

// withSteps copies a schema and puts the counting format into each of its schemas.
func withSteps(v *tree.Value) *tree.Value {
	return rewritten(v, func(members []tree.Member) []tree.Member {
		members = slices.DeleteFunc(members, func(m tree.Member) bool { return m.Name == "format" })
		return append([]tree.Member{{Name: "format", Value: tree.String(stepFormat)}}, members...)
	})
}

// rewritten copies a schema and gives each of its schemas other members.
func rewritten(v *tree.Value, change func([]tree.Member) []tree.Member) *tree.Value {
	if v.Kind != '{' {
		return v
	}
	members := make([]tree.Member, 0, len(v.Members))
	for _, m := range v.Members {
		c := m.Value
		switch {
		case holdsOne.Has(m.Name) && c.Kind == '{':
			c = rewritten(c, change)
		case holdsList.Has(m.Name) && c.Kind == '[':
			c = &tree.Value{Kind: '['}
			for _, item := range m.Value.Items {
				c.Items = append(c.Items, rewritten(item, change))
			}
		case holdsMap.Has(m.Name) && c.Kind == '{':
			c = &tree.Value{Kind: '{'}
			for _, p := range m.Value.Members {
				c.Members = append(c.Members, tree.Member{Name: p.Name, Value: rewritten(p.Value, change)})
			}
		}
		members = append(members, tree.Member{Name: m.Name, Value: c})
	}
	return &tree.Value{Kind: '{', Members: change(members)}
}
