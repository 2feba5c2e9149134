package schema

import (
	"slices"
)

// draft is a node on its way: what is known of it, and the notes for its description.
type draft struct {
	source   *Value
	out      *Value
	types    []string // in the order of the schema, without null
	nullable bool
	notes    []string
	path     string
	root     bool
	chosen   bool // anyOf is as the profile takes it
	plan     *plan
}

func (d *draft) set(name string, v *Value) {
	for i := range d.out.Members {
		if d.out.Members[i].Name == name {
			d.out.Members[i].Value = v
			return
		}
	}
	d.out.Members = append(d.out.Members, member{Name: name, Value: v})
}

// drop leaves a keyword out and records the loss.
func (w *profileWriter) drop(d *draft, keyword, note string) {
	w.lose(d.path, keyword, note)
	if note != "" {
		d.notes = append(d.notes, note)
	}
}

// types reads which types the node has, from type, enum, const or its other keywords.
func (w *profileWriter) types(d *draft) {
	add := func(name string) {
		if name == "null" {
			d.nullable = true
		} else if !slices.Contains(d.types, name) {
			d.types = append(d.types, name)
		}
	}
	v := d.source
	switch t := v.Member("type"); {
	case t != nil && t.Kind == '[':
		for _, item := range t.Items {
			add(item.Text)
		}
	case t != nil:
		add(t.Text)
	case v.Member("const") != nil:
		add(v.Member("const").TypeName())
	case v.Member("enum") != nil:
		for _, item := range v.Member("enum").Items {
			add(item.TypeName())
		}
	case v.Member("properties") != nil || d.root:
		add("object")
	case v.Member("items") != nil:
		add("array")
	}
	if n := v.Member("nullable"); n != nil && n.Kind == 't' {
		d.nullable = true
	}
	if slices.Contains(d.types, "number") {
		d.types = slices.DeleteFunc(d.types, func(t string) bool { return t == "integer" })
	}
	if d.root {
		d.types, d.nullable = []string{"object"}, false
	}
}
