package schema

import (
	"slices"
)

// null means that null is allowed, as far as the provider can.
func (w *profileWriter) null(d *draft) *Value {
	if !d.nullable {
		return d.out
	}
	return w.nullable(d.out, d.path)
}

// nullable adds null to what a written node allows.
func (w *profileWriter) nullable(out *Value, path string) *Value {
	d := &draft{out: out, path: path}
	t, choice := out.Member("type"), out.Member("anyOf")
	switch {
	case t != nil && t.Text == "null":
	case w.p.null == nullNone:
		w.lose(path, "null", "")
	case w.p.null == nullKeyword && choice == nil:
		d.set("nullable", &Value{Kind: 't'})
	case w.p.null == nullKeyword:
		for i, branch := range choice.Items {
			choice.Items[i] = w.nullable(branch, path)
		}
	case choice != nil:
		if !slices.ContainsFunc(choice.Items, func(b *Value) bool { t := b.Member("type"); return t != nil && t.Text == "null" }) {
			choice.Items = append(choice.Items, &Value{Kind: '{', Members: []member{{Name: "type", Value: stringValue("null")}}})
		}
	case w.p.null == nullList && t != nil:
		w.listNull(d, t)
	case t != nil || out.Member("$ref") != nil:
		null := &Value{Kind: '{', Members: []member{{Name: "type", Value: stringValue("null")}}}
		return &Value{Kind: '{', Members: []member{{Name: "anyOf", Value: &Value{Kind: '[', Items: []*Value{out, null}}}}}
	}
	return out
}

// listNull adds null to the type and to the literals of a node.
func (w *profileWriter) listNull(d *draft, t *Value) {
	list := t.Items
	if t.Kind == '"' {
		list = []*Value{t}
	}
	if !slices.ContainsFunc(list, func(item *Value) bool { return item.Text == "null" }) {
		d.set("type", &Value{Kind: '[', Items: append(slices.Clone(list), stringValue("null"))})
	}
	if c := d.out.Member("const"); c != nil && c.Kind != 'n' {
		d.remove("const")
		d.set("enum", &Value{Kind: '[', Items: []*Value{c, {Kind: 'n'}}})
	}
	if e := d.out.Member("enum"); e != nil && !slices.ContainsFunc(e.Items, func(v *Value) bool { return v.Kind == 'n' }) {
		d.set("enum", &Value{Kind: '[', Items: append(slices.Clone(e.Items), &Value{Kind: 'n'})})
	}
}

// saysNull reports whether a written node allows null already.
func (w *profileWriter) saysNull(out *Value) bool {
	if t := out.Member("type"); t != nil {
		return t.Text == "null" || slices.ContainsFunc(t.Items, func(v *Value) bool { return v.Text == "null" })
	}
	if c := out.Member("anyOf"); c != nil {
		return slices.ContainsFunc(c.Items, w.saysNull)
	}
	return out.Member("$ref") == nil
}
