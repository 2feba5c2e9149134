package schema

import (
	"errors"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
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
func (m *meter) run(full *jsonschema.Schema, v *value) (err error) {
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
	m.left, m.matches = freeSteps+stepsPerNode*v.count(), patternSteps
	return full.Validate(v.plain())
}

// count reports how many values there are in v.
func (v *value) count() int {
	n := 1
	for _, item := range v.items {
		n += item.count()
	}
	for _, m := range v.members {
		n += m.value.count()
	}
	return n
}

// How a keyword holds schemas.
const (
	holdsOne  words = "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties additionalItems contentSchema"
	holdsList words = "anyOf oneOf allOf prefixItems items"
	holdsMap  words = "properties patternProperties dependentSchemas dependencies $defs definitions"
	// linear are the keywords that look at each value once.
	linear = plainWords + " " + limitWords + " title default examples deprecated readOnly writeOnly format contentEncoding contentMediaType additionalProperties " +
		"minProperties maxProperties const prefixItems $schema $comment"
)

// multiplies reports whether a schema can look at one value more than once.
func (v *value) multiplies() bool {
	if v.kind != '{' {
		return false
	}
	for _, m := range v.members {
		if !linear.has(m.name) && !annotations.has(m.name) && (asserts.has(m.name) || allWords.has(m.name) || m.name == "dependencies") {
			return true
		}
		for _, sub := range subschemas(m) {
			if sub.multiplies() {
				return true
			}
		}
	}
	return false
}

// subschemas lists the schemas that one keyword holds.
func subschemas(m member) []*value {
	switch {
	case holdsOne.has(m.name) && m.value.kind == '{':
		return []*value{m.value}
	case holdsList.has(m.name) && m.value.kind == '[':
		return m.value.items
	case holdsMap.has(m.name) && m.value.kind == '{':
		var all []*value
		for _, p := range m.value.members {
			if p.value.kind == '{' {
				all = append(all, p.value)
			}
		}
		return all
	}
	return nil
}

// withSteps copies a schema and puts the counting format into each of its schemas.
func (v *value) withSteps() *value {
	if v.kind != '{' {
		return v
	}
	out := &value{kind: '{', members: []member{{"format", text(stepFormat)}}}
	for _, m := range v.members {
		if m.name == "format" {
			continue
		}
		c := m.value
		switch {
		case holdsOne.has(m.name) && c.kind == '{':
			c = c.withSteps()
		case holdsList.has(m.name) && c.kind == '[':
			c = &value{kind: '['}
			for _, item := range m.value.items {
				c.items = append(c.items, item.withSteps())
			}
		case holdsMap.has(m.name) && c.kind == '{':
			c = &value{kind: '{'}
			for _, p := range m.value.members {
				c.members = append(c.members, member{p.name, p.value.withSteps()})
			}
		}
		out.members = append(out.members, member{m.name, c})
	}
	return out
}
