// Package schema describes the arguments of a tool: it makes JSON Schemas from Go types, fits a model's arguments to them,
// and writes each schema so that a provider accepts it.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Schema is a JSON Schema for the arguments of one tool. It does not change and may be used by many goroutines. The zero value is none:
// nothing fits it.
type Schema struct {
	raw     json.RawMessage
	aliases map[string]string
	checks  func() *checks // nil: none
}

// checks are what arguments are compared with. Those of a Go type are made at the first use: most tools of a session are never called.
type checks struct {
	root   *node
	tracks bool         // a keyword asks which members or items others have evaluated
	ready  func() error // compiles the patterns at the first use, because that can take milliseconds
	err    error        // they cannot be made
}

// maxSchema is the largest schema that Parse reads, in bytes.
const maxSchema = 1 << 20

// Parse reads a JSON Schema (draft 2020-12, or the draft that its $schema names). It fails where the schema could not describe
// the arguments of a tool: it is no JSON, allows no object, uses unknown types or refers to something outside itself.
// The bytes are kept as they are, but for white space around and inside them.
func Parse(raw json.RawMessage) (*Schema, error) {
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("schema of %d bytes is larger than %d", len(raw), maxSchema)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("schema: there is none")
	}
	made := makeChecks(raw)
	if made.err != nil {
		return nil, fmt.Errorf("schema: %w", made.err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{raw: compact.Bytes(), checks: func() *checks { return made }}, nil
}

func makeChecks(raw json.RawMessage) *checks {
	document, err := parse(raw)
	if err == nil {
		b := &builder{root: document, base: document, nodes: map[*Value]*node{}}
		var root *node
		if root, err = b.build(); err == nil && root.effective&isObject == 0 {
			err = errors.New("arguments are an object, which this schema does not allow")
		} else if err == nil {
			return &checks{root: root, tracks: b.tracks, ready: sync.OnceValue(b.patterns.compile)}
		}
	}
	return &checks{err: err, root: &node{opaque: true}, ready: func() error { return err }} // nothing fits it
}

// Raw returns the schema's own bytes, compact and always the same. They must not be changed.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// MarshalJSON returns Raw.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.raw, nil }

// WithAliases returns a copy of s that also takes arguments under other names: each key is read as the name it maps to,
// unless the schema has an argument of that key. Aliases apply to the outermost object and are not shown to the model.
func (s *Schema) WithAliases(aliases map[string]string) *Schema {
	c := *s
	c.aliases = maps.Clone(aliases)
	return &c
}
