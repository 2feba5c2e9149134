package schema

import (
	"fmt"
	"strings"

	"rein/schema/internal/tree"
)

// reference follows a $ref, a $dynamicRef or a $recursiveRef inside the same document.
func (b *builder) reference(word string, v *tree.Value, at string) (*node, error) {
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
func (b *builder) target(base *tree.Value, ref string) (*tree.Value, error) {
	target, err := tree.Resolve(base, ref)
	if err == nil && target == nil { // the name of an anchor
		if target = b.anchorsOf(base)[ref[1:]]; target == nil {
			err = fmt.Errorf("$ref %q points at nothing", tree.Shorten(ref, 100))
		}
	}
	if err != nil && base != b.root {
		return b.target(b.root, ref)
	}
	return target, err
}

// outermost returns where a dynamic reference leads: to the same anchor of the whole document, if both are dynamic.
func (b *builder) outermost(target *tree.Value, ref string) *tree.Value {
	outer, err := b.target(b.root, ref)
	for _, word := range []string{"$dynamicAnchor", "$recursiveAnchor"} {
		if mine := target.Member(word); err == nil && mine != nil && mine.Equal(outer.Member(word)) {
			return outer
		}
	}
	return target
}

// anchorsOf lists the schemas below base that have a name of their own.
func (b *builder) anchorsOf(base *tree.Value) map[string]*tree.Value {
	if b.anchors == nil {
		b.anchors = map[*tree.Value]map[string]*tree.Value{}
	}
	if names, ok := b.anchors[base]; ok {
		return names
	}
	names := map[string]*tree.Value{}
	var walk func(*tree.Value)
	walk = func(v *tree.Value) {
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
	holdsOne    tree.Words = "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties additionalItems contentSchema"
	holdsList   tree.Words = "anyOf oneOf allOf prefixItems items"
	holdsMap    tree.Words = "properties patternProperties dependentSchemas dependencies " + definitions
	definitions tree.Words = "$defs definitions"
)

// subschemas lists the schemas that one keyword holds.
func subschemas(m tree.Member) (all []*tree.Value) {
	switch {
	case holdsOne.Has(m.Name) && m.Value.Kind == '{':
		return []*tree.Value{m.Value}
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
