package schema

// anything writes a node that any value fits.
func (w *profileWriter) anything(d *draft) *Value {
	if d.root {
		d.source = &Value{Kind: '{'}
		d.types = []string{"object"}
		d.set("type", stringValue("object"))
		w.demand(d)
		return d.out
	}
	out := &Value{Kind: '{'}
	if d.source == nil {
		d.source = out
	}
	if w.p.strict {
		w.fits = false
	}
	d.out = out
	d.set("description", stringValue(""))
	if w.p.typed {
		d.out = w.anyTyped(d)
		return d.out
	}
	w.describe(d)
	return d.out
}

// dropUntyped turns the keywords of a node without a type into notes: they have no place where each type has its own branch.
func (w *profileWriter) dropUntyped(d *draft) {
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
func (w *profileWriter) anyTyped(d *draft) *Value {
	var branches []*Value
	for _, t := range []string{"string", "number", "boolean"} {
		branches = append(branches, &Value{Kind: '{', Members: []member{{Name: "type", Value: stringValue(t)}}})
	}
	branches = append(branches, &Value{Kind: '{', Members: []member{{Name: "type", Value: stringValue("object")}}})
	list := &Value{Kind: '{', Members: []member{{Name: "type", Value: stringValue("array")}, {Name: "items", Value: &Value{Kind: '{', Members: []member{{Name: "type", Value: stringValue("string")}}}}}}
	branches = append(branches, list)
	w.describe(d)
	choice := &Value{Kind: '[', Items: branches}
	if description := d.out.Member("description"); description != nil {
		if !w.p.alone {
			return &Value{Kind: '{', Members: []member{{Name: "description", Value: description}, {Name: "anyOf", Value: choice}}}
		}
		branches[0] = describeFirst(branches[0], description.Text)
	}
	return &Value{Kind: '{', Members: []member{{Name: "anyOf", Value: choice}}}
}
