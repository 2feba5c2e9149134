package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// schema is a JSON schema, with the members that the description needs.
type schema struct {
	Ref                  string             `json:"$ref,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"` // false, or the schema of all values of a map
	ContentEncoding      string             `json:"contentEncoding,omitempty"`
	ContentMediaType     string             `json:"contentMediaType,omitempty"`
	Default              any                `json:"default,omitempty"`
	Description          string             `json:"description,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	Examples             []any              `json:"examples,omitempty"`
	Format               string             `json:"format,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	MaxItems             *int               `json:"maxItems,omitempty"`
	MaxLength            *int               `json:"maxLength,omitempty"`
	Maximum              *float64           `json:"maximum,omitempty"`
	MinItems             *int               `json:"minItems,omitempty"`
	MinLength            *int               `json:"minLength,omitempty"`
	Minimum              *float64           `json:"minimum,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	Type                 types              `json:"type,omitempty"`

	pattern *regexp.Regexp
}

// types are the JSON types that a value may have, the main one first. None: any.
type types []string

// MarshalJSON writes one type without a list.
func (t types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// schemas are those of named structs, by their names.
type schemas map[string]*schema

const schemaPath = "#/components/schemas/"

// of returns the schema of a Go type: a reference for a struct, whose schema is added.
func (s schemas) of(t reflect.Type) *schema {
	if t.Kind() == reflect.Pointer {
		return s.of(t.Elem())
	}
	switch t {
	case reflect.TypeFor[time.Time]():
		return &schema{Type: types{"string"}, Format: "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return &schema{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &schema{Type: types{"boolean"}}
	case reflect.Int, reflect.Int64:
		return &schema{Type: types{"integer"}, Format: "int64"}
	case reflect.Float64:
		return &schema{Type: types{"number"}, Format: "double"}
	case reflect.String:
		return &schema{Type: types{"string"}}
	case reflect.Interface:
		return &schema{}
	case reflect.Map:
		return &schema{Type: types{"object"}, AdditionalProperties: s.of(t.Elem())}
	case reflect.Array:
		n := t.Len()
		return &schema{Type: types{"array", "null"}, Items: s.of(t.Elem()), MinItems: &n, MaxItems: &n}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return &schema{Type: types{"string"}, ContentEncoding: "base64"}
		}
		return &schema{Type: types{"array", "null"}, Items: s.of(t.Elem())}
	case reflect.Struct:
		name := schemaName(t)
		if s[name] == nil {
			s[name] = &schema{} // for a struct that holds itself
			*s[name] = *s.object(t)
		}
		return &schema{Ref: schemaPath + name}
	}
	panic(fmt.Sprintf("the description has no schema for %v", t))
}

// object returns the schema of a struct. A field without omitempty and omitzero is required; those of the struct itself come before
// those of structs in it, and hide them.
func (s schemas) object(t reflect.Type) *schema {
	o := &schema{Type: types{"object"}, AdditionalProperties: false, Properties: map[string]*schema{}}
	seen := map[string]bool{}
	for _, f := range fieldsOf(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || seen[f.Name] {
			continue
		}
		seen[f.Name] = true
		optional := strings.Contains(options, "omit")
		v := s.field(f)
		if f.Type.Kind() == reflect.Pointer && !optional && v.Ref == "" {
			v.Type = append(v.Type, "null")
		}
		if o.Properties[name] = v; !optional {
			o.Required = append(o.Required, name)
		}
	}
	return o
}

// fieldsOf returns the exported fields of a struct, and then those of the structs that it embeds.
func fieldsOf(t reflect.Type) (all []reflect.StructField) {
	var embedded []reflect.StructField
	for i := range t.NumField() {
		switch f := t.Field(i); {
		case f.Anonymous && f.Tag.Get("json") == "":
			embedded = append(embedded, fieldsOf(f.Type)...)
		case f.IsExported():
			all = append(all, f)
		}
	}
	return append(all, embedded...)
}

// field returns the schema of a field, with what its tags say. On a list, those that bound a value bound its items.
func (s schemas) field(f reflect.StructField) *schema {
	v := s.of(f.Type)
	v.Description = f.Tag.Get("doc")
	v.MinItems, v.MaxItems = cmp.Or(numberTag[int](f, "minItems"), v.MinItems), cmp.Or(numberTag[int](f, "maxItems"), v.MaxItems)
	if f.Tag.Get("nullable") == "false" {
		v.Type = v.Type[:1]
	}
	one := v
	if v.Items != nil {
		one = v.Items
	}
	if text, ok := f.Tag.Lookup("default"); ok {
		one.Default = one.value(text)
	}
	if text, ok := f.Tag.Lookup("example"); ok {
		one.Examples = []any{one.value(text)}
	}
	if text, ok := f.Tag.Lookup("enum"); ok {
		one.Enum = strings.Split(text, ",")
	}
	if text, ok := f.Tag.Lookup("format"); ok {
		one.Format = text
	}
	if text, ok := f.Tag.Lookup("pattern"); ok {
		one.Pattern, one.pattern = text, regexp.MustCompile(text)
	}
	one.Minimum, one.Maximum = numberTag[float64](f, "minimum"), numberTag[float64](f, "maximum")
	one.MinLength, one.MaxLength = numberTag[int](f, "minLength"), numberTag[int](f, "maxLength")
	return v
}

// value reads the value of a tag: a text, or JSON of another type.
func (s *schema) value(text string) (v any) {
	if slices.Contains(s.Type, "string") {
		return text
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(fmt.Sprintf("%q is no value for %v", text, s.Type))
	}
	return v
}

// numberTag reads a number of a tag; nil where there is none.
func numberTag[T int | float64](f reflect.StructField, tag string) *T {
	text, ok := f.Tag.Lookup(tag)
	if !ok {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("%s of %s: %v", tag, f.Name, err))
	}
	v := T(n)
	return &v
}

// schemaName puts the package before the names of types that are not of the server's packages, because several packages have a
// Request or an Answer.
func schemaName(t reflect.Type) string {
	pkg := t.PkgPath()
	if strings.HasPrefix(pkg, "rein/app/server") {
		return strings.ToUpper(t.Name()[:1]) + t.Name()[1:] // types that only the server names are not exported
	}
	pkg = pkg[strings.LastIndexByte(pkg, '/')+1:]
	return strings.ToUpper(pkg[:1]) + pkg[1:] + t.Name()
}
