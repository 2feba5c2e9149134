package schema

import (
	"strings"
)

// enum writes the allowed values, or names them in a note.
func (w *profileWriter) enum(d *draft) {
	v := d.source.Member("enum")
	if c := d.source.Member("const"); c != nil {
		if w.p.allows("const", d.root) && c.Kind != 'n' {
			d.set("const", c)
			return
		}
		v = &Value{Kind: '[', Items: []*Value{c}}
	}
	if v == nil || d.root {
		return
	}
	var items []*Value
	fits := w.p.enums != isString || len(d.types) == 1 && d.types[0] == "string"
	for _, item := range unite(v.Items, nil) {
		switch {
		case item.Kind == 'n':
			d.nullable = true
		case w.p.solid && item.Kind == '"' && item.Text == "":
			w.drop(d, "enum", `or ""`)
		default:
			fits = fits && item.Kinds()&w.p.enums != 0
			items = append(items, item)
		}
	}
	for _, item := range items {
		fits = fits && w.spend(len(item.Text)+4)
	}
	switch {
	case len(items) == 0:
	case fits:
		d.set("enum", &Value{Kind: '[', Items: items})
	case len(items) == 1:
		w.drop(d, "enum", "always "+listed(items))
	default:
		w.drop(d, "enum", "one of "+listed(items))
	}
}

func listed(items []*Value) string {
	var all []string
	for _, item := range items[:min(len(items), 30)] {
		all = append(all, shorten(string(item.Append(nil)), 60))
	}
	if len(items) > 30 {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}
