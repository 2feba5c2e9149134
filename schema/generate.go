package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// For makes the schema of a struct of arguments. A field is named by its json tag, described by its jsonschema tag, and
// required unless it is omitempty or omitzero; no other arguments are allowed. Further tags limit a field:
//
//	enum:"read,write"  minimum:"1"  maximum:"100"  minLength:"1"  maxLength:"80"  minItems:"1"  maxItems:"9"  default:"10"
//
// On a list, enum, minimum, maximum, minLength and maxLength apply to its items. A default is only shown to the model.
func For[T any]() (*Schema, error) { return Of(reflect.TypeFor[T]()) }

// Of is For, of a struct that is known when the program runs.
func Of(t reflect.Type) (*Schema, error) {
	if s, ok := made.Load(t); ok {
		return s.(*Schema), nil
	}
	s, err := generate(t)
	if err == nil {
		made.Store(t, s)
	}
	return s, err
}

// made has the schemas that For made, by the type of the struct: each session makes its tools anew, and their schemas are the same.
var made sync.Map

func generate(t reflect.Type) (*Schema, error) {
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, fmt.Errorf("schema of %v: %w", t, err)
	}
	if err := constrain(t, s); err != nil {
		return nil, fmt.Errorf("schema of %v: %w", t, err)
	}
	var raw bytes.Buffer
	if err := write(&raw, s); err != nil {
		return nil, fmt.Errorf("schema of %v: %w", t, err)
	}
	return Parse(raw.Bytes())
}

// constrain walks the type beside its schema: it takes back the null that pointers and lists were given, because no
// argument of a tool means null, and applies the limiting tags.
func constrain(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if s.Items != nil {
			return constrain(t.Elem(), s.Items)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			return constrain(t.Elem(), s.AdditionalProperties)
		}
	case reflect.Struct:
		return constrainFields(t, s)
	}
	return nil
}

func constrainFields(t reflect.Type, s *jsonschema.Schema) error {
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		p := s.Properties[name]
		if p == nil || field.Anonymous {
			continue
		}
		if err := constrain(field.Type, p); err != nil {
			return err
		}
		if err := applyTags(field.Tag, p); err != nil {
			return fmt.Errorf("field %s: %w", field.Name, err)
		}
	}
	return nil
}

func applyTags(tag reflect.StructTag, s *jsonschema.Schema) error {
	element := s
	if s.Items != nil {
		element = s.Items
	}
	for _, limit := range []struct {
		name string
		set  func(text string) error
	}{
		{"enum", func(text string) error { return setValues(text, element) }},
		{"minimum", func(text string) error { return setFloat(text, &element.Minimum) }},
		{"maximum", func(text string) error { return setFloat(text, &element.Maximum) }},
		{"minLength", func(text string) error { return setInt(text, &element.MinLength) }},
		{"maxLength", func(text string) error { return setInt(text, &element.MaxLength) }},
		{"minItems", func(text string) error { return setInt(text, &s.MinItems) }},
		{"maxItems", func(text string) error { return setInt(text, &s.MaxItems) }},
		{"default", func(text string) error { return setDefault(text, s) }},
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

func setValues(text string, s *jsonschema.Schema) error {
	for _, word := range strings.Split(text, ",") {
		v, err := literal(word, s)
		if err != nil {
			return err
		}
		s.Enum = append(s.Enum, v)
	}
	return nil
}

func setDefault(text string, s *jsonschema.Schema) error {
	v, err := literal(text, s)
	if err == nil {
		s.Default, err = json.Marshal(v)
	}
	return err
}

// literal reads a tag's word as a value of the schema's type.
func literal(word string, s *jsonschema.Schema) (any, error) {
	if s.Type == "string" {
		return word, nil
	}
	if !json.Valid([]byte(word)) {
		return nil, fmt.Errorf("%q is no %s", word, s.Type)
	}
	return json.RawMessage(word), nil
}

func setFloat(text string, to **float64) error {
	f, err := strconv.ParseFloat(text, 64)
	*to = &f
	return err
}

func setInt(text string, to **int) error {
	i, err := strconv.Atoi(text)
	*to = &i
	return err
}
