package dialect

import "encoding/json"

// shape is what of a JSON Schema matters for giving types to text: the types, and those of members and items.
type shape struct {
	types    types
	members  map[string]*shape
	required []string
	items    *shape
}

// types is a set of JSON types.
type types uint8

const (
	isNull types = 1 << iota
	isBoolean
	isInteger
	isNumber
	isString
	isArray
	isObject
)

var typeNames = map[string]types{
	"null": isNull, "boolean": isBoolean, "integer": isInteger, "number": isNumber, "string": isString, "array": isArray, "object": isObject,
	// names that other languages' schemas use
	"bool": isBoolean, "int": isInteger, "long": isInteger, "float": isNumber, "double": isNumber, "str": isString, "text": isString,
	"list": isArray, "tuple": isArray, "dict": isObject, "map": isObject,
}

// deepest is how deep a schema is followed, so that one that refers to itself ends.
const deepest = 24

// toolbox holds the shapes of the tools offered.
type toolbox map[string]*shape

func newToolbox(tools []Tool) toolbox {
	box := toolbox{}
	for _, t := range tools {
		var root any
		if json.Unmarshal(t.Parameters, &root) != nil {
			root = nil
		}
		r := reading{root: root, left: 4096}
		box[t.Name] = r.shape(root, 0)
	}
	return box
}

func (b toolbox) has(name string) bool {
	_, ok := b[name]
	return ok
}

// shape returns the shape of a tool's arguments, nil when it is not offered.
func (b toolbox) shape(name string) *shape { return b[name] }

// needsNothing tells whether a tool is offered and works without arguments.
func (b toolbox) needsNothing(name string) bool {
	s := b[name]
	return s != nil && len(s.required) == 0 && len(s.members) == 0
}

// takes tells whether the arguments are ones of the tool, each once, and none that it needs is missing.
func (b toolbox) takes(name string, o *object) bool {
	s := b[name]
	if s == nil {
		return len(b) == 0
	}
	var args map[string]json.RawMessage
	if json.Unmarshal(o.bytes(), &args) != nil || o.whole == nil && len(args) < len(o.members) {
		return false
	}
	for k := range args {
		if s.members[k] == nil {
			return false
		}
	}
	for _, k := range s.required {
		if _, ok := args[k]; !ok {
			return false
		}
	}
	return true
}

// reading turns a schema into shapes, within a budget of nodes.
type reading struct {
	root any
	left int
}

func (r *reading) shape(node any, depth int) *shape {
	m, ok := node.(map[string]any)
	s := &shape{}
	if r.left--; !ok || depth > deepest || r.left < 0 {
		return s
	}
	r.read(s, m, depth)
	return s
}

// read adds what a schema says to a shape.
func (r *reading) read(s *shape, m map[string]any, depth int) {
	if r.left--; depth > deepest || r.left < 0 {
		return
	}
	if ref, ok := m["$ref"].(string); ok {
		if target, ok := resolve(r.root, ref).(map[string]any); ok {
			r.read(s, target, depth+1)
		}
	}
	s.types |= typesOf(m)
	if props, ok := m["properties"].(map[string]any); ok {
		if s.members == nil {
			s.members = map[string]*shape{}
		}
		for k, v := range props {
			s.members[k] = r.shape(v, depth+1)
		}
	}
	if req, ok := m["required"].([]any); ok {
		for _, k := range req {
			if k, ok := k.(string); ok {
				s.required = append(s.required, k)
			}
		}
	}
	if items, ok := m["items"]; ok {
		s.items = r.shape(items, depth+1)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := m[key].([]any); ok {
			for _, sub := range list {
				if sub, ok := sub.(map[string]any); ok {
					required := s.required
					r.read(s, sub, depth+1)
					if key != "allOf" {
						s.required = required
					}
				}
			}
		}
	}
}

// typesOf returns the types that a schema names, or that its values show.
func typesOf(m map[string]any) types {
	var t types
	switch name := m["type"].(type) {
	case string:
		t = typeNames[name]
	case []any:
		for _, n := range name {
			if n, ok := n.(string); ok {
				t |= typeNames[n]
			}
		}
	}
	if t != 0 && m["nullable"] == true {
		t |= isNull
	}
	if t != 0 {
		return t
	}
	if values, ok := m["enum"].([]any); ok {
		for _, v := range values {
			t |= typeOf(v)
		}
	}
	if v, ok := m["const"]; ok {
		t |= typeOf(v)
	}
	if t == 0 && m["properties"] != nil {
		t = isObject
	}
	return t
}

func typeOf(v any) types {
	switch v := v.(type) {
	case nil:
		return isNull
	case bool:
		return isBoolean
	case float64:
		if v == float64(int64(v)) {
			return isInteger | isNumber
		}
		return isNumber
	case string:
		return isString
	case []any:
		return isArray
	}
	return isObject
}

// resolve follows a reference inside the same schema, as in #/$defs/x.
func resolve(root any, ref string) any {
	if ref == "#" {
		return root
	}
	if len(ref) < 2 || ref[:2] != "#/" {
		return nil
	}
	node := root
	for _, step := range splitPointer(ref[2:]) {
		m, ok := node.(map[string]any)
		if !ok {
			return nil
		}
		node = m[step]
	}
	return node
}
