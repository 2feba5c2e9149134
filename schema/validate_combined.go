package schema

import (
	"strconv"
)

// combined compares a value with the schemas that apply to the same value: references, allOf, anyOf, oneOf.
func (c *check) combined(n *node, v *subject) (found []fault) {
	if n.ref != nil {
		found = c.value(n.ref, v)
	}
	for _, part := range n.all {
		if c.enough(found) {
			return found
		}
		found = append(found, c.value(part, v)...)
	}
	for _, ch := range n.choices {
		if c.enough(found) {
			return found
		}
		found = append(found, c.choice(ch, v)...)
	}
	return found
}

// choice compares a value with the forms of anyOf or oneOf.
func (c *check) choice(ch choice, v *subject) []fault {
	var failed [][]fault
	fit := 0
	for _, form := range ch.forms {
		found := c.value(form, v)
		switch {
		case c.err != nil:
			return nil
		case len(found) > 0:
			failed = append(failed, found)
			continue
		}
		if fit++; !ch.one && !c.tracks {
			return nil // only who asks what was evaluated needs the other forms
		}
	}
	switch {
	case fit == 0:
		return c.closest(failed, v.Value)
	case ch.one && fit > 1:
		return c.wrong("fits more than one of the allowed forms, got %s", v.Show())
	}
	return nil
}

// closest explains a failed choice by the form that came furthest: the one with a fault that lies deepest.
func (c *check) closest(failed [][]fault, v *Value) (best []fault) {
	deepest := -1
	var wants []string
	for _, found := range failed {
		if len(found) == 1 && found[0].wants != nil && found[0].depth == len(c.path) {
			wants = append(wants, found[0].wants...)
			continue
		}
		depth := 0
		for _, f := range found {
			depth = max(depth, f.depth)
		}
		if depth > deepest {
			deepest, best = depth, found
		}
	}
	if best != nil {
		return best
	}
	return c.wrong("expected %s, got %s", alternatives(wants), v.Show())
}

// conditions compares a value with not, and with if, then and else.
func (c *check) conditions(r *rare, v *subject) (found []fault) {
	if r.not != nil {
		mark := v.seen()
		if c.fits(r.not, v) && c.err == nil {
			found = c.wrong("is ruled out by the schema, got %s", v.Show())
		}
		v.forget(mark)
	}
	if r.test == nil {
		return found
	}
	next := r.other
	if c.fits(r.test, v) {
		next = r.then
	}
	if next != nil && !c.enough(found) {
		found = append(found, c.value(next, v)...)
	}
	return found
}

// unevaluated compares the members or items that no other keyword has looked at since mark.
func (c *check) unevaluated(r *rare, v *subject, mark marks) (found []fault) {
	if by := r.unevaluated; by != nil && v.Kind == '{' {
		seen := setOf(v.names[mark.names:])
		for _, m := range v.Members {
			if !seen[m.Name] && !c.enough(found) {
				found = append(found, c.below(by, m.Value, m.Name)...)
				c.sawMember(v, m.Name)
			}
		}
	}
	if by := r.unevaluatedItems; by != nil && v.Kind == '[' {
		seen := setOf(v.items[mark.items:])
		for i, item := range v.Items {
			if !seen[i] && !c.enough(found) {
				found = append(found, c.below(by, item, strconv.Itoa(i))...)
				c.sawItem(v, i)
			}
		}
	}
	return found
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}
