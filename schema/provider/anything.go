package provider

import (
	"rein/schema/internal/tree"
)

// anything writes a node that any value fits.
func (w *writer) anything(d *draft) *tree.Value {
	if d.root {
		d.source = &tree.Value{Kind: '{'}
		d.types = []string{"object"}
		d.set("type", tree.String("object"))
		w.demand(d)
		return d.out
	}
	out := &tree.Value{Kind: '{'}
	if d.source == nil {
		d.source = out
	}
	if w.p.strict {
		w.fits = false
	}
	d.out = out
	d.set("description", tree.String(""))
	if w.p.typed {
		d.out = w.anyTyped(d)
		return d.out
	}
	w.describe(d)
	return d.out
}

// dropUntyped turns the keywords of a node without a type into notes: they have no place where each type has its own branch.
func (w *writer) dropUntyped(d *draft) {
	for _, m := range d.source.Members {
		switch m.Name {
		case "description", "nullable", "$defs", "definitions", "$schema":
			continue
		}
		if note, known := lostNote(m.Name, m.Value); known {
			w.drop(d, m.Name, note)
		}
	}
}

// anyTyped spells "any value" for a provider that wants a type everywhere.
func (w *writer) anyTyped(d *draft) *tree.Value {
	var branches []*tree.Value
	for _, t := range []string{"string", "number", "boolean"} {
		branches = append(branches, &tree.Value{Kind: '{', Members: []tree.Member{{Name: "type", Value: tree.String(t)}}})
	}
	branches = append(branches, &tree.Value{Kind: '{', Members: []tree.Member{{Name: "type", Value: tree.String("object")}}})
	list := &tree.Value{Kind: '{', Members: []tree.Member{{Name: "type", Value: tree.String("array")}, {Name: "items", Value: &tree.Value{Kind: '{', Members: []tree.Member{{Name: "type", Value: tree.String("string")}}}}}}
	branches = append(branches, list)
	w.describe(d)
	choice := &tree.Value{Kind: '[', Items: branches}
	if description := d.out.Member("description"); description != nil {
		if !w.p.alone {
			return &tree.Value{Kind: '{', Members: []tree.Member{{Name: "description", Value: description}, {Name: "anyOf", Value: choice}}}
		}
		branches[0] = describeFirst(branches[0], description.Text)
	}
	return &tree.Value{Kind: '{', Members: []tree.Member{{Name: "anyOf", Value: choice}}}
}
