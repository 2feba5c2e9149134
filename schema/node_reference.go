package schema

import (
	"fmt"
	"strings"
)

// reference follows a $ref, a $dynamicRef or a $recursiveRef inside the same document.
func (b *builder) reference(word string, v *Value, at string) (*node, error) {
	if v.Kind != '"' {
		return nil, fmt.Errorf("%s is not a string", place(at))
	}
	target, err := b.target(b.base, v.Text)
	if err == nil && word != "$ref" {
		target = b.outermost(target, v.Text)
	}
	if err != nil {
		return nil, err
	}
	depth := b.depth
	b.depth = 0 // what is referred to is not nested
	defer func() { b.depth = depth }()
	return b.node(target, v.Text)
}

// target finds what a reference points at, below base or, where nothing is there, in the whole document.
func (b *builder) target(base *Value, ref string) (*Value, error) {
	target, err := resolve(base, ref)
	if err == nil && target == nil { // the name of an anchor
		if target = b.anchorsOf(base)[ref[1:]]; target == nil {
			err = fmt.Errorf("$ref %q points at nothing", shorten(ref, 100))
		}
	}
	if err != nil && base != b.root {
		return b.target(b.root, ref)
	}
	return target, err
}

// outermost returns where a dynamic reference leads: to the same anchor of the whole document, if both are dynamic.
func (b *builder) outermost(target *Value, ref string) *Value {
	outer, err := b.target(b.root, ref)
	for _, word := range []string{"$dynamicAnchor", "$recursiveAnchor"} {
		if mine := target.Member(word); err == nil && mine != nil && mine.Equal(outer.Member(word)) {
			return outer
		}
	}
	return target
}

// anchorsOf lists the schemas below base that have a name of their own.
func (b *builder) anchorsOf(base *Value) map[string]*Value {
	if b.anchors == nil {
		b.anchors = map[*Value]map[string]*Value{}
	}
	if names, ok := b.anchors[base]; ok {
		return names
	}
	names := map[string]*Value{}
	var walk func(*Value)
	walk = func(v *Value) {
		for _, m := range v.Members {
			name, isAnchor := m.Value.Text, m.Name == "$anchor" || m.Name == "$dynamicAnchor"
			if m.Name == "$id" { // as in draft-07
				name, isAnchor = strings.CutPrefix(name, "#")
				if !isAnchor && v != base {
					return // another base
				}
			}
			if isAnchor && names[name] == nil {
				names[name] = v
			}
		}
		for _, m := range v.Members {
			for _, sub := range subschemas(m) {
				walk(sub)
			}
		}
	}
	walk(base)
	b.anchors[base] = names
	return names
}

// How a keyword holds schemas.
const (
	holdsOne    words = "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties additionalItems contentSchema"
	holdsList   words = "anyOf oneOf allOf prefixItems items"
	holdsMap    words = "properties patternProperties dependentSchemas dependencies " + definitions
	definitions words = "$defs definitions"
)

// subschemas lists the schemas that one keyword holds.
func subschemas(m member) (all []*Value) {
	switch {
	case holdsOne.Has(m.Name) && m.Value.Kind == '{':
		return []*Value{m.Value}
	case holdsList.Has(m.Name) && m.Value.Kind == '[':
		return m.Value.Items
	case holdsMap.Has(m.Name) && m.Value.Kind == '{':
		for _, p := range m.Value.Members {
			if p.Value.Kind == '{' {
				all = append(all, p.Value)
			}
		}
	}
	return all
}
