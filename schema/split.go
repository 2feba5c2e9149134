package schema

import "slices"

// split writes a node of several types as anyOf.
func (w *writer) split(d *draft) *value {
	choice := &value{kind: '['}
	for _, t := range d.types {
		branch := &value{kind: '{', members: []member{{"type", text(t)}}}
		for _, m := range d.source.members {
			if kind, ok := belongs[m.name]; ok && kind == t || m.name == "minimum" && t == "integer" || m.name == "maximum" && t == "integer" {
				branch.members = append(branch.members, m)
			}
		}
		if e := d.source.member("enum"); e != nil {
			mine := slices.DeleteFunc(slices.Clone(e.items), func(v *value) bool { return !fitsType(v, t) })
			if len(mine) == 0 {
				continue
			}
			branch.members = append(branch.members, member{"enum", &value{kind: '[', items: mine}})
		}
		choice.items = append(choice.items, w.node(branch, d.path+"."+t, d.plan))
	}
	if len(choice.items) == 0 { // no literal is of any of the types
		d.types = d.types[:1]
		return w.finish(d)
	}
	d.set("description", text(""))
	d.set("anyOf", choice)
	if e := d.source.member("enum"); e != nil && holds(e.items, &value{kind: 'n'}) {
		d.nullable = true
	}
	w.describe(d)
	w.standAlone(d)
	return w.null(d)
}

func fitsType(v *value, t string) bool {
	k, _ := kindOf(t)
	return v.kinds()&k != 0
}

// belongs tells to values of which type a keyword speaks.
var belongs = map[string]string{
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
	"items": "array", "prefixItems": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array", "contains": "array",
	"properties": "object", "required": "object", "additionalProperties": "object", "patternProperties": "object", "propertyNames": "object",
	"minProperties": "object", "maxProperties": "object",
}

// standAlone leaves anyOf alone on its node where the provider wants that: the description moves into the first branch.
func (w *writer) standAlone(d *draft) {
	choice := d.out.member("anyOf")
	if choice == nil || !w.p.alone || len(choice.items) == 0 {
		return
	}
	if about := d.out.member("description"); about != nil {
		choice.items[0] = describeFirst(choice.items[0], about.text)
	}
	d.out.members = []member{{"anyOf", choice}}
}

// describeFirst puts a description in front of that of a node, or of its first branch where it is a choice.
func describeFirst(v *value, about string) *value {
	if choice := v.member("anyOf"); choice != nil && len(choice.items) > 0 {
		items := slices.Clone(choice.items)
		items[0] = describeFirst(items[0], about)
		return &value{kind: '{', members: []member{{"anyOf", &value{kind: '[', items: items}}}}
	}
	if mine := v.member("description"); mine != nil {
		about += " " + mine.text
	}
	return &value{kind: '{', members: append(v.without("description").members, member{"description", text(about)})}
}
