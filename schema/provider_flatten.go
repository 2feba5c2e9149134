package schema

import (
	"fmt"
	"slices"
	"strings"
)

// definition is a recursive part that stays behind a reference.
type definition struct {
	name   string
	target *Value
	plan   *plan
}

// flatten resolves a reference and merges allOf, as far as the profile does not keep them. What it resolves stays on the
// stack while the node is written. kept is a finished node where a reference stays or a cycle is cut.
func (w *profileWriter) flatten(v *Value, d *draft) (flat, kept *Value) {
	for v.Member("$ref") != nil {
		ref := v.Member("$ref")
		target, err := resolve(w.root, ref.Text)
		if err != nil || target == nil || !w.spend(32) {
			w.drop(d, "$ref", "")
			v = v.Without("$ref")
			continue
		}
		if slices.Contains(w.stack, target) || target == w.root {
			return nil, w.cut(v, target, ref.Text, d)
		}
		w.stack = append(w.stack, target)
		if target.Kind != '{' {
			target = &Value{Kind: '{'}
		}
		v = w.merge(v.Without("$ref"), target, d)
	}
	if list := v.Member("allOf"); list != nil && !w.p.allows("allOf", d.root) {
		v = v.Without("allOf")
		for _, part := range list.Items {
			if !w.spend(16) {
				break
			}
			if part.Kind != '{' {
				continue
			}
			v = w.merge(v, w.part(part, d), d)
		}
	}
	return v, nil
}

// part flattens a schema that is to be merged into another. Of a schema that refers back to this one, only the type is added.
func (w *profileWriter) part(v *Value, d *draft) *Value {
	if v.Kind != '{' {
		return &Value{Kind: '{'}
	}
	own := &draft{out: &Value{Kind: '{'}, path: d.path, plan: &plan{}, root: d.root}
	flat, cut := w.flatten(v, own)
	if cut == nil {
		d.notes = append(d.notes, own.notes...)
		return flat
	}
	flat = &Value{Kind: '{'}
	if t := cut.Member("type"); t != nil && !d.root {
		flat.Members = append(flat.Members, member{Name: "type", Value: t})
	}
	return flat
}

// cut ends a cycle: with a reference where the provider takes one, else with a node whose description names the place where it continues.
func (w *profileWriter) cut(v, target *Value, ref string, d *draft) *Value {
	if w.p.refs && w.p.allows("$ref", d.root) {
		def := w.define(target, ref)
		*d.plan = plan{original: def.plan.original, sent: def.plan.sent}
		return &Value{Kind: '{', Members: []member{{Name: "$ref", Value: stringValue("#/$defs/" + def.name)}}}
	}
	d.source = &Value{Kind: '{'}
	if description := v.Member("description"); description != nil {
		d.source.Members = append(d.source.Members, member{Name: "description", Value: description})
	}
	if t := target.Member("type"); t != nil {
		d.source.Members = append(d.source.Members, member{Name: "type", Value: t})
	} else if target.Member("properties") != nil {
		d.source.Members = append(d.source.Members, member{Name: "type", Value: stringValue("object")})
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
func (w *profileWriter) define(target *Value, ref string) definition {
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
func (w *profileWriter) definitions(out *Value) {
	defs := &Value{Kind: '{'}
	for i := 0; i < len(w.defs); i++ {
		def := w.defs[i]
		w.stack = []*Value{def.target}
		defs.Members = append(defs.Members, member{Name: def.name, Value: w.node(def.target, ".$defs."+def.name, def.plan)})
	}
	if len(defs.Members) > 0 {
		out.Members = append(out.Members, member{Name: "$defs", Value: defs})
	}
}

// merge makes one schema of two that both hold. Neither is changed.
func (w *profileWriter) merge(a, b *Value, d *draft) *Value {
	out := &Value{Kind: '{', Members: slices.Clone(a.Members)}
	for _, m := range b.Members {
		mine := out.Member(m.Name)
		if mine == nil {
			out.Members = append(out.Members, m)
			continue
		}
		if mine.Equal(m.Value) || !w.spend(16) {
			continue
		}
		both, ok := w.both(m.Name, mine, m.Value)
		if !ok {
			w.drop(d, m.Name, "")
			continue
		}
		for i := range out.Members {
			if out.Members[i].Name == m.Name {
				out.Members[i].Value = both
			}
		}
	}
	return out
}

// both combines two values of one keyword, and reports whether it can. Of annotations the first one is kept.
func (w *profileWriter) both(word string, a, b *Value) (*Value, bool) {
	switch word {
	case "properties":
		return w.union(a, b), true
	case "required":
		return &Value{Kind: '[', Items: unite(a.Items, b.Items)}, true
	case "enum":
		return &Value{Kind: '[', Items: intersect(a.Items, b.Items)}, true
	case "type":
		return narrow(a, b), true
	case "allOf":
		return &Value{Kind: '[', Items: append(slices.Clone(a.Items), b.Items...)}, true
	case "items":
		return &Value{Kind: '{', Members: []member{{Name: "allOf", Value: &Value{Kind: '[', Items: []*Value{a, b}}}}}, true
	case "additionalProperties":
		if a.Kind == 'f' || b.Kind == 'f' {
			return &Value{Kind: 'f'}, true
		}
		return a, a.Kind == '{' && b.Kind == 't'
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return pick(a, b, func(x, y float64) bool { return x > y }), true
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		return pick(a, b, func(x, y float64) bool { return x < y }), true
	}
	return a, annotations.Has(word)
}

// union joins the properties of two schemas; one that both have must fit both.
func (w *profileWriter) union(a, b *Value) *Value {
	out := &Value{Kind: '{', Members: slices.Clone(a.Members)}
	at := map[string]int{}
	for i, m := range out.Members {
		at[m.Name] = i
	}
	for _, m := range b.Members {
		i, shared := at[m.Name]
		if !shared {
			out.Members = append(out.Members, m)
			continue
		}
		if mine := out.Members[i].Value; !mine.Equal(m.Value) {
			out.Members[i].Value = &Value{Kind: '{', Members: []member{{Name: "allOf", Value: &Value{Kind: '[', Items: []*Value{mine, m.Value}}}}}
		}
	}
	return out
}
