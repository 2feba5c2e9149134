package schema

import (
	"bytes"
	"encoding/json"
)

// write appends the schema. A model reads these bytes, and caches of providers depend on them.
func (s *shape) write(b *bytes.Buffer) error {
	w := &writer{b: b}
	if s.ref == "" && s.kind == "" && s.about == "" && s.preset == nil && s.enum == nil {
		b.WriteString("true")
		return nil
	}
	b.WriteByte('{')
	w.value("$ref", s.ref, s.ref != "")
	w.value("type", s.kind, s.kind != "")
	w.shapes("properties", s.properties)
	w.shape("items", s.items)
	w.value("description", s.about, s.about != "")
	w.value("default", s.preset, s.preset != nil)
	w.value("enum", s.enum, s.enum != nil)
	w.value("minimum", s.minimum, s.minimum != nil)
	w.value("maximum", s.maximum, s.maximum != nil)
	w.value("minLength", s.minLength, s.minLength != nil)
	w.value("maxLength", s.maxLength, s.maxLength != nil)
	w.value("pattern", s.pattern, s.pattern != "")
	w.value("minItems", s.minItems, s.minItems != nil)
	w.value("maxItems", s.maxItems, s.maxItems != nil)
	w.value("required", s.required, len(s.required) > 0)
	w.value("additionalProperties", false, s.closed)
	w.shape("additionalProperties", s.extra)
	w.shapes("$defs", s.defs)
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

func (w *writer) value(name string, v any, is bool) {
	if is {
		w.name(name)
		w.plain(v)
	}
}

func (w *writer) shape(name string, s *shape) {
	if s == nil {
		return
	}
	w.name(name)
	if err := s.write(w.b); err != nil && w.err == nil {
		w.err = err
	}
}

func (w *writer) shapes(name string, all []fieldShape) {
	if len(all) == 0 {
		return
	}
	w.name(name)
	w.b.WriteByte('{')
	inner := &writer{b: w.b}
	for _, p := range all {
		inner.shape(p.name, p.shape)
	}
	w.b.WriteByte('}')
	if w.err == nil {
		w.err = inner.err
	}
}
