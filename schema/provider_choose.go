package schema

import (
	"slices"
	"strings"
)

// choose rewrites anyOf and oneOf as far as the profile does not take them as they are.
func (w *profileWriter) choose(v *Value, d *draft) *Value {
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
func (w *profileWriter) keeps(word string, d *draft) bool {
	return w.p.allows(word, d.root) && w.p.full()
}

// chosen puts the branches of a choice into v: as anyOf where the provider takes it, else merged into one.
func (w *profileWriter) chosen(v *Value, items []*Value, d *draft) *Value {
	var branches []*Value
	for _, item := range items {
		b := w.peek(item)
		if isNullSchema(b) {
			d.nullable = true
			continue
		}
		if b.Kind != 'f' && !holds(branches, item) {
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
func (w *profileWriter) peek(v *Value) *Value {
	for range 16 {
		ref := v.Member("$ref")
		if ref == nil {
			break
		}
		target, err := resolve(w.root, ref.Text)
		if err != nil || target == nil {
			break
		}
		v = target
	}
	return v
}

func (w *profileWriter) all(branches []*Value, is func(*Value) bool) bool {
	return !slices.ContainsFunc(branches, func(b *Value) bool { return !is(w.peek(b)) })
}

// isNullSchema reports whether a schema allows null alone, in whatever form.
func isNullSchema(v *Value) bool {
	if c := v.Member("const"); c != nil {
		return c.Kind == 'n'
	}
	for _, word := range []string{"enum", "type"} {
		if list := v.Member(word); list != nil && len(list.Items) > 0 {
			return !slices.ContainsFunc(list.Items, func(item *Value) bool { return item.Kind != 'n' && (word == "enum" || item.Text != "null") })
		}
	}
	t := v.Member("type")
	return t != nil && t.Text == "null"
}

// isLiteral reports whether a schema only lists the scalars that are allowed.
func isLiteral(v *Value) bool {
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
		case m.Name != "type" && !annotations.Has(m.Name):
			return false
		}
	}
	return found
}

func onlyRequires(v *Value) bool {
	for _, m := range v.Members {
		if m.Name != "required" && m.Name != "type" && !annotations.Has(m.Name) {
			return false
		}
	}
	return v.Member("required") != nil
}

func isObjectSchema(v *Value) bool {
	t := v.Member("type")
	return t != nil && t.Text == "object" || t == nil && (v.Member("properties") != nil || v.Member("required") != nil)
}

// literals makes one enum of branches that each name values; the description of a value goes into a note.
func (w *profileWriter) literals(v *Value, branches []*Value, d *draft) *Value {
	var items []*Value
	for _, b := range branches {
		b = w.peek(b)
		named := b.Member("enum")
		if c := b.Member("const"); c != nil {
			named = &Value{Items: []*Value{c}}
		}
		items = unite(items, named.Items)
		if about := b.Member("description"); about != nil && len(named.Items) == 1 && len(d.notes) < 20 {
			d.notes = append(d.notes, string(named.Items[0].Append(nil))+": "+shorten(about.Text, 100))
		}
	}
	choice := &Value{Kind: '{', Members: []member{{Name: "enum", Value: &Value{Kind: '[', Items: items}}}}
	return w.merge(v, choice, d)
}

// forms lists in words the members that each branch requires.
func (w *profileWriter) forms(branches []*Value) string {
	var forms []string
	for _, b := range branches[:min(len(branches), 8)] {
		var names []string
		if required := w.peek(b).Member("required"); required != nil {
			for _, name := range required.Items[:min(len(required.Items), 8)] {
				names = append(names, shorten(name.Text, 40))
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
func (w *profileWriter) alternatives(v *Value, branches []*Value, d *draft) *Value {
	d.chosen = true
	if w.p.alone {
		beside := &Value{Kind: '{'}
		rest := &Value{Kind: '{'}
		for _, m := range v.Members {
			if annotations.Has(m.Name) {
				rest.Members = append(rest.Members, m)
			} else {
				beside.Members = append(beside.Members, m)
			}
		}
		if len(beside.Members) > 0 {
			for i, b := range branches {
				branches[i] = &Value{Kind: '{', Members: []member{{Name: "allOf", Value: &Value{Kind: '[', Items: []*Value{b, beside}}}}}
			}
		}
		v = rest
	}
	out := v.Without("anyOf")
	out.Members = append(out.Members, member{Name: "anyOf", Value: &Value{Kind: '[', Items: branches}})
	return out
}

// mergeObjects makes one object of several forms: all members of any form, required what every form requires.
func (w *profileWriter) mergeObjects(v *Value, branches []*Value, d *draft) *Value {
	properties, required := &Value{Kind: '{'}, []*Value(nil)
	w.drop(d, "anyOf", w.forms(branches))
	for i, b := range branches {
		if !w.spend(32) {
			break
		}
		flat := w.part(b, d)
		if p := flat.Member("properties"); p != nil {
			properties = w.either(properties, p)
		}
		var mine []*Value
		if r := flat.Member("required"); r != nil {
			mine = r.Items
		}
		if i == 0 {
			required = mine
		} else {
			required = intersect(required, mine)
		}
	}
	form := &Value{Kind: '{', Members: []member{{Name: "type", Value: stringValue("object")}, {Name: "properties", Value: properties}}}
	if len(required) > 0 {
		form.Members = append(form.Members, member{Name: "required", Value: &Value{Kind: '[', Items: required}})
	}
	return w.merge(v, form, d)
}

// either joins the properties of two forms; one that both have may be of either.
func (w *profileWriter) either(a, b *Value) *Value {
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
func (w *profileWriter) mergeKinds(v *Value, branches []*Value, d *draft) *Value {
	w.drop(d, "anyOf", "one of several forms")
	out := v
	var types []string
	for _, b := range branches {
		flat := w.part(b, d)
		probe := &draft{source: flat, out: &Value{Kind: '{'}}
		w.types(probe)
		for _, t := range probe.types {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
		part := flat.Without("type").Without("description").Without("enum").Without("const").Without("anyOf").Without("oneOf")
		for _, m := range part.Members {
			if out.Member(m.Name) == nil && !bounding.Has(m.Name) {
				out = &Value{Kind: '{', Members: append(slices.Clone(out.Members), m)}
			}
		}
	}
	if len(types) > 0 && v.Member("type") == nil {
		out = &Value{Kind: '{', Members: append(slices.Clone(out.Members), member{Name: "type", Value: stringsValue(types)})}
	}
	return out
}

const bounding = limitWords + " format"
