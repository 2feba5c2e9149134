package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Problems judges a schema by the rules of the provider, without regard to how it was made, and lists what the
// provider would refuse.
func (p *Profile) Problems(raw json.RawMessage) []Problem {
	v, err := parse(raw)
	if err != nil {
		return []Problem{{"", err.Error()}}
	}
	r := &rules{p: p, root: v}
	r.node(v, "", 1)
	if t := v.member("type"); t == nil || t.text != "object" {
		r.refuse("", "the root must have type object")
	}
	r.limits()
	return r.problems
}

// rules walks a schema and notes what a provider refuses.
type rules struct {
	p        *Profile
	root     *value
	problems []Problem
	count    limits // what there is of each
}

func (r *rules) refuse(path, format string, args ...any) {
	if len(r.problems) < maxLost {
		r.problems = append(r.problems, Problem{path, fmt.Sprintf(format, args...)})
	}
}

func (r *rules) limits() {
	for _, l := range []struct {
		name       string
		most, here int
	}{
		{"properties", r.p.limits.properties, r.count.properties}, {"levels", r.p.limits.depth, r.count.depth},
		{"enum values", r.p.limits.enumValues, r.count.enumValues}, {"characters of names and values", r.p.limits.text, r.count.text},
	} {
		if l.most > 0 && l.here > l.most {
			r.refuse("", "%d %s, at most %d are taken", l.here, l.name, l.most)
		}
	}
}

// node judges one schema object.
func (r *rules) node(v *value, path string, depth int) {
	r.count.depth = max(r.count.depth, depth)
	if v.kind == 't' || v.kind == 'f' {
		if !r.p.full() {
			r.refuse(path, "a schema that is true or false")
		}
		return
	}
	if v.kind != '{' {
		r.refuse(path, "a schema is no object")
		return
	}
	for _, m := range v.members {
		if !r.p.allows(m.name, path == "") {
			r.refuse(path, "keyword %s", m.name)
		}
		r.keyword(v, m.name, m.value, path, depth)
	}
	r.shape(v, path)
}

// shape judges how the keywords of a node go together.
func (r *rules) shape(v *value, path string) {
	t := v.member("type")
	switch {
	case t == nil && (r.p.typed || r.p.strict) && v.member("anyOf") == nil && v.member("$ref") == nil:
		r.refuse(path, "no type")
	case t != nil && t.kind == '[' && !r.p.lists:
		r.refuse(path, "type is a list")
	}
	if r.p.alone && v.member("anyOf") != nil && len(v.members) > 1 {
		r.refuse(path, "anyOf must be alone")
	}
	if r.p.strict && v.member("$ref") != nil && len(v.members) > 1 {
		r.refuse(path, "keywords beside $ref")
	}
	is := func(name string) bool {
		return t != nil && (t.text == name || slices.ContainsFunc(t.items, func(i *value) bool { return i.text == name }))
	}
	if is("array") && r.p.items && v.member("items") == nil && v.member("prefixItems") == nil {
		r.refuse(path, "a list without items")
	}
	if is("object") {
		r.object(v, path)
	}
	if e := v.member("enum"); e != nil && r.p.enums == isString && !(t != nil && t.text == "string") {
		r.refuse(path, "enum beside another type than string")
	}
}

func (r *rules) object(v *value, path string) {
	properties, extra := v.member("properties"), v.member("additionalProperties")
	if properties == nil && extra == nil && r.p.filled {
		r.refuse(path, "an object without properties")
	}
	if r.p.closed && (extra == nil || extra.kind != 'f') {
		r.refuse(path, "additionalProperties must be false")
	}
	required := map[string]bool{}
	if list := v.member("required"); list != nil {
		for _, item := range list.items {
			required[item.text] = true
			if properties.member(item.text) == nil && !r.p.full() {
				r.refuse(path, "required names %s, which is no property", item.text)
			}
		}
	}
	if properties == nil {
		return
	}
	for _, m := range properties.members {
		if r.p.strict && !required[m.name] {
			r.refuse(path, "%s is not required", m.name)
		}
		if r.p.argument.most > 0 && !r.p.argument.fits(m.name) {
			r.refuse(path, "name %q", shorten(m.name, 80))
		}
		r.count.properties++
		r.count.text += len(m.name)
	}
}

// keyword judges one keyword and the schemas in it.
func (r *rules) keyword(v *value, word string, m *value, path string, depth int) {
	at := path + "/" + word
	switch word {
	case "type":
		if _, err := typesOf(m, at); err != nil {
			r.refuse(path, "%v", err)
		}
	case "properties", "patternProperties", "dependentSchemas", "$defs":
		for _, p := range m.members {
			r.node(p.value, at+"/"+p.name, depth+1)
		}
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		if m.kind == '{' {
			r.node(m, at, depth+1)
		} else if word == "items" && m.kind == '[' {
			r.refuse(path, "items is a list")
		}
	case "anyOf", "oneOf", "allOf", "prefixItems":
		if len(m.items) == 0 {
			r.refuse(path, "%s is empty", word)
		}
		for i, item := range m.items {
			r.node(item, at+"/"+strconv.Itoa(i), depth)
		}
	case "enum", "const":
		r.literals(v, m, path)
	case "format":
		if r.p.formats != "" && !r.p.formats.has(m.text) {
			r.refuse(path, "format %s", m.text)
		}
	case "minItems":
		if n, err := strconv.Atoi(m.text); err == nil && r.p.minItems >= 0 && n > r.p.minItems {
			r.refuse(path, "minItems over %d", r.p.minItems)
		}
	case "pattern":
		if r.p.strict && len(m.text) > 1 && slices.Contains([]string{"(?=", "(?!", "(?<"}, lookAround(m.text)) {
			r.refuse(path, "pattern looks around")
		}
	case "$ref":
		if !r.p.refs {
			r.refuse(path, "$ref")
		} else if target, err := resolve(r.root, m.text); err != nil || target == nil {
			r.refuse(path, "$ref %s leads nowhere", m.text)
		}
	}
}

// lookAround returns the first opening of a group of regular expressions that looks around.
func lookAround(pattern string) string {
	for i := 0; i+3 <= len(pattern); i++ {
		if s := pattern[i : i+3]; s == "(?=" || s == "(?!" || s == "(?<" {
			return s
		}
	}
	return ""
}

func (r *rules) literals(v, m *value, path string) {
	items := m.items
	if m.kind != '[' {
		items = []*value{m}
	}
	if len(items) == 0 {
		r.refuse(path, "enum is empty")
	}
	for _, item := range items {
		r.count.enumValues++
		r.count.text += len(item.text)
		if item.kinds()&(r.p.enums|isNull) == 0 || item.kind == 'n' && r.p.null != nullList {
			r.refuse(path, "enum holds %s", shorten(string(item.append(nil)), 40))
		}
		if r.p.solid && item.kind == '"' && item.text == "" {
			r.refuse(path, "enum holds an empty text")
		}
	}
}
