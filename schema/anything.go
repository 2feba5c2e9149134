package schema

// anything writes a node that any value fits.
func (w *writer) anything(d *draft) *value {
	if d.root {
		d.source = &value{kind: '{'}
		d.types = []string{"object"}
		d.set("type", text("object"))
		w.demand(d)
		return d.out
	}
	out := &value{kind: '{'}
	if d.source == nil {
		d.source = out
	}
	if w.p.strict {
		w.fits = false
	}
	d.out = out
	d.set("description", text(""))
	if w.p.typed {
		d.out = w.anyTyped(d)
		return d.out
	}
	w.describe(d)
	return d.out
}

// dropUntyped says what a node without a type said: it has no place where each type has a branch of its own.
func (w *writer) dropUntyped(d *draft) {
	for _, m := range d.source.members {
		switch m.name {
		case "description", "nullable", "$defs", "definitions", "$schema":
			continue
		}
		if note, known := lostNote(m.name, m.value); known {
			w.drop(d, m.name, note)
		}
	}
}

// anyTyped spells "any value" for a provider that wants a type everywhere.
func (w *writer) anyTyped(d *draft) *value {
	var branches []*value
	for _, t := range []string{"string", "number", "boolean"} {
		branches = append(branches, &value{kind: '{', members: []member{{"type", text(t)}}})
	}
	branches = append(branches, &value{kind: '{', members: []member{{"type", text("object")}}})
	list := &value{kind: '{', members: []member{{"type", text("array")}, {"items", &value{kind: '{', members: []member{{"type", text("string")}}}}}}
	branches = append(branches, list)
	w.describe(d)
	choice := &value{kind: '[', items: branches}
	if description := d.out.member("description"); description != nil {
		if !w.p.alone {
			return &value{kind: '{', members: []member{{"description", description}, {"anyOf", choice}}}
		}
		branches[0] = describeFirst(branches[0], description.text)
	}
	return &value{kind: '{', members: []member{{"anyOf", choice}}}
}
