package schema

import "strings"

// enum writes the allowed values, or names them in a note.
func (w *writer) enum(d *draft) {
	v := d.source.member("enum")
	if c := d.source.member("const"); c != nil {
		if w.p.allows("const", d.root) && c.kind != 'n' {
			d.set("const", c)
			return
		}
		v = &value{kind: '[', items: []*value{c}}
	}
	if v == nil || d.root {
		return
	}
	var items []*value
	fits := w.p.enums != isString || len(d.types) == 1 && d.types[0] == "string"
	for _, item := range unite(v.items, nil) {
		switch {
		case item.kind == 'n':
			d.nullable = true
		case w.p.solid && item.kind == '"' && item.text == "":
			w.drop(d, "enum", `or ""`)
		default:
			fits = fits && item.kinds()&w.p.enums != 0
			items = append(items, item)
		}
	}
	for _, item := range items {
		fits = fits && w.spend(len(item.text)+4)
	}
	switch {
	case len(items) == 0:
	case fits:
		d.set("enum", &value{kind: '[', items: items})
	case len(items) == 1:
		w.drop(d, "enum", "always "+listed(items))
	default:
		w.drop(d, "enum", "one of "+listed(items))
	}
}

func listed(items []*value) string {
	var all []string
	for _, item := range items[:min(len(items), 30)] {
		all = append(all, shorten(string(item.append(nil)), 60))
	}
	if len(items) > 30 {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}
