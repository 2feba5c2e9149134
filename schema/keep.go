package schema

import (
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

// takes reports whether the profile takes this value of an allowed keyword.
func (w *writer) takes(d *draft, word string, v *value) bool {
	switch word {
	case "format":
		return w.p.formats == "" || w.p.formats.has(v.text)
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
