package dialect

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
)

// valueShape is what of a JSON Schema matters for giving types to text: the types, and those of members and items.
type valueShape struct {
	Types    valueTypes // none: nothing is known
	Members  map[string]*valueShape
	Required []string
	Items    *valueShape
}

// valueTypes is a set of JSON types.
type valueTypes uint8

// The types. An integer value may be an Integer and a Number.
const (
	typeNull valueTypes = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
)

// typesNamed returns the type that a name means, also one of other languages; 0 for an unknown name.
func typesNamed(name string) valueTypes { return typeNames()[name] }

var typeNames = sync.OnceValue(func() map[string]valueTypes {
	return map[string]valueTypes{
		"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber, "string": typeString, "array": typeArray, "object": typeObject,
		// names that other languages' schemas use
		"bool": typeBoolean, "int": typeInteger, "long": typeInteger, "float": typeNumber, "double": typeNumber, "str": typeString, "text": typeString,
		"list": typeArray, "tuple": typeArray, "dict": typeObject, "map": typeObject,
	}
})

// maxShapeDepth is how deep a schema is followed, so that one that refers to itself ends.
const maxShapeDepth = 24

// newValueShape returns the shape of a JSON Schema. A text that is no JSON has an empty shape.
func newValueShape(schema json.RawMessage) *valueShape {
	var root any
	if json.Unmarshal(schema, &root) != nil {
		root = nil
	}
	r := shapeReader{root: root, left: 4096}
	return r.shape(root, 0)
}

// shapeReader turns a schema into shapes, within a budget of nodes.
type shapeReader struct {
	root any
	left int
}

func (r *shapeReader) shape(node any, depth int) *valueShape {
	m, ok := node.(map[string]any)
	s := &valueShape{}
	if r.left--; !ok || depth > maxShapeDepth || r.left < 0 {
		return s
	}
	r.read(s, m, depth)
	return s
}

// read adds what a schema says to a shape.
func (r *shapeReader) read(s *valueShape, m map[string]any, depth int) {
	if r.left--; depth > maxShapeDepth || r.left < 0 {
		return
	}
	if ref, ok := m["$ref"].(string); ok {
		if target, ok := resolvePointer(r.root, ref).(map[string]any); ok {
			r.read(s, target, depth+1)
		}
	}
	s.Types |= typesOf(m)
	if props, ok := m["properties"].(map[string]any); ok {
		if s.Members == nil {
			s.Members = map[string]*valueShape{}
		}
		for k, v := range props {
			s.Members[k] = r.shape(v, depth+1)
		}
	}
	if req, ok := m["required"].([]any); ok {
		for _, k := range req {
			if k, ok := k.(string); ok {
				s.Required = append(s.Required, k)
			}
		}
	}
	if items, ok := m["items"]; ok {
		s.Items = r.shape(items, depth+1)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := m[key].([]any); ok {
			for _, sub := range list {
				if sub, ok := sub.(map[string]any); ok {
					required := s.Required
					r.read(s, sub, depth+1)
					if key != "allOf" {
						s.Required = required
					}
				}
			}
		}
	}
}

// typesOf returns the types that a schema names, or that its values show.
func typesOf(m map[string]any) valueTypes {
	var t valueTypes
	switch name := m["type"].(type) {
	case string:
		t = typeNames()[name]
	case []any:
		for _, n := range name {
			if n, ok := n.(string); ok {
				t |= typeNames()[n]
			}
		}
	}
	if t != 0 && m["nullable"] == true {
		t |= typeNull
	}
	if t != 0 {
		return t
	}
	if values, ok := m["enum"].([]any); ok {
		for _, v := range values {
			t |= typeOfValue(v)
		}
	}
	if v, ok := m["const"]; ok {
		t |= typeOfValue(v)
	}
	if t == 0 && m["properties"] != nil {
		t = typeObject
	}
	return t
}

func typeOfValue(v any) valueTypes {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case float64:
		if v == float64(int64(v)) {
			return typeInteger | typeNumber
		}
		return typeNumber
	case string:
		return typeString
	case []any:
		return typeArray
	}
	return typeObject
}

// resolvePointer follows a reference inside the same schema, as in #/$defs/x.
func resolvePointer(root any, ref string) any {
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

// splitPointer splits a JSON pointer and undoes its escapes.
func splitPointer(s string) []string {
	steps := strings.Split(s, "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps
}

// Child returns the shape of a member, or of an item where key is "item". It is nil when s is nil: nothing is known then.
func (s *valueShape) Child(key string) *valueShape {
	switch {
	case s == nil:
		return nil
	case s.Members[key] != nil:
		return s.Members[key]
	case key == "item" && s.Items != nil:
		return s.Items
	}
	return &valueShape{}
}

// parseJSONNumber returns text as a JSON number; whole: only as an integer.
func parseJSONNumber(text string, whole bool) ([]byte, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "+"), "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return nil, false
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.AppendInt(nil, n, 10), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXpP_") {
		return nil, false
	}
	if whole && f != float64(int64(f)) {
		return nil, false
	}
	if json.Valid([]byte(text)) {
		return []byte(text), true
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), true
}
