package provider

import (
	"slices"
	"strings"

	"rein/schema/internal/tree"
)

// choose rewrites anyOf and oneOf as far as the profile does not take them as they are.
func (w *writer) choose(v *tree.Value, d *draft) *tree.Value {
	for range 8 { // a branch that is merged in may bring another choice
		word := ""
		for _, candidate := range []string{"anyOf", "oneOf"} {
			if list := v.Member(candidate); list != nil && list.Kind == '[' && !w.keeps(candidate, d) && !d.chosen {
				word = candidate
			}
		}
		if word == "" {
			return v
		}
		v = w.chosen(v.Without(word), v.Member(word).Items, d)
	}
	return v
}

// keeps reports whether a choice may stay just as it is.
func (w *writer) keeps(word string, d *draft) bool {
	return w.p.allows(word, d.root) && w.p.full()
}

// chosen puts the branches of a choice into v: as anyOf where the provider takes it, else merged into one.
func (w *writer) chosen(v *tree.Value, items []*tree.Value, d *draft) *tree.Value {
	var branches []*tree.Value
	for _, item := range items {
		b := w.peek(item)
		if isNullSchema(b) {
			d.nullable = true
			continue
		}
		if b.Kind != 'f' && !tree.Holds(branches, item) {
			branches = append(branches, item)
		}
		if !w.spend(16) {
			break
		}
	}
	switch {
	case len(branches) == 0:
		return v
	case len(branches) == 1:
		return w.merge(v, w.part(branches[0], d), d)
	case w.all(branches, isLiteral):
		return w.literals(v, branches, d)
	case w.all(branches, onlyRequires):
		w.drop(d, "anyOf", w.forms(branches))
		return v
	case w.p.allows("anyOf", d.root) && v.Member("anyOf") == nil:
		return w.alternatives(v, branches, d)
	case w.all(branches, isObjectSchema):
		return w.mergeObjects(v, branches, d)
	}
	return w.mergeKinds(v, branches, d)
}

// peek follows references without entering them.
func (w *writer) peek(v *tree.Value) *tree.Value {
	for range 16 {
		ref := v.Member("$ref")
		if ref == nil {
			break
		}
		target, err := tree.Resolve(w.root, ref.Text)
		if err != nil || target == nil {
			break
		}
		v = target
	}
	return v
}

func (w *writer) all(branches []*tree.Value, is func(*tree.Value) bool) bool {
	return !slices.ContainsFunc(branches, func(b *tree.Value) bool { return !is(w.peek(b)) })
}

// isNullSchema reports whether a schema allows null alone, in whatever form.
func isNullSchema(v *tree.Value) bool {
	if c := v.Member("const"); c != nil {
		return c.Kind == 'n'
	}
	for _, word := range []string{"enum", "type"} {
		if list := v.Member(word); list != nil && len(list.Items) > 0 {
			return !slices.ContainsFunc(list.Items, func(item *tree.Value) bool { return item.Kind != 'n' && (word == "enum" || item.Text != "null") })
		}
	}
	t := v.Member("type")
	return t != nil && t.Text == "null"
}

// isLiteral reports whether a schema only lists the scalars that are allowed.
func isLiteral(v *tree.Value) bool {
	found := false
	for _, m := range v.Members {
		switch {
		case m.Name == "const" && m.Value.Kind != '{' && m.Value.Kind != '[':
			found = true
		case m.Name == "enum":
			found = true
			for _, item := range m.Value.Items {
				if item.Kind == '{' || item.Kind == '[' {
					return false
				}
			}
		case m.Name != "type" && !tree.Annotations.Has(m.Name):
			return false
		}
	}
	return found
}

func onlyRequires(v *tree.Value) bool {
	for _, m := range v.Members {
		if m.Name != "required" && m.Name != "type" && !tree.Annotations.Has(m.Name) {
			return false
		}
	}
	return v.Member("required") != nil
}

func isObjectSchema(v *tree.Value) bool {
	t := v.Member("type")
	return t != nil && t.Text == "object" || t == nil && (v.Member("properties") != nil || v.Member("required") != nil)
}

// literals makes one enum of branches that each name values; the description of a value goes into a note.
func (w *writer) literals(v *tree.Value, branches []*tree.Value, d *draft) *tree.Value {
	var items []*tree.Value
	for _, b := range branches {
		b = w.peek(b)
		named := b.Member("enum")
		if c := b.Member("const"); c != nil {
			named = &tree.Value{Items: []*tree.Value{c}}
		}
		items = tree.Unite(items, named.Items)
		if about := b.Member("description"); about != nil && len(named.Items) == 1 && len(d.notes) < 20 {
			d.notes = append(d.notes, string(named.Items[0].Append(nil))+": "+tree.Shorten(about.Text, 100))
		}
	}
	choice := &tree.Value{Kind: '{', Members: []tree.Member{{Name: "enum", Value: &tree.Value{Kind: '[', Items: items}}}}
	return w.merge(v, choice, d)
}

// forms lists in words the members that each branch requires.
func (w *writer) forms(branches []*tree.Value) string {
	var forms []string
	for _, b := range branches[:min(len(branches), 8)] {
		var names []string
		if required := w.peek(b).Member("required"); required != nil {
			for _, name := range required.Items[:min(len(required.Items), 8)] {
				names = append(names, tree.Shorten(name.Text, 40))
			}
		}
		if len(names) > 0 {
			forms = append(forms, strings.Join(names, " and "))
		}
	}
	if len(forms) == 0 {
		return ""
	}
	return "give " + strings.Join(forms, ", or ")
}

// alternatives keeps the branches as anyOf. A provider that wants anyOf alone gets what is beside it in each branch.
func (w *writer) alternatives(v *tree.Value, branches []*tree.Value, d *draft) *tree.Value {
	d.chosen = true
	if w.p.alone {
		beside := &tree.Value{Kind: '{'}
		rest := &tree.Value{Kind: '{'}
		for _, m := range v.Members {
			if tree.Annotations.Has(m.Name) {
				rest.Members = append(rest.Members, m)
			} else {
				beside.Members = append(beside.Members, m)
			}
		}
		if len(beside.Members) > 0 {
			for i, b := range branches {
				branches[i] = &tree.Value{Kind: '{', Members: []tree.Member{{Name: "allOf", Value: &tree.Value{Kind: '[', Items: []*tree.Value{b, beside}}}}}
			}
		}
		v = rest
	}
	out := v.Without("anyOf")
	out.Members = append(out.Members, tree.Member{Name: "anyOf", Value: &tree.Value{Kind: '[', Items: branches}})
	return out
}

// mergeObjects makes one object of several forms: all members of any form, required what every form requires.
func (w *writer) mergeObjects(v *tree.Value, branches []*tree.Value, d *draft) *tree.Value {
	properties, required := &tree.Value{Kind: '{'}, []*tree.Value(nil)
	w.drop(d, "anyOf", w.forms(branches))
	for i, b := range branches {
		if !w.spend(32) {
			break
		}
		flat := w.part(b, d)
		if p := flat.Member("properties"); p != nil {
			properties = w.either(properties, p)
		}
		var mine []*tree.Value
		if r := flat.Member("required"); r != nil {
			mine = r.Items
		}
		if i == 0 {
			required = mine
		} else {
			required = tree.Intersect(required, mine)
		}
	}
	form := &tree.Value{Kind: '{', Members: []tree.Member{{Name: "type", Value: tree.String("object")}, {Name: "properties", Value: properties}}}
	if len(required) > 0 {
		form.Members = append(form.Members, tree.Member{Name: "required", Value: &tree.Value{Kind: '[', Items: required}})
	}
	return w.merge(v, form, d)
}

// either joins the properties of two forms; one that both have may be of either.
func (w *writer) either(a, b *tree.Value) *tree.Value {
	out := w.union(a, b)
	for _, m := range out.Members {
		both := m.Value.Member("allOf")
		if both == nil || len(m.Value.Members) != 1 || m.Value == a.Member(m.Name) || m.Value == b.Member(m.Name) {
			continue
		}
		m.Value.Members[0].Name = "anyOf"
	}
	return out
}

// mergeKinds makes one node of branches of several types: each type as its first branch has it.
func (w *writer) mergeKinds(v *tree.Value, branches []*tree.Value, d *draft) *tree.Value {
	w.drop(d, "anyOf", "one of several forms")
	out := v
	var types []string
	for _, b := range branches {
		flat := w.part(b, d)
		probe := &draft{source: flat, out: &tree.Value{Kind: '{'}}
		w.types(probe)
		for _, t := range probe.types {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
		part := flat.Without("type").Without("description").Without("enum").Without("const").Without("anyOf").Without("oneOf")
		for _, m := range part.Members {
			if out.Member(m.Name) == nil && !bounding.Has(m.Name) {
				out = &tree.Value{Kind: '{', Members: append(slices.Clone(out.Members), m)}
			}
		}
	}
	if len(types) > 0 && v.Member("type") == nil {
		out = &tree.Value{Kind: '{', Members: append(slices.Clone(out.Members), tree.Member{Name: "type", Value: tree.Strings(types)})}
	}
	return out
}

const bounding = tree.LimitWords + " format"
