package schema

import (
	"bytes"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// write appends a schema that For made, in the spelling of its own MarshalJSON. That one writes each level of a schema
// again for each level above it, which cost a fifth of the program's start.
func write(b *bytes.Buffer, s *jsonschema.Schema) error {
	w := &writer{b: b}
	switch {
	case s.Not != nil:
		b.WriteString("false")
		return nil
	case s.Type == "" && s.Types == nil && s.Description == "" && s.Default == nil && s.Enum == nil:
		b.WriteString("true")
		return nil
	}
	b.WriteByte('{')
	if s.Type != "" {
		w.value("type", s.Type)
	} else if s.Types != nil {
		w.value("type", s.Types)
	}
	if s.Properties != nil {
		w.name("properties")
		w.properties(s)
	}
	w.schema("items", s.Items)
	if s.Description != "" {
		w.value("description", s.Description)
	}
	if s.Default != nil {
		w.value("default", s.Default)
	}
	if len(s.Enum) > 0 {
		w.value("enum", s.Enum)
	}
	for _, limit := range []struct {
		name  string
		value any
		set   bool
	}{
		{"minimum", s.Minimum, s.Minimum != nil}, {"maximum", s.Maximum, s.Maximum != nil},
		{"minLength", s.MinLength, s.MinLength != nil}, {"maxLength", s.MaxLength, s.MaxLength != nil},
		{"minItems", s.MinItems, s.MinItems != nil}, {"maxItems", s.MaxItems, s.MaxItems != nil},
		{"required", s.Required, len(s.Required) > 0},
	} {
		if limit.set {
			w.value(limit.name, limit.value)
		}
	}
	w.schema("additionalProperties", s.AdditionalProperties)
	b.WriteByte('}')
	return w.err
}

// writer writes the members of one object, and keeps the first error.
type writer struct {
	b    *bytes.Buffer
	more bool // a member was written
	err  error
}

func (w *writer) name(name string) {
	if w.more {
		w.b.WriteByte(',')
	}
	w.more = true
	w.plain(name)
	w.b.WriteByte(':')
}

func (w *writer) plain(v any) {
	text, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.b.Write(text)
}

func (w *writer) value(name string, v any) {
	w.name(name)
	w.plain(v)
}

func (w *writer) schema(name string, s *jsonschema.Schema) {
	if s == nil {
		return
	}
	w.name(name)
	if err := write(w.b, s); err != nil && w.err == nil {
		w.err = err
	}
}

func (w *writer) properties(s *jsonschema.Schema) {
	w.b.WriteByte('{')
	all := &writer{b: w.b}
	for _, name := range s.PropertyOrder {
		all.schema(name, s.Properties[name])
	}
	w.b.WriteByte('}')
	if w.err == nil {
		w.err = all.err
	}
}
