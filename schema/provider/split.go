package provider

import (
	"slices"

	"rein/schema/internal/tree"
)

// split writes a node of several types as anyOf.
func (w *writer) split(d *draft) *tree.Value {
	choice := &tree.Value{Kind: '['}
	for _, t := range d.types {
		branch := &tree.Value{Kind: '{', Members: []tree.Member{{Name: "type", Value: tree.String(t)}}}
		for _, m := range d.source.Members {
			if kind, ok := belongs[m.Name]; ok && kind == t || m.Name == "minimum" && t == "integer" || m.Name == "maximum" && t == "integer" {
				branch.Members = append(branch.Members, m)
			}
		}
		if e := d.source.Member("enum"); e != nil {
			mine := slices.DeleteFunc(slices.Clone(e.Items), func(v *tree.Value) bool { return !fitsType(v, t) })
			if len(mine) == 0 {
				continue
			}
			branch.Members = append(branch.Members, tree.Member{Name: "enum", Value: &tree.Value{Kind: '[', Items: mine}})
		}
		choice.Items = append(choice.Items, w.node(branch, d.path+"."+t, d.plan))
	}
	if len(choice.Items) == 0 { // no literal is of any of the types
		d.types = d.types[:1]
		return w.finish(d)
	}
	d.set("description", tree.String(""))
	d.set("anyOf", choice)
	if e := d.source.Member("enum"); e != nil && tree.Holds(e.Items, &tree.Value{Kind: 'n'}) {
		d.nullable = true
	}
	w.describe(d)
	w.standAlone(d)
	return w.null(d)
}

func fitsType(v *tree.Value, t string) bool {
	k, _ := tree.KindOf(t)
	return v.Kinds()&k != 0
}

// belongs gives the type of the values to which a keyword applies.
var belongs = map[string]string{
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
	"items": "array", "prefixItems": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array", "contains": "array",
	"properties": "object", "required": "object", "additionalProperties": "object", "patternProperties": "object", "propertyNames": "object",
	"minProperties": "object", "maxProperties": "object",
}

// standAlone leaves anyOf alone on its node where the provider wants that: the description moves into the first branch.
func (w *writer) standAlone(d *draft) {
	choice := d.out.Member("anyOf")
	if choice == nil || !w.p.alone || len(choice.Items) == 0 {
		return
	}
	if about := d.out.Member("description"); about != nil {
		choice.Items[0] = describeFirst(choice.Items[0], about.Text)
	}
	d.out.Members = []tree.Member{{Name: "anyOf", Value: choice}}
}

// describeFirst puts a description in front of that of a node, or of its first branch where it is a choice.
func describeFirst(v *tree.Value, about string) *tree.Value {
	if choice := v.Member("anyOf"); choice != nil && len(choice.Items) > 0 {
		items := slices.Clone(choice.Items)
		items[0] = describeFirst(items[0], about)
		return &tree.Value{Kind: '{', Members: []tree.Member{{Name: "anyOf", Value: &tree.Value{Kind: '[', Items: items}}}}
	}
	if mine := v.Member("description"); mine != nil {
		about += " " + mine.Text
	}
	return &tree.Value{Kind: '{', Members: append(v.Without("description").Members, tree.Member{Name: "description", Value: tree.String(about)})}
}
