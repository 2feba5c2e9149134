package schema

import (
	"strconv"
	"strings"
)

// keyword copies one keyword of the source, or describes it in a note.
func (w *profileWriter) keyword(d *draft, word string, v *Value) {
	switch word {
	case "type", "description", "enum", "const", "nullable", "$defs", "definitions", "$ref", "required":
		if word == "required" && d.source.Member("properties") == nil {
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
		out := &Value{Kind: '{'}
		for _, m := range v.Members {
			out.Members = append(out.Members, member{Name: m.Name, Value: w.node(m.Value, at+"."+m.Name, &plan{})})
		}
		d.set(word, out)
	default: // data: never looked into
		w.spend(len(v.Text) + 16*len(v.Items) + 32*len(v.Members))
		d.set(word, v)
	}
}

// single writes a keyword that holds one schema.
func (w *profileWriter) single(d *draft, word string, v *Value, at string) {
	below := &plan{}
	switch {
	case v.Kind == '[': // items as a list: an older draft's way to say prefixItems
		w.several(d, word, v, at)
		return
	case word == "additionalProperties" && v.Kind != '{':
		d.set(word, v)
		return
	case word == "items":
		d.plan.items = below
	case word == "additionalProperties":
		d.plan.extra = below
	}
	d.set(word, w.node(v, at, below))
}

func (w *profileWriter) several(d *draft, word string, v *Value, at string) {
	out := &Value{Kind: '['}
	for i, item := range v.Items {
		below := &plan{}
		if word != "prefixItems" && word != "items" {
			below = d.plan
		}
		out.Items = append(out.Items, w.node(item, at+"."+strconv.Itoa(i), below))
	}
	d.set(word, out)
}

// takes reports whether the profile takes this value of an allowed keyword.
func (w *profileWriter) takes(d *draft, word string, v *Value) bool {
	switch word {
	case "format":
		return w.p.formats == "" || w.p.formats.Has(v.Text)
	case "minItems":
		n, err := strconv.Atoi(v.Text)
		return w.p.minItems < 0 || err == nil && n <= w.p.minItems
	case "additionalProperties":
		return !w.p.closed
	case "pattern":
		return !w.p.strict || !strings.Contains(v.Text, "(?")
	case "items", "prefixItems":
		return word != "items" || v.Kind != '['
	case "title", "default", "example":
		return !(w.p.alone && d.source.Member("anyOf") != nil)
	}
	return true
}
