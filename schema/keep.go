package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// keyword copies one keyword of the source, or says in a note what it said.
func (w *writer) keyword(d *draft, word string, v *value) {
	switch word {
	case "type", "description", "enum", "const", "nullable", "$defs", "definitions", "$ref", "required":
		if word == "required" && d.source.member("properties") == nil {
			w.requiredAlone(d, v)
		}
		return
	case "properties":
		w.properties(d, v)
		return
	}
	if !w.p.allows(word, d.root) || !w.takes(d, word, v) {
		if note, known := lostNote(word, v); known {
			w.drop(d, word, note)
		}
		return
	}
	at := d.path + "." + word
	switch word {
	case "items", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "additionalProperties":
		w.single(d, word, v, at)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		w.several(d, word, v, at)
	case "patternProperties", "dependentSchemas":
		out := &value{kind: '{'}
		for _, m := range v.members {
			out.members = append(out.members, member{m.name, w.node(m.value, at+"."+m.name, &plan{})})
		}
		d.set(word, out)
	default: // data: never looked into
		w.spend(len(v.text) + 16*len(v.items) + 32*len(v.members))
		d.set(word, v)
	}
}

// requiredAlone handles required without properties, as in a branch of a choice.
func (w *writer) requiredAlone(d *draft, v *value) {
	switch {
	case w.p.full():
		out := &value{kind: '['}
		for _, item := range v.items {
			out.items = append(out.items, text(w.sentName(d, item.text)))
		}
		d.set("required", out)
	case len(v.items) > 0:
		w.drop(d, "required", "requires "+listed(v.items))
	}
}

// sentName is the name under which a member that is not declared here is sent.
func (w *writer) sentName(d *draft, name string) string {
	if sent, ok := d.plan.sent[name]; ok {
		return sent
	}
	return name
}

// single writes a keyword that holds one schema.
func (w *writer) single(d *draft, word string, v *value, at string) {
	below := &plan{}
	switch {
	case v.kind == '[': // items as a list: an older draft's way to say prefixItems
		w.several(d, word, v, at)
		return
	case word == "additionalProperties" && v.kind != '{':
		d.set(word, v)
		return
	case word == "items":
		d.plan.items = below
	case word == "additionalProperties":
		d.plan.extra = below
	}
	d.set(word, w.node(v, at, below))
}

func (w *writer) several(d *draft, word string, v *value, at string) {
	out := &value{kind: '['}
	for i, item := range v.items {
		below := &plan{}
		if word != "prefixItems" && word != "items" {
			below = d.plan
		}
		out.items = append(out.items, w.node(item, at+"."+strconv.Itoa(i), below))
	}
	d.set(word, out)
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

// takes tells whether the profile takes this value of an allowed keyword.
func (w *writer) takes(d *draft, word string, v *value) bool {
	switch word {
	case "format":
		return w.p.formats == nil || w.p.formats[v.text]
	case "minItems":
		n, err := strconv.Atoi(v.text)
		return w.p.minItems < 0 || err == nil && n <= w.p.minItems
	case "additionalProperties":
		return !w.p.closed
	case "pattern":
		return !w.p.strict || !strings.Contains(v.text, "(?")
	case "items", "prefixItems":
		return word != "items" || v.kind != '['
	case "title", "default", "example":
		return !(w.p.alone && d.source.member("anyOf") != nil)
	}
	return true
}

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

// lostNote says in words what a keyword said that the provider does not take. Words that nobody knows are no loss.
func lostNote(word string, v *value) (note string, known bool) {
	if format, ok := lostWords[word]; ok {
		if format == "" {
			return "", true
		}
		return fmt.Sprintf(format, shorten(strings.Trim(string(v.append(nil)), `"`), 120)), true
	}
	switch word {
	case "uniqueItems":
		return "no item twice", v.kind == 't'
	case "additionalProperties":
		if v.kind == '{' && len(v.members) > 0 {
			return "other members: " + shorten(string(v.append(nil)), 120), true
		}
		return "", v.kind == 'f'
	}
	return "", allWords[word]
}

var lostWords = map[string]string{
	"minimum": "at least %s", "maximum": "at most %s", "exclusiveMinimum": "more than %s", "exclusiveMaximum": "less than %s",
	"multipleOf": "a multiple of %s", "minLength": "at least %s characters", "maxLength": "at most %s characters",
	"pattern": "must match %s", "format": "format %s", "minItems": "at least %s items", "maxItems": "at most %s items",
	"minProperties": "at least %s members", "maxProperties": "at most %s members", "default": "default %s", "examples": "for example %s",
	"example": "for example %s", "propertyNames": "names of members: %s", "patternProperties": "members by name: %s", "prefixItems": "the items in order: %s",
	"dependentRequired": "needs along: %s", "not": "but not %s", "if": "", "then": "", "else": "", "contains": "one item is %s", "title": "",
	"contentEncoding": "encoded as %s", "contentMediaType": "holds %s",
}

// properties writes the members of an object, their names as the provider takes them, and which are required.
func (w *writer) properties(d *draft, v *value) {
	out, required := &value{kind: '{'}, &value{kind: '['}
	needed := map[string]bool{}
	if r := d.source.member("required"); r != nil {
		for _, item := range r.items {
			needed[item.text] = true
		}
	}
	taken := map[string]bool{}
	for _, m := range v.members {
		taken[m.name] = true
	}
	for _, m := range v.members {
		if !w.spend(len(m.name) + 8) {
			w.lose(d.path, "properties", "")
			break
		}
		name := w.argument(m.name, taken, d.plan)
		child := w.node(m.value, d.path+".properties."+m.name, d.plan.member(m.name))
		if needed[m.name] || w.p.strict {
			required.items = append(required.items, text(name))
		}
		if !needed[m.name] && w.p.strict {
			if !w.saysNull(child) {
				d.plan.fill(m.name)
				child = w.nullable(child, d.path)
			} else {
				d.plan.order = append(d.plan.order, m.name)
			}
		}
		delete(needed, m.name)
		out.members = append(out.members, member{name, child})
	}
	if len(needed) > 0 {
		for _, item := range d.source.member("required").items {
			switch {
			case !needed[item.text]:
			case w.p.full():
				required.items = append(required.items, text(w.sentName(d, item.text)))
			default:
				w.drop(d, "required", "requires "+shorten(item.text, 60))
			}
		}
	}
	d.set("properties", out)
	if len(required.items) > 0 {
		d.set("required", required)
	}
}

// argument gives a member a name that the provider takes.
func (w *writer) argument(name string, taken map[string]bool, p *plan) string {
	if w.p.argument == nil || w.p.argument.MatchString(name) {
		return name
	}
	rule := nameRule{first: letters + "_", rest: letters + digits + "_", most: 64}
	sent := rule.plain(name)
	for round := 0; taken[sent]; round++ {
		sent = rule.hashed(name, round)
	}
	taken[sent] = true
	p.rename(name, sent)
	return sent
}

// saysNull tells whether a written node allows null already.
func (w *writer) saysNull(out *value) bool {
	if t := out.member("type"); t != nil {
		return t.text == "null" || slices.ContainsFunc(t.items, func(v *value) bool { return v.text == "null" })
	}
	if c := out.member("anyOf"); c != nil {
		return slices.ContainsFunc(c.items, w.saysNull)
	}
	return out.member("$ref") == nil
}

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
