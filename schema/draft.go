package schema

import "slices"

// draft is a node on its way: what is known of it, and the notes for its description.
type draft struct {
	source   *value
	out      *value
	types    []string // in the order of the schema, without null
	nullable bool
	notes    []string
	path     string
	root     bool
	chosen   bool // anyOf is as the profile takes it
	plan     *plan
}

func (d *draft) set(name string, v *value) {
	for i := range d.out.members {
		if d.out.members[i].name == name {
			d.out.members[i].value = v
			return
		}
	}
	d.out.members = append(d.out.members, member{name, v})
}

// drop leaves a keyword out and says so.
func (w *writer) drop(d *draft, keyword, note string) {
	w.lose(d.path, keyword, note)
	if note != "" {
		d.notes = append(d.notes, note)
	}
}

// types reads which types the node has, from type, enum, const or what else it says.
func (w *writer) types(d *draft) {
	add := func(name string) {
		if name == "null" {
			d.nullable = true
		} else if !slices.Contains(d.types, name) {
			d.types = append(d.types, name)
		}
	}
	v := d.source
	switch t := v.member("type"); {
	case t != nil && t.kind == '[':
		for _, item := range t.items {
			add(item.text)
		}
	case t != nil:
		add(t.text)
	case v.member("const") != nil:
		add(v.member("const").typeName())
	case v.member("enum") != nil:
		for _, item := range v.member("enum").items {
			add(item.typeName())
		}
	case v.member("properties") != nil || d.root:
		add("object")
	case v.member("items") != nil:
		add("array")
	}
	if n := v.member("nullable"); n != nil && n.kind == 't' {
		d.nullable = true
	}
	if slices.Contains(d.types, "number") {
		d.types = slices.DeleteFunc(d.types, func(t string) bool { return t == "integer" })
	}
	if d.root {
		d.types, d.nullable = []string{"object"}, false
	}
}

// typeName is the type of a literal.
func (v *value) typeName() string {
	k := v.kinds()
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			return name
		}
	}
	return "string"
}
