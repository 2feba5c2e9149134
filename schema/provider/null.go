package provider

import (
	"slices"

	"rein/schema/internal/tree"
)

// null means that null is allowed, as far as the provider can.
func (w *writer) null(d *draft) *tree.Value {
	if !d.nullable {
		return d.out
	}
	return w.nullable(d.out, d.path)
}

// nullable adds null to what a written node allows.
func (w *writer) nullable(out *tree.Value, path string) *tree.Value {
	d := &draft{out: out, path: path}
	t, choice := out.Member("type"), out.Member("anyOf")
	switch {
	case t != nil && t.Text == "null":
	case w.p.null == nullNone:
		w.lose(path, "null", "")
	case w.p.null == nullKeyword && choice == nil:
		d.set("nullable", &tree.Value{Kind: 't'})
	case w.p.null == nullKeyword:
		for i, branch := range choice.Items {
			choice.Items[i] = w.nullable(branch, path)
		}
	case choice != nil:
		if !slices.ContainsFunc(choice.Items, func(b *tree.Value) bool { t := b.Member("type"); return t != nil && t.Text == "null" }) {
			choice.Items = append(choice.Items, &tree.Value{Kind: '{', Members: []tree.Member{{Name: "type", Value: tree.String("null")}}})
		}
	case w.p.null == nullList && t != nil:
		w.listNull(d, t)
	case t != nil || out.Member("$ref") != nil:
		null := &tree.Value{Kind: '{', Members: []tree.Member{{Name: "type", Value: tree.String("null")}}}
		return &tree.Value{Kind: '{', Members: []tree.Member{{Name: "anyOf", Value: &tree.Value{Kind: '[', Items: []*tree.Value{out, null}}}}}
	}
	return out
}

// listNull adds null to the type and to the literals of a node.
func (w *writer) listNull(d *draft, t *tree.Value) {
	list := t.Items
	if t.Kind == '"' {
		list = []*tree.Value{t}
	}
	if !slices.ContainsFunc(list, func(item *tree.Value) bool { return item.Text == "null" }) {
		d.set("type", &tree.Value{Kind: '[', Items: append(slices.Clone(list), tree.String("null"))})
	}
	if c := d.out.Member("const"); c != nil && c.Kind != 'n' {
		d.remove("const")
		d.set("enum", &tree.Value{Kind: '[', Items: []*tree.Value{c, {Kind: 'n'}}})
	}
	if e := d.out.Member("enum"); e != nil && !slices.ContainsFunc(e.Items, func(v *tree.Value) bool { return v.Kind == 'n' }) {
		d.set("enum", &tree.Value{Kind: '[', Items: append(slices.Clone(e.Items), &tree.Value{Kind: 'n'})})
	}
}

// saysNull reports whether a written node allows null already.
func (w *writer) saysNull(out *tree.Value) bool {
	if t := out.Member("type"); t != nil {
		return t.Text == "null" || slices.ContainsFunc(t.Items, func(v *tree.Value) bool { return v.Text == "null" })
	}
	if c := out.Member("anyOf"); c != nil {
		return slices.ContainsFunc(c.Items, w.saysNull)
	}
	return out.Member("$ref") == nil
}
