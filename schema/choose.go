package schema

import (
	"slices"
	"strings"
)

// choose rewrites anyOf and oneOf as far as the profile does not take them as they are.
func (w *writer) choose(v *value, d *draft) *value {
	for range 8 { // a branch that is merged in may bring another choice
		word := ""
		for _, candidate := range []string{"anyOf", "oneOf"} {
			if list := v.member(candidate); list != nil && list.kind == '[' && !w.keeps(candidate, d) && !d.chosen {
				word = candidate
			}
		}
		if word == "" {
			return v
		}
		v = w.chosen(v.without(word), v.member(word).items, d)
	}
	return v
}

// keeps reports whether a choice may stay just as it is.
func (w *writer) keeps(word string, d *draft) bool {
	return w.p.allows(word, d.root) && w.p.full()
}

// chosen puts the branches of a choice into v: as anyOf where that can be said, else merged into one.
func (w *writer) chosen(v *value, items []*value, d *draft) *value {
	var branches []*value
	for _, item := range items {
		b := w.peek(item)
		if isNullSchema(b) {
			d.nullable = true
			continue
		}
		if b.kind != 'f' && !holds(branches, item) {
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
	case w.p.allows("anyOf", d.root) && v.member("anyOf") == nil:
		return w.alternatives(v, branches, d)
	case w.all(branches, isObjectSchema):
		return w.mergeObjects(v, branches, d)
	}
	return w.mergeKinds(v, branches, d)
}

// peek follows references without entering them.
func (w *writer) peek(v *value) *value {
	for range 16 {
		ref := v.member("$ref")
		if ref == nil {
			break
		}
		target, err := resolve(w.root, ref.text)
		if err != nil || target == nil {
			break
		}
		v = target
	}
	return v
}

func (w *writer) all(branches []*value, is func(*value) bool) bool {
	return !slices.ContainsFunc(branches, func(b *value) bool { return !is(w.peek(b)) })
}

// isNullSchema reports whether a schema allows null alone, however it says so.
func isNullSchema(v *value) bool {
	if c := v.member("const"); c != nil {
		return c.kind == 'n'
	}
	for _, word := range []string{"enum", "type"} {
		if list := v.member(word); list != nil && len(list.items) > 0 {
			return !slices.ContainsFunc(list.items, func(item *value) bool { return item.kind != 'n' && (word == "enum" || item.text != "null") })
		}
	}
	t := v.member("type")
	return t != nil && t.text == "null"
}

// isLiteral reports whether a schema says nothing but which scalars are allowed.
func isLiteral(v *value) bool {
	found := false
	for _, m := range v.members {
		switch {
		case m.name == "const" && m.value.kind != '{' && m.value.kind != '[':
			found = true
		case m.name == "enum":
			found = true
			for _, item := range m.value.items {
				if item.kind == '{' || item.kind == '[' {
					return false
				}
			}
		case m.name != "type" && !annotations.has(m.name):
			return false
		}
	}
	return found
}

func onlyRequires(v *value) bool {
	for _, m := range v.members {
		if m.name != "required" && m.name != "type" && !annotations.has(m.name) {
			return false
		}
	}
	return v.member("required") != nil
}

func isObjectSchema(v *value) bool {
	t := v.member("type")
	return t != nil && t.text == "object" || t == nil && (v.member("properties") != nil || v.member("required") != nil)
}

// literals makes one enum of branches that each name values; what a branch says about its value goes into a note.
func (w *writer) literals(v *value, branches []*value, d *draft) *value {
	var items []*value
	for _, b := range branches {
		b = w.peek(b)
		named := b.member("enum")
		if c := b.member("const"); c != nil {
			named = &value{items: []*value{c}}
		}
		items = unite(items, named.items)
		if about := b.member("description"); about != nil && len(named.items) == 1 && len(d.notes) < 20 {
			d.notes = append(d.notes, string(named.items[0].append(nil))+": "+shorten(about.text, 100))
		}
	}
	choice := &value{kind: '{', members: []member{{"enum", &value{kind: '[', items: items}}}}
	return w.merge(v, choice, d)
}

// forms tells in words which members each branch asks for.
func (w *writer) forms(branches []*value) string {
	var forms []string
	for _, b := range branches[:min(len(branches), 8)] {
		var names []string
		if required := w.peek(b).member("required"); required != nil {
			for _, name := range required.items[:min(len(required.items), 8)] {
				names = append(names, shorten(name.text, 40))
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
func (w *writer) alternatives(v *value, branches []*value, d *draft) *value {
	d.chosen = true
	if w.p.alone {
		beside := &value{kind: '{'}
		rest := &value{kind: '{'}
		for _, m := range v.members {
			if annotations.has(m.name) {
				rest.members = append(rest.members, m)
			} else {
				beside.members = append(beside.members, m)
			}
		}
		if len(beside.members) > 0 {
			for i, b := range branches {
				branches[i] = &value{kind: '{', members: []member{{"allOf", &value{kind: '[', items: []*value{b, beside}}}}}
			}
		}
		v = rest
	}
	out := v.without("anyOf")
	out.members = append(out.members, member{"anyOf", &value{kind: '[', items: branches}})
	return out
}

// mergeObjects makes one object of several forms: all members of any form, required what every form requires.
func (w *writer) mergeObjects(v *value, branches []*value, d *draft) *value {
	properties, required := &value{kind: '{'}, []*value(nil)
	w.drop(d, "anyOf", w.forms(branches))
	for i, b := range branches {
		if !w.spend(32) {
			break
		}
		flat := w.part(b, d)
		if p := flat.member("properties"); p != nil {
			properties = w.either(properties, p)
		}
		var mine []*value
		if r := flat.member("required"); r != nil {
			mine = r.items
		}
		if i == 0 {
			required = mine
		} else {
			required = intersect(required, mine)
		}
	}
	form := &value{kind: '{', members: []member{{"type", text("object")}, {"properties", properties}}}
	if len(required) > 0 {
		form.members = append(form.members, member{"required", &value{kind: '[', items: required}})
	}
	return w.merge(v, form, d)
}

// either joins the properties of two forms; one that both have may be of either.
func (w *writer) either(a, b *value) *value {
	out := w.union(a, b)
	for _, m := range out.members {
		both := m.value.member("allOf")
		if both == nil || len(m.value.members) != 1 || m.value == a.member(m.name) || m.value == b.member(m.name) {
			continue
		}
		m.value.members[0].name = "anyOf"
	}
	return out
}

// mergeKinds makes one node of branches of several types: each type as its first branch says it.
func (w *writer) mergeKinds(v *value, branches []*value, d *draft) *value {
	w.drop(d, "anyOf", "one of several forms")
	out := v
	var types []string
	for _, b := range branches {
		flat := w.part(b, d)
		probe := &draft{source: flat, out: &value{kind: '{'}}
		w.types(probe)
		for _, t := range probe.types {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
		part := flat.without("type").without("description").without("enum").without("const").without("anyOf").without("oneOf")
		for _, m := range part.members {
			if out.member(m.name) == nil && !bounding.has(m.name) {
				out = &value{kind: '{', members: append(slices.Clone(out.members), m)}
			}
		}
	}
	if len(types) > 0 && v.member("type") == nil {
		out = &value{kind: '{', members: append(slices.Clone(out.members), member{"type", texts(types)})}
	}
	return out
}

const bounding = limitWords + " format"
