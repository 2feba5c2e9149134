package schema

import (
	"fmt"
	"slices"
	"strings"
)

// definition is a recursive part that stays behind a reference.
type definition struct {
	name   string
	target *value
	plan   *plan
}

// flatten resolves a reference and merges allOf, as far as the profile does not keep them. What it resolves stays on the
// stack while the node is written. kept is a finished node where a reference stays or a cycle is cut.
func (w *writer) flatten(v *value, d *draft) (flat, kept *value) {
	for v.member("$ref") != nil {
		ref := v.member("$ref")
		target, err := resolve(w.root, ref.text)
		if err != nil || target == nil || !w.spend(32) {
			w.drop(d, "$ref", "")
			v = v.without("$ref")
			continue
		}
		if slices.Contains(w.stack, target) || target == w.root {
			return nil, w.cut(v, target, ref.text, d)
		}
		w.stack = append(w.stack, target)
		if target.kind != '{' {
			target = &value{kind: '{'}
		}
		v = w.merge(v.without("$ref"), target, d)
	}
	if list := v.member("allOf"); list != nil && !w.p.allows("allOf", d.root) {
		v = v.without("allOf")
		for _, part := range list.items {
			if !w.spend(16) {
				break
			}
			if part.kind != '{' {
				continue
			}
			v = w.merge(v, w.part(part, d), d)
		}
	}
	return v, nil
}

// part flattens a schema that is to be merged into another. One that leads back to where we are adds only its type.
func (w *writer) part(v *value, d *draft) *value {
	if v.kind != '{' {
		return &value{kind: '{'}
	}
	own := &draft{out: &value{kind: '{'}, path: d.path, plan: &plan{}, root: d.root}
	flat, cut := w.flatten(v, own)
	if cut == nil {
		d.notes = append(d.notes, own.notes...)
		return flat
	}
	flat = &value{kind: '{'}
	if t := cut.member("type"); t != nil && !d.root {
		flat.members = append(flat.members, member{"type", t})
	}
	return flat
}

// cut ends a cycle: with a reference where the provider takes one, else with a node that says where it goes on.
func (w *writer) cut(v, target *value, ref string, d *draft) *value {
	if w.p.refs && w.p.allows("$ref", d.root) {
		def := w.define(target, ref)
		*d.plan = plan{original: def.plan.original, sent: def.plan.sent}
		return &value{kind: '{', members: []member{{"$ref", text("#/$defs/" + def.name)}}}
	}
	d.source = &value{kind: '{'}
	if description := v.member("description"); description != nil {
		d.source.members = append(d.source.members, member{"description", description})
	}
	if t := target.member("type"); t != nil {
		d.source.members = append(d.source.members, member{"type", t})
	} else if target.member("properties") != nil {
		d.source.members = append(d.source.members, member{"type", text("object")})
	}
	name := ref[strings.LastIndexByte(ref, '/')+1:]
	if name == "#" || name == "" {
		name = "the whole"
	}
	w.drop(d, "$ref", "nested, of the same form as "+shorten(name, 40))
	w.types(d)
	return w.finish(d)
}

// define gives a recursive part its name among the definitions.
func (w *writer) define(target *value, ref string) definition {
	for _, def := range w.defs {
		if def.target == target {
			return def
		}
	}
	name := word64.plain(ref[strings.LastIndexByte(ref, '/')+1:])
	if name == "_" || name == "" || ref == "#" {
		name = "root"
	}
	if slices.ContainsFunc(w.defs, func(def definition) bool { return def.name == name }) {
		name = fmt.Sprintf("%.50s_%d", name, len(w.defs))
	}
	def := definition{name, target, &plan{}}
	w.defs = append(w.defs, def)
	return def
}

// definitions writes the recursive parts into the root. Writing one may find another.
func (w *writer) definitions(out *value) {
	defs := &value{kind: '{'}
	for i := 0; i < len(w.defs); i++ {
		def := w.defs[i]
		w.stack = []*value{def.target}
		defs.members = append(defs.members, member{def.name, w.node(def.target, ".$defs."+def.name, def.plan)})
	}
	if len(defs.members) > 0 {
		out.members = append(out.members, member{"$defs", defs})
	}
}

// without copies an object but for one member.
func (v *value) without(name string) *value {
	c := &value{kind: v.kind, members: make([]member, 0, len(v.members))}
	for _, m := range v.members {
		if m.name != name {
			c.members = append(c.members, m)
		}
	}
	return c
}

// merge makes one schema of two that both hold. Neither is changed.
func (w *writer) merge(a, b *value, d *draft) *value {
	out := &value{kind: '{', members: slices.Clone(a.members)}
	for _, m := range b.members {
		mine := out.member(m.name)
		if mine == nil {
			out.members = append(out.members, m)
			continue
		}
		if mine.equal(m.value) || !w.spend(16) {
			continue
		}
		both, ok := w.both(m.name, mine, m.value)
		if !ok {
			w.drop(d, m.name, "")
			continue
		}
		for i := range out.members {
			if out.members[i].name == m.name {
				out.members[i].value = both
			}
		}
	}
	return out
}

// both combines two values of one keyword, and reports whether it can. Of annotations the first one is kept.
func (w *writer) both(word string, a, b *value) (*value, bool) {
	switch word {
	case "properties":
		return w.union(a, b), true
	case "required":
		return &value{kind: '[', items: unite(a.items, b.items)}, true
	case "enum":
		return &value{kind: '[', items: intersect(a.items, b.items)}, true
	case "type":
		return narrow(a, b), true
	case "allOf":
		return &value{kind: '[', items: append(slices.Clone(a.items), b.items...)}, true
	case "items":
		return &value{kind: '{', members: []member{{"allOf", &value{kind: '[', items: []*value{a, b}}}}}, true
	case "additionalProperties":
		if a.kind == 'f' || b.kind == 'f' {
			return &value{kind: 'f'}, true
		}
		return a, a.kind == '{' && b.kind == 't'
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return pick(a, b, func(x, y float64) bool { return x > y }), true
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		return pick(a, b, func(x, y float64) bool { return x < y }), true
	}
	return a, annotations.has(word)
}

// union joins the properties of two schemas; one that both have must fit both.
func (w *writer) union(a, b *value) *value {
	out := &value{kind: '{', members: slices.Clone(a.members)}
	at := map[string]int{}
	for i, m := range out.members {
		at[m.name] = i
	}
	for _, m := range b.members {
		i, shared := at[m.name]
		if !shared {
			out.members = append(out.members, m)
			continue
		}
		if mine := out.members[i].value; !mine.equal(m.value) {
			out.members[i].value = &value{kind: '{', members: []member{{"allOf", &value{kind: '[', items: []*value{mine, m.value}}}}}
		}
	}
	return out
}
