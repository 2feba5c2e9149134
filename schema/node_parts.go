package schema

import (
	"slices"
)

// parts calls f for every node that a value of the given kinds must obey besides n: targets of references, allOf, and
// of anyOf and oneOf the only branch that such a value can take. It stops when f returns false.
func (n *node) parts(k kinds, f func(*node) bool) {
	visited := make([]*node, 0, 8)
	var walk func(*node) bool
	walk = func(p *node) bool {
		if slices.Contains(visited, p) || len(visited) == cap(visited) {
			return true
		}
		visited = append(visited, p)
		if !f(p) {
			return false
		}
		if p.ref != nil && !walk(p.ref) {
			return false
		}
		for _, part := range p.all {
			if !walk(part) {
				return false
			}
		}
		for _, c := range p.choices {
			if only := onlyFor(c.forms, k); only != nil && !walk(only) {
				return false
			}
		}
		return true
	}
	walk(n)
}

// onlyFor returns the one alternative that admits the kinds, or nil when there are several or none.
func onlyFor(alternatives []*node, k kinds) (only *node) {
	for _, a := range alternatives {
		if a.effective&k == 0 {
			continue
		}
		if only != nil {
			return nil
		}
		only = a
	}
	return only
}

// childNode returns the schema of a member of an object, or nil when there is none.
func (n *node) childNode(name string) (child *node) {
	n.parts(isObject, func(p *node) bool {
		if i := p.lookup(name); i >= 0 {
			child = p.properties[i].node
		}
		return child == nil
	})
	if child == nil {
		n.parts(isObject, func(p *node) bool {
			child = p.extra
			return child == nil
		})
	}
	return child
}

// listNode returns the part of a schema that describes the items of a list, or nil.
func (n *node) listNode() (list *node) {
	n.parts(isArray, func(p *node) bool {
		if p.items != nil || p.prefix != nil {
			list = p
		}
		return list == nil
	})
	return list
}

// item returns the schema of the item i, or nil.
func (n *node) item(i int) *node {
	switch {
	case n == nil:
		return nil
	case i < len(n.prefix):
		return n.prefix[i]
	}
	return n.items
}

func (n *node) requires(name string) (required bool) {
	n.parts(isObject, func(p *node) bool {
		required = slices.Contains(p.mustHave, name)
		return !required
	})
	return required
}

// known returns the declared names of an object's members, in their order, and whether the schema leaves the rest
// without a word: neither refused nor described.
func (n *node) known() (names []string, silent bool) {
	silent = true
	n.parts(isObject, func(p *node) bool {
		names = append(names, p.names()...)
		silent = silent && !p.open && !p.closed
		for _, c := range p.choices {
			silent = silent && onlyFor(c.forms, isObject) != nil
		}
		return true
	})
	return names, silent && len(names) > 0
}
