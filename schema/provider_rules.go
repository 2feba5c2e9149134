package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// ProviderProblem is one thing that a provider would refuse.
type ProviderProblem struct {
	Path    string `json:"path"` // of the schema; empty for the root
	Message string `json:"message"`
}

// Problems judges a schema by the rules of the provider, without regard to how it was made, and lists what the
// provider would refuse.
func (p *Profile) Problems(raw json.RawMessage) []ProviderProblem {
	v, err := parse(raw)
	if err != nil {
		return []ProviderProblem{{"", err.Error()}}
	}
	r := &rules{p: p, root: v}
	r.node(v, "", 1)
	if t := v.Member("type"); t == nil || t.Text != "object" {
		r.refuse("", "the root must have type object")
	}
	r.limits()
	return r.problems
}

// rules walks a schema and notes what a provider refuses.
type rules struct {
	p        *Profile
	root     *Value
	problems []ProviderProblem
	count    limits // what there is of each
}

func (r *rules) refuse(path, format string, args ...any) {
	if len(r.problems) < maxLost {
		r.problems = append(r.problems, ProviderProblem{path, fmt.Sprintf(format, args...)})
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
func (r *rules) node(v *Value, path string, depth int) {
	r.count.depth = max(r.count.depth, depth)
	if v.Kind == 't' || v.Kind == 'f' {
		if !r.p.full() {
			r.refuse(path, "a schema that is true or false")
		}
		return
	}
	if v.Kind != '{' {
		r.refuse(path, "a schema is not an object")
		return
	}
	for _, m := range v.Members {
		if !r.p.allows(m.Name, path == "") {
			r.refuse(path, "keyword %s", m.Name)
		}
		r.keyword(v, m.Name, m.Value, path, depth)
	}
	r.shape(v, path)
}

// shape judges how the keywords of a node go together.
func (r *rules) shape(v *Value, path string) {
	t := v.Member("type")
	switch {
	case t == nil && (r.p.typed || r.p.strict) && v.Member("anyOf") == nil && v.Member("$ref") == nil:
		r.refuse(path, "no type")
	case t != nil && t.Kind == '[' && !r.p.lists:
		r.refuse(path, "type is a list")
	}
	if r.p.alone && v.Member("anyOf") != nil && len(v.Members) > 1 {
		r.refuse(path, "anyOf must be alone")
	}
	if r.p.strict && v.Member("$ref") != nil && len(v.Members) > 1 {
		r.refuse(path, "keywords beside $ref")
	}
	is := func(name string) bool {
		return t != nil && (t.Text == name || slices.ContainsFunc(t.Items, func(i *Value) bool { return i.Text == name }))
	}
	if is("array") && r.p.items && v.Member("items") == nil && v.Member("prefixItems") == nil {
		r.refuse(path, "a list without items")
	}
	if is("object") {
		r.object(v, path)
	}
	if e := v.Member("enum"); e != nil && r.p.enums == isString && !(t != nil && t.Text == "string") {
		r.refuse(path, "enum beside another type than string")
	}
}

func (r *rules) object(v *Value, path string) {
	properties, extra := v.Member("properties"), v.Member("additionalProperties")
	if properties == nil && extra == nil && r.p.filled {
		r.refuse(path, "an object without properties")
	}
	if r.p.closed && (extra == nil || extra.Kind != 'f') {
		r.refuse(path, "additionalProperties must be false")
	}
	required := map[string]bool{}
	if list := v.Member("required"); list != nil {
		for _, item := range list.Items {
			required[item.Text] = true
			if properties.Member(item.Text) == nil && !r.p.full() {
				r.refuse(path, "required names %s, which is not a property", item.Text)
			}
		}
	}
	if properties == nil {
		return
	}
	for _, m := range properties.Members {
		if r.p.strict && !required[m.Name] {
			r.refuse(path, "%s is not required", m.Name)
		}
		if r.p.argument.most > 0 && !r.p.argument.fits(m.Name) {
			r.refuse(path, "name %q", shorten(m.Name, 80))
		}
		r.count.properties++
		r.count.text += len(m.Name)
	}
}

// keyword judges one keyword and the schemas in it.
func (r *rules) keyword(v *Value, word string, m *Value, path string, depth int) {
	at := path + "/" + word
	switch word {
	case "type":
		if _, err := typesOf(m, at); err != nil {
			r.refuse(path, "%v", err)
		}
	case "properties", "patternProperties", "dependentSchemas", "$defs":
		for _, p := range m.Members {
			r.node(p.Value, at+"/"+p.Name, depth+1)
		}
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		if m.Kind == '{' {
			r.node(m, at, depth+1)
		} else if word == "items" && m.Kind == '[' {
			r.refuse(path, "items is a list")
		}
	case "anyOf", "oneOf", "allOf", "prefixItems":
		if len(m.Items) == 0 {
			r.refuse(path, "%s is empty", word)
		}
		for i, item := range m.Items {
			r.node(item, at+"/"+strconv.Itoa(i), depth)
		}
	case "enum", "const":
		r.literals(m, path)
	case "format":
		if r.p.formats != "" && !r.p.formats.Has(m.Text) {
			r.refuse(path, "format %s", m.Text)
		}
	case "minItems":
		if n, err := strconv.Atoi(m.Text); err == nil && r.p.minItems >= 0 && n > r.p.minItems {
			r.refuse(path, "minItems over %d", r.p.minItems)
		}
	case "pattern":
		if r.p.strict && len(m.Text) > 1 && slices.Contains([]string{"(?=", "(?!", "(?<"}, lookAround(m.Text)) {
			r.refuse(path, "pattern looks around")
		}
	case "$ref":
		if !r.p.refs {
			r.refuse(path, "$ref")
		} else if target, err := resolve(r.root, m.Text); err != nil || target == nil {
			r.refuse(path, "$ref %s leads nowhere", m.Text)
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

func (r *rules) literals(m *Value, path string) {
	items := m.Items
	if m.Kind != '[' {
		items = []*Value{m}
	}
	if len(items) == 0 {
		r.refuse(path, "enum is empty")
	}
	for _, item := range items {
		r.count.enumValues++
		r.count.text += len(item.Text)
		if item.Kinds()&(r.p.enums|isNull) == 0 || item.Kind == 'n' && r.p.null != nullList {
			r.refuse(path, "enum holds %s", shorten(string(item.Append(nil)), 40))
		}
		if r.p.solid && item.Kind == '"' && item.Text == "" {
			r.refuse(path, "enum holds an empty text")
		}
	}
}
