package schema

import "slices"

// null means that null is allowed, as far as the provider can.
func (w *writer) null(d *draft) *value {
	if !d.nullable {
		return d.out
	}
	return w.nullable(d.out, d.path)
}

// nullable adds null to what a written node allows.
func (w *writer) nullable(out *value, path string) *value {
	d := &draft{out: out, path: path}
	t, choice := out.member("type"), out.member("anyOf")
	switch {
	case t != nil && t.text == "null":
	case w.p.null == nullNone:
		w.lose(path, "null", "")
	case w.p.null == nullKeyword && choice == nil:
		d.set("nullable", &value{kind: 't'})
	case w.p.null == nullKeyword:
		for i, branch := range choice.items {
			choice.items[i] = w.nullable(branch, path)
		}
	case choice != nil:
		if !slices.ContainsFunc(choice.items, func(b *value) bool { t := b.member("type"); return t != nil && t.text == "null" }) {
			choice.items = append(choice.items, &value{kind: '{', members: []member{{"type", text("null")}}})
		}
	case w.p.null == nullList && t != nil:
		w.listNull(d, t)
	case t != nil || out.member("$ref") != nil:
		null := &value{kind: '{', members: []member{{"type", text("null")}}}
		return &value{kind: '{', members: []member{{"anyOf", &value{kind: '[', items: []*value{out, null}}}}}
	}
	return out
}

// listNull adds null to the type and to the literals of a node.
func (w *writer) listNull(d *draft, t *value) {
	list := t.items
	if t.kind == '"' {
		list = []*value{t}
	}
	if !slices.ContainsFunc(list, func(item *value) bool { return item.text == "null" }) {
		d.set("type", &value{kind: '[', items: append(slices.Clone(list), text("null"))})
	}
	if c := d.out.member("const"); c != nil && c.kind != 'n' {
		d.remove("const")
		d.set("enum", &value{kind: '[', items: []*value{c, {kind: 'n'}}})
	}
	if e := d.out.member("enum"); e != nil && !slices.ContainsFunc(e.items, func(v *value) bool { return v.kind == 'n' }) {
		d.set("enum", &value{kind: '[', items: append(slices.Clone(e.items), &value{kind: 'n'})})
	}
}

// saysNull reports whether a written node allows null already.
func (w *writer) saysNull(out *value) bool {
	if t := out.member("type"); t != nil {
		return t.text == "null" || slices.ContainsFunc(t.items, func(v *value) bool { return v.text == "null" })
	}
	if c := out.member("anyOf"); c != nil {
		return slices.ContainsFunc(c.items, w.saysNull)
	}
	return out.member("$ref") == nil
}
