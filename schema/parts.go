package schema

import (
	"slices"

	"rein/schema/internal/tree"
)

// parts calls f for every node that a value of the given kinds must obey besides n: targets of references, allOf, and
// of anyOf and oneOf the only branch that such a value can take. It stops when f returns false.
func (n *node) parts(k tree.Kinds, f func(*node) bool) {
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
		for _, alternatives := range p.any {
			if only := onlyFor(alternatives, k); only != nil && !walk(only) {
				return false
			}
		}
		return true
	}
	walk(n)
}

// onlyFor returns the one alternative that admits the kinds, or nil when there are several or none.
func onlyFor(alternatives []*node, k tree.Kinds) (only *node) {
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
	n.parts(tree.IsObject, func(p *node) bool {
		if i := p.lookup(name); i >= 0 {
			child = p.properties[i].node
		}
		return child == nil
	})
	if child == nil {
		n.parts(tree.IsObject, func(p *node) bool {
			child = p.extra
			return child == nil
		})
	}
	return child
}

// itemNode returns the schema of the items of a list, or nil.
func (n *node) itemNode() (items *node) {
	n.parts(tree.IsArray, func(p *node) bool {
		items = p.items
		return items == nil
	})
	return items
}

func (n *node) requires(name string) (required bool) {
	n.parts(tree.IsObject, func(p *node) bool {
		required = slices.Contains(p.mustHave, name)
		return !required
	})
	return required
}

// known returns the declared names of an object's members, in their order, and whether the schema leaves the rest
// without a word: neither refused nor described.
func (n *node) known() (names []string, silent bool) {
	silent = true
	n.parts(tree.IsObject, func(p *node) bool {
		names = append(names, p.names()...)
		silent = silent && !p.open && !p.closed
		for _, alternatives := range p.any {
			silent = silent && (onlyFor(alternatives, tree.IsObject) != nil || len(alternatives) == 0)
		}
		return true
	})
	return names, silent && len(names) > 0
}
