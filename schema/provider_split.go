package schema

import (
	"slices"
)

// split writes a node of several types as anyOf.
func (w *profileWriter) split(d *draft) *Value {
	choice := &Value{Kind: '['}
	for _, t := range d.types {
		branch := &Value{Kind: '{', Members: []member{{Name: "type", Value: stringValue(t)}}}
		for _, m := range d.source.Members {
			if kind, ok := belongs[m.Name]; ok && kind == t || m.Name == "minimum" && t == "integer" || m.Name == "maximum" && t == "integer" {
				branch.Members = append(branch.Members, m)
			}
		}
		if e := d.source.Member("enum"); e != nil {
			mine := slices.DeleteFunc(slices.Clone(e.Items), func(v *Value) bool { return !fitsType(v, t) })
			if len(mine) == 0 {
				continue
			}
			branch.Members = append(branch.Members, member{Name: "enum", Value: &Value{Kind: '[', Items: mine}})
		}
		choice.Items = append(choice.Items, w.node(branch, d.path+"."+t, d.plan))
	}
	if len(choice.Items) == 0 { // no literal is of any of the types
		d.types = d.types[:1]
		return w.finish(d)
	}
	d.set("description", stringValue(""))
	d.set("anyOf", choice)
	if e := d.source.Member("enum"); e != nil && holds(e.Items, &Value{Kind: 'n'}) {
		d.nullable = true
	}
	w.describe(d)
	w.standAlone(d)
	return w.null(d)
}

func fitsType(v *Value, t string) bool {
	k, _ := kindOf(t)
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
func (w *profileWriter) standAlone(d *draft) {
	choice := d.out.Member("anyOf")
	if choice == nil || !w.p.alone || len(choice.Items) == 0 {
		return
	}
	if about := d.out.Member("description"); about != nil {
		choice.Items[0] = describeFirst(choice.Items[0], about.Text)
	}
	d.out.Members = []member{{Name: "anyOf", Value: choice}}
}

// describeFirst puts a description in front of that of a node, or of its first branch where it is a choice.
func describeFirst(v *Value, about string) *Value {
	if choice := v.Member("anyOf"); choice != nil && len(choice.Items) > 0 {
		items := slices.Clone(choice.Items)
		items[0] = describeFirst(items[0], about)
		return &Value{Kind: '{', Members: []member{{Name: "anyOf", Value: &Value{Kind: '[', Items: items}}}}
	}
	if mine := v.Member("description"); mine != nil {
		about += " " + mine.Text
	}
	return &Value{Kind: '{', Members: append(v.Without("description").Members, member{Name: "description", Value: stringValue(about)})}
}
