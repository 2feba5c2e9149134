package jsontext

// This file reads of a JSON Schema what matters for giving types to text: the types of values, members and items.

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
)

// Shape is what of a JSON Schema matters for giving types to text: the types, and those of members and items.
type Shape struct {
	Types    Types // none: nothing is known
	Members  map[string]*Shape
	Required []string
	Items    *Shape
}

// Types is a set of JSON types.
type Types uint8

// The types. An integer value may be an Integer and a Number.
const (
	TypeNull Types = 1 << iota
	TypeBoolean
	TypeInteger
	TypeNumber
	TypeString
	TypeArray
	TypeObject
)

// TypesNamed returns the type that a name means, also one of other languages; 0 for an unknown name.
func TypesNamed(name string) Types { return typeNames()[name] }

var typeNames = sync.OnceValue(func() map[string]Types {
	return map[string]Types{
		"null": TypeNull, "boolean": TypeBoolean, "integer": TypeInteger, "number": TypeNumber, "string": TypeString, "array": TypeArray, "object": TypeObject,
		// names that other languages' schemas use
		"bool": TypeBoolean, "int": TypeInteger, "long": TypeInteger, "float": TypeNumber, "double": TypeNumber, "str": TypeString, "text": TypeString,
		"list": TypeArray, "tuple": TypeArray, "dict": TypeObject, "map": TypeObject,
	}
})

// shapeDeepest is how deep a schema is followed, so that one that refers to itself ends.
const shapeDeepest = 24

// NewShape returns the shape of a JSON Schema. A text that is no JSON has an empty shape.
func NewShape(schema json.RawMessage) *Shape {
	var root any
	if json.Unmarshal(schema, &root) != nil {
		root = nil
	}
	r := reading{root: root, left: 4096}
	return r.shape(root, 0)
}

// reading turns a schema into shapes, within a budget of nodes.
type reading struct {
	root any
	left int
}

func (r *reading) shape(node any, depth int) *Shape {
	m, ok := node.(map[string]any)
	s := &Shape{}
	if r.left--; !ok || depth > shapeDeepest || r.left < 0 {
		return s
	}
	r.read(s, m, depth)
	return s
}

// read adds what a schema says to a shape.
func (r *reading) read(s *Shape, m map[string]any, depth int) {
	if r.left--; depth > shapeDeepest || r.left < 0 {
		return
	}
	if ref, ok := m["$ref"].(string); ok {
		if target, ok := resolve(r.root, ref).(map[string]any); ok {
			r.read(s, target, depth+1)
		}
	}
	s.Types |= typesOf(m)
	if props, ok := m["properties"].(map[string]any); ok {
		if s.Members == nil {
			s.Members = map[string]*Shape{}
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
func typesOf(m map[string]any) Types {
	var t Types
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
		t |= TypeNull
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
		t = TypeObject
	}
	return t
}

func typeOf(v any) Types {
	switch v := v.(type) {
	case nil:
		return TypeNull
	case bool:
		return TypeBoolean
	case float64:
		if v == float64(int64(v)) {
			return TypeInteger | TypeNumber
		}
		return TypeNumber
	case string:
		return TypeString
	case []any:
		return TypeArray
	}
	return TypeObject
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

// splitPointer splits a JSON pointer and undoes its escapes.
func splitPointer(s string) []string {
	steps := strings.Split(s, "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps
}

// Child returns the shape of a member, or of an item where key is "item". It is nil when s is nil: nothing is known then.
func (s *Shape) Child(key string) *Shape {
	switch {
	case s == nil:
		return nil
	case s.Members[key] != nil:
		return s.Members[key]
	case key == "item" && s.Items != nil:
		return s.Items
	}
	return &Shape{}
}

// ParseNumber returns text as a JSON number; whole: only as an integer.
func ParseNumber(text string, whole bool) ([]byte, bool) {
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
