package schema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// For makes the schema of a struct of arguments. A field is named by its json tag, described by its jsonschema tag, and
// required unless it is omitempty or omitzero; no other arguments are allowed. Further tags limit a field:
//
//	enum:"read,write"  minimum:"1"  maximum:"100"  minLength:"1"  maxLength:"80"  minItems:"1"  maxItems:"9"  default:"10"
//
// On a list, enum, minimum, maximum, minLength and maxLength apply to its items. A default is only shown to the model.
//
// Bytes are base64, a time.Duration is a text with units ("1m30s"), a type that reads itself from text is a text, and a json.RawMessage,
// an any, or a type that reads itself from JSON may be anything; a struct that reads itself is described by its fields. A type within itself becomes a $ref. For fails where Decode could not
// read what the schema allows, except for numbers that are too large for their Go type, and what types that read themselves refuse.
func For[T any]() (*Schema, error) { return Of(reflect.TypeFor[T]()) }

// Of is For, of a struct that is known when the program runs.
func Of(t reflect.Type) (*Schema, error) {
	if s, ok := made.Load(t); ok {
		return s.(*Schema), nil
	}
	s, err := generate(t)
	if err != nil {
		return nil, fmt.Errorf("schema of %v: %w", t, err)
	}
	made.Store(t, s)
	return s, nil
}

// made has the schemas that For made, by the type of the struct: each session makes its tools anew, and their schemas are the same.
var made sync.Map

func generate(t reflect.Type) (*Schema, error) {
	t = indirect(t)
	g := generator{root: t, open: map[reflect.Type]int{}, names: map[reflect.Type]string{}}
	s, err := g.shape(t)
	if err != nil {
		return nil, err
	}
	s.defs = g.defs
	var raw bytes.Buffer
	if err := s.write(&raw); err != nil {
		return nil, err
	}
	if s.kind != "object" && s.kind != "" || g.deep {
		return Parse(raw.Bytes()) // which says what is wrong
	}
	return &Schema{raw: raw.Bytes(), checks: sync.OnceValue(func() *checks { return makeChecks(raw.Bytes()) })}, nil
}

func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// shape is a schema before it is written.
type shape struct {
	ref, kind            string // kind "": any
	properties           []fieldShape
	items                *shape
	about                string
	preset               json.RawMessage // the default
	enum                 []json.RawMessage
	minimum, maximum     *float64
	minLength, maxLength *int
	pattern              string
	minItems, maxItems   *int
	required             []string
	closed               bool   // no members but the properties
	extra                *shape // of members that are not named
	defs                 []fieldShape
}

type fieldShape struct {
	name  string
	shape *shape
	depth int // in embedded structs
}

// generator makes the shape of a type.
type generator struct {
	root  reflect.Type
	open  map[reflect.Type]int    // the types that are being described, with what ends was for each
	ends  int                     // lists, maps and optional fields around what is being described: a value may end at each
	names map[reflect.Type]string // the types that are within themselves, as references
	defs  []fieldShape
	depth int  // of types within types
	deep  bool // it was large
}

const (
	aboutBytes    = "base64"
	aboutDuration = "a duration with units, such as 1m30s or 500ms"

	base64Pattern   = `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`
	durationPattern = `^-?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`
)

// shape describes a type and, where it has a name, all that is within it.
func (g *generator) shape(t reflect.Type) (*shape, error) {
	t = indirect(t)
	g.depth++
	defer func() { g.depth-- }()
	g.deep = g.deep || g.depth > maxSchemaDepth/2
	if s := ofItself(t); s != nil {
		return s, nil
	}
	if t.Name() == "" || t.Kind() != reflect.Struct && t.Kind() != reflect.Slice && t.Kind() != reflect.Map {
		return g.kind(t)
	}
	around, within := g.open[t]
	ref := g.names[t]
	switch {
	case within && around == g.ends:
		return nil, fmt.Errorf("a %v needs another one within it, without end: make the field omitempty", t)
	case within && ref == "":
		ref = g.name(t)
		g.names[t] = ref
		return &shape{ref: ref}, nil
	case ref != "":
		return &shape{ref: ref}, nil
	}
	g.open[t] = g.ends
	s, err := g.kind(t)
	delete(g.open, t)
	if name, isDef := strings.CutPrefix(g.names[t], defsAt); isDef && err == nil {
		g.defs = append(g.defs, fieldShape{name: name, shape: s})
		s = &shape{ref: g.names[t]}
	}
	return s, err
}

// defsAt is where the types are that are within themselves.
const defsAt = "#/$defs/"

func (g *generator) name(t reflect.Type) string {
	if t == g.root {
		return "#"
	}
	name := strings.Map(func(c rune) rune {
		if c < 0x80 && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9') {
			return c
		}
		return '_'
	}, t.Name())
	for _, other := range g.names {
		if other == defsAt+name {
			name += "_"
		}
	}
	return defsAt + name
}

// ofItself is the shape of types that are not described by what they are made of; nil for others.
func ofItself(t reflect.Type) *shape {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return &shape{kind: "string", about: aboutDuration, pattern: durationPattern}
	case reflect.TypeFor[time.Time]():
		return &shape{kind: "string"}
	}
	p := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(t), reflect.StructField.IsExported):
		return nil // one that reads itself takes its fields too
	case p.Implements(reflect.TypeFor[json.Unmarshaler]()), p.Implements(reflect.TypeFor[jsonv2.UnmarshalerFrom]()):
		return &shape{}
	case p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &shape{kind: "string"}
	case t.Kind() == reflect.Slice && isByte(t.Elem()):
		return &shape{kind: "string", about: aboutBytes, pattern: base64Pattern}
	}
	return nil
}

func isByte(t reflect.Type) bool { return t.Kind() == reflect.Uint8 && ofItself(t) == nil }

// kind describes a type by its kind.
func (g *generator) kind(t reflect.Type) (*shape, error) {
	number := func(low, high float64) *shape {
		s := &shape{kind: "integer", minimum: &low, maximum: &high}
		if high == 0 {
			s.maximum = nil
		}
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		return &shape{kind: "boolean"}, nil
	case reflect.String:
		return &shape{kind: "string"}, nil
	case reflect.Float32, reflect.Float64:
		return &shape{kind: "number"}, nil
	case reflect.Int, reflect.Int64:
		return &shape{kind: "integer"}, nil
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return number(-math.Exp2(float64(t.Bits()-1)), math.Exp2(float64(t.Bits()-1))-1), nil
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return number(0, 0), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return number(0, math.Exp2(float64(t.Bits()))-1), nil
	case reflect.Slice, reflect.Array:
		return g.list(t)
	case reflect.Map:
		if key := t.Key(); key.Kind() != reflect.String || ofItself(key) != nil {
			return nil, fmt.Errorf("the keys of a %v are no plain texts", t)
		}
		g.ends++
		defer func() { g.ends-- }()
		extra, err := g.shape(t.Elem())
		return &shape{kind: "object", extra: extra}, err
	case reflect.Struct:
		return g.fields(t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return &shape{}, nil
		}
	}
	return nil, fmt.Errorf("no JSON can be read into a %v", t)
}

func (g *generator) list(t reflect.Type) (*shape, error) {
	s := &shape{kind: "array"}
	if t.Kind() == reflect.Slice {
		g.ends++
		defer func() { g.ends-- }()
	} else {
		n := t.Len()
		if s.minItems, s.maxItems = &n, &n; isByte(t.Elem()) {
			return nil, fmt.Errorf("a %v has no form that a model could write: use []byte", t)
		}
	}
	var err error
	s.items, err = g.shape(t.Elem())
	return s, err
}

func (g *generator) fields(t reflect.Type) (*shape, error) {
	s := &shape{kind: "object", closed: true}
	var inlined [][]int // embedded structs that have a name of their own: their fields are in them
	for _, field := range reflect.VisibleFields(t) {
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		within := slices.ContainsFunc(inlined, func(path []int) bool {
			return len(field.Index) > len(path) && slices.Equal(field.Index[:len(path)], path)
		})
		if within || tag == "-" || !field.IsExported() && !field.Anonymous {
			continue
		}
		if field.Anonymous {
			if embedded := indirect(field.Type); name == "" && (embedded.Kind() != reflect.Struct || ofItself(embedded) != nil) {
				return nil, fmt.Errorf("field %s: it is embedded, is no struct of fields, and has no name", field.Name)
			}
			if name == "" {
				continue // its fields follow
			}
			inlined = append(inlined, field.Index)
		}
		if name == "" {
			name = field.Name
		}
		optional := false
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty", "omitzero":
				optional = true
			case "":
			default:
				return nil, fmt.Errorf("field %s: the option %q of its json tag is not known here", field.Name, option)
			}
		}
		if err := g.field(s, field, name, optional); err != nil {
			return nil, fmt.Errorf("field %s: %w", field.Name, err)
		}
	}
	return s, nil
}

// field adds a field. One of an outer struct takes the place of one of an embedded struct.
func (g *generator) field(s *shape, field reflect.StructField, name string, optional bool) error {
	p := fieldShape{name: name, depth: len(field.Index)}
	if i := slices.IndexFunc(s.properties, func(other fieldShape) bool { return other.name == name }); i >= 0 {
		switch other := s.properties[i]; {
		case other.depth == p.depth:
			return fmt.Errorf("another field is named %q", name)
		case other.depth < p.depth:
			return nil
		}
		s.properties = slices.Delete(s.properties, i, i+1)
		s.required = slices.DeleteFunc(s.required, func(other string) bool { return other == name })
	}
	if optional {
		g.ends++
		defer func() { g.ends-- }()
	}
	var err error
	if p.shape, err = g.shape(field.Type); err != nil {
		return err
	}
	if about, ok := field.Tag.Lookup("jsonschema"); ok {
		if p.shape.about != "" {
			about += " (" + p.shape.about + ")"
		}
		p.shape.about = about
	}
	if !optional {
		s.required = append(s.required, name)
	}
	s.properties = append(s.properties, p)
	return applyTags(field.Tag, p.shape)
}

// applyTags sets what the tags of a field limit.
func applyTags(tag reflect.StructTag, s *shape) error {
	element := s
	if s.items != nil {
		element = s.items
	}
	for _, limit := range []struct {
		name string
		set  func(text string) error
	}{
		{"enum", func(text string) error { return setValues(text, element) }},
		{"minimum", func(text string) error { return setFloat(text, &element.minimum) }},
		{"maximum", func(text string) error { return setFloat(text, &element.maximum) }},
		{"minLength", func(text string) error { return setInt(text, &element.minLength) }},
		{"maxLength", func(text string) error { return setInt(text, &element.maxLength) }},
		{"minItems", func(text string) error { return setInt(text, &s.minItems) }},
		{"maxItems", func(text string) error { return setInt(text, &s.maxItems) }},
		{"default", func(text string) (err error) { s.preset, err = literal(text, s); return err }},
	} {
		text, ok := tag.Lookup(limit.name)
		if !ok {
			continue
		}
		if err := limit.set(text); err != nil {
			return fmt.Errorf("tag %s:%q: %w", limit.name, text, err)
		}
	}
	return nil
}

func setValues(text string, s *shape) error {
	for _, word := range strings.Split(text, ",") {
		v, err := literal(word, s)
		if err != nil {
			return err
		}
		s.enum = append(s.enum, v)
	}
	return nil
}

// literal reads a tag's word as a value of the shape's type.
func literal(word string, s *shape) (json.RawMessage, error) {
	if s.kind == "string" {
		return json.Marshal(word)
	}
	if !json.Valid([]byte(word)) {
		return nil, fmt.Errorf("%q is no %s", word, s.kind)
	}
	return json.RawMessage(word), nil
}

func setFloat(text string, to **float64) error {
	f, err := strconv.ParseFloat(text, 64)
	*to = &f
	return err
}

func setInt(text string, to **int) error {
	n, err := strconv.ParseUint(text, 10, 31)
	i := int(n)
	*to = &i
	return err
}
