package schema

import (
	"errors"
	"fmt"
	"slices"
)

// A schema of a few references can ask for 2^20 steps, because every form of every choice is tried. So the steps of a
// check are counted, and too many end it.
const (
	freeSteps    = 2_000 // well below 3 ms
	stepsPerNode = 50    // for each value of the arguments
)

var (
	errTooCostly = errors.New("the schema is too costly: its choices multiply")
	errTooLong   = errors.New("the arguments are too long for its patterns")
)

// validate decides about v, and adds what JSON Schema does not see.
func (s *Schema) validate(v *Value) error {
	err := s.checks().ready()
	if err != nil {
		return fmt.Errorf("the schema cannot be used: %w", err)
	}
	c := &check{checks: s.checks(), left: freeSteps + stepsPerNode*v.Count(), matches: patternSteps}
	found := c.value(c.root, &subject{Value: v})
	if c.err != nil {
		return fmt.Errorf("the schema cannot be used: %w", c.err)
	}
	problems := c.root.strangers(v, "")
	for _, f := range found {
		problems = append(problems, f.Problem)
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

// check is one validation of arguments by a schema.
type check struct {
	*checks
	path    []string // to the value that is looked at
	left    int      // steps
	matches int      // instructions of patterns times letters
	quiet   int      // above 0, nobody reads the faults: one is enough, without words
	err     error    // why the schema cannot be used
}

// subject is a value, with the nodes that it is being compared with, and the members and items that they have looked at
// inside of it. Only keywords about unevaluated ones ask for those.
type subject struct {
	*Value
	by    []*node
	names []string
	items []int
}

// marks are lengths of a subject's notes.
type marks struct{ names, items int }

func (v *subject) seen() marks { return marks{len(v.names), len(v.items)} }

func (v *subject) forget(since marks) {
	v.names, v.items = v.names[:since.names], v.items[:since.items]
}

func (c *check) sawMember(v *subject, name string) {
	if c.tracks {
		v.names = append(v.names, name)
	}
}

func (c *check) sawItem(v *subject, i int) {
	if c.tracks {
		v.items = append(v.items, i)
	}
}

// fault is one thing that is wrong with a value.
type fault struct {
	Problem
	depth int      // of the value in the arguments
	wants []string // the types that are allowed, where only the type is wrong
}

func (c *check) wrong(format string, args ...any) []fault {
	return c.faults(func() []Problem { return []Problem{{pathOf(c.path), fmt.Sprintf(format, args...)}} })
}

func (c *check) faults(describe func() []Problem) (list []fault) {
	if c.quiet > 0 {
		return []fault{{}}
	}
	for _, p := range describe() {
		list = append(list, fault{Problem: p, depth: len(c.path)})
	}
	return list
}

// enough reports whether further faults would help nobody.
func (c *check) enough(found []fault) bool {
	return c.err != nil || len(found) >= maxProblems || c.quiet > 0 && len(found) > 0
}

// value returns what is wrong with v by n.
func (c *check) value(n *node, v *subject) (found []fault) {
	if c.left--; c.left < 0 && c.err == nil {
		c.err = errTooCostly
	}
	switch {
	case c.err != nil:
		return nil
	case slices.Contains(v.by, n):
		return c.wrong("the schema refers to itself without end")
	}
	mark := v.seen()
	v.by = append(v.by, n)
	if found = c.whole(n, v.Value); len(found) == 0 {
		found = c.content(n, v)
		if !c.enough(found) {
			found = append(found, c.combined(n, v)...)
		}
		if n.rare != nil && !c.enough(found) {
			found = append(found, c.conditions(n.rare, v)...)
			found = append(found, c.unevaluated(n.rare, v, mark)...)
		}
	}
	v.by = v.by[:len(v.by)-1]
	if len(found) > 0 {
		v.forget(mark)
	}
	return found
}

// whole compares what needs no look inside of a value: when that is wrong, nothing else counts.
func (c *check) whole(n *node, v *Value) []fault {
	r := n.rare
	switch {
	case r != nil && r.never:
		return c.wrong("is not allowed here, got %s", v.Show())
	case n.declared != 0 && !isOf(v, n.declared):
		wants := n.declared.Names()
		found := c.wrong("expected %s, got %s", alternatives(wants), v.Show())
		found[0].wants = wants
		return found
	case r != nil && r.constant != nil && !v.Same(r.constant):
		return c.wrong("expected %s, got %s", shown(r.constant), v.Show())
	case n.enum != nil && !slices.ContainsFunc(n.enum, v.Same):
		return c.wrong("expected %s, got %s", choices(n.enum, v), v.Show())
	}
	return nil
}

// isOf reports whether v has one of the types. Every whole number is an integer, however it is spelt.
func isOf(v *Value, types kinds) bool {
	if v.Kinds()&include(types) != 0 {
		return true
	}
	return v.Kind == '0' && types&isInteger != 0 && v.Rat().IsInt()
}

// below compares a value inside of the one that is looked at.
func (c *check) below(n *node, v *Value, step string) []fault {
	c.path = append(c.path, step)
	found := c.value(n, &subject{Value: v})
	c.path = c.path[:len(c.path)-1]
	return found
}

// fits reports whether v is valid by n, without a word about why not.
func (c *check) fits(n *node, v *subject) bool {
	c.quiet++
	found := c.value(n, v)
	c.quiet--
	return len(found) == 0
}
