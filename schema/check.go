package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"rein/internal/plaintext"
)

// Checked is a set of arguments that fits its schema.
type Checked struct {
	// Args is one strict JSON object: the bytes that were checked, or new ones where something was changed.
	Args json.RawMessage
	// Notes names each change that was made to fit the schema, in words for the model. Usually there is none.
	Notes []string
}

// Check fits args to the schema: what cannot be misread is coerced and noted, and everything else that does not fit
// is refused with an *Invalid. Any other error means that the schema itself cannot be used. The original schema, not a
// provider's version of it, decides. Missing arguments (empty, blank or null) are read as {}.
func (s *Schema) Check(args json.RawMessage) (Checked, error) {
	if s.checks == nil {
		return Checked{}, errors.New("the schema is empty: schema.Parse and schema.For make one")
	}
	if s.checks().root.proves(args) {
		return Checked{Args: args}, nil
	}
	return s.checkSlowly(args)
}

func (s *Schema) checkSlowly(args json.RawMessage) (Checked, error) {
	var c coercer
	v, err := c.arguments(args)
	if err != nil {
		return Checked{}, &Invalid{Problems: []Problem{{Message: err.Error()}}}
	}
	rewritten := len(c.notes) > 0
	renamed, err := s.rename(v)
	if err != nil {
		return Checked{}, err
	}
	c.coerce(v, s.checks().root, "")
	if err := s.validate(v); err != nil {
		return Checked{}, err
	}
	if rewritten || renamed || len(c.notes) > 0 {
		args = v.Append(nil)
	}
	return Checked{Args: args, Notes: c.told()}, nil
}

// arguments reads the object of arguments, also where it was encoded twice.
func (c *coercer) arguments(args json.RawMessage) (*Value, error) {
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || string(trimmed) == "null" || string(trimmed) == `""` {
		c.note("", "none were given, read as {}")
		return &Value{Kind: '{'}, nil
	}
	v, err := parse(args)
	if err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON: %s", shorten(err.Error(), 200))
	}
	for range 2 {
		if v.Kind != '"' || !looksStructured(v.Text) {
			break
		}
		inner, err := parse([]byte(v.Text))
		if err != nil {
			return nil, fmt.Errorf("the arguments are a string that is not valid JSON: %s", shorten(err.Error(), 200))
		}
		c.note("", "decoded the object out of a string")
		v = inner
	}
	if v.Kind != '{' {
		return nil, fmt.Errorf("the arguments must be a JSON object, not %s", v.KindName())
	}
	return v, nil
}

// rename gives arguments that came under another name their own, and refuses two that mean the same.
func (s *Schema) rename(v *Value) (bool, error) {
	renamed := false
	for i, m := range v.Members {
		name, ok := s.aliases[m.Name]
		if !ok || s.checks().root.childNode(m.Name) != nil {
			continue
		}
		if v.Member(name) != nil {
			return false, invalid(m.Name, fmt.Sprintf("is another name of %s: send one of them", name))
		}
		v.Members[i].Name, renamed = name, true
	}
	return renamed, nil
}

// strangers finds arguments that the schema neither knows nor forbids and that are near to a declared one which is
// missing. JSON Schema lets them pass, but a tool would silently ignore what the model meant.
func (n *node) strangers(v *Value, path string) []Problem {
	names, silent := n.known()
	var missing []string
	if silent {
		given := make(map[string]bool, len(v.Members))
		for _, m := range v.Members {
			given[m.Name] = true
		}
		missing = slices.DeleteFunc(names, func(name string) bool { return given[name] })
	}
	var problems []Problem
	strangers := 0
	for _, m := range v.Members {
		at := join(path, m.Name)
		if child := n.childNode(m.Name); child != nil {
			if m.Value.Kind == '{' {
				problems = append(problems, child.strangers(m.Value, at)...)
			}
			continue
		}
		if strangers++; strangers > maxProblems || len(missing) == 0 {
			continue
		}
		if like := plaintext.NearestName(m.Name, missing); like != "" {
			problems = append(problems, Problem{at, fmt.Sprintf(textStranger+"; did you mean %q?", like)})
		}
	}
	return problems
}
