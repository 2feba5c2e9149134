package model

import (
	"bytes"
	"slices"
	"sync"

	"rein/schema"
)

// ToolCache keeps what an adapter made of the tools that it was given last: tools seldom change in a session, and their
// schemas are long. The zero ToolCache is empty and ready; it may be used from many goroutines.
type ToolCache struct {
	mu    sync.Mutex
	specs []ToolSpec
	bytes []byte
	sent  *Sent
}

// Get returns what encode makes of the tools, and how to understand calls of them. encode is given the tools as the provider
// takes them: names and schemas follow the rules of its profile (see package schema).
func (c *ToolCache) Get(specs []ToolSpec, profile string, encode func([]ToolSpec) []byte) (wire []byte, sent *Sent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes == nil || !slices.EqualFunc(c.specs, specs, sameTool) {
		c.specs = slices.Clone(specs)
		var normal []ToolSpec
		normal, c.sent = normalise(specs, profile)
		c.bytes = encode(normal)
	}
	return c.bytes, c.sent
}

func sameTool(a, b ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}

// Sent knows what was changed of the tools that were sent. A nil Sent changed nothing.
type Sent struct {
	names   map[string]string             // wire name → ours, where they differ
	schemas map[string]*schema.Normalised // by our name
}

// normalise returns the tools as a provider takes them. A schema that cannot be read is sent as it is.
func normalise(specs []ToolSpec, profile string) ([]ToolSpec, *Sent) {
	rules, _ := schema.ProfileOf(profile)
	sent := &Sent{names: make(map[string]string), schemas: make(map[string]*schema.Normalised, len(specs))}
	normal := slices.Clone(specs)
	for i := range normal {
		t := &normal[i]
		if wire := WireName(t.Name); wire != t.Name {
			sent.names[wire] = t.Name
		}
		t.Schema = t.Parameters()
		if parsed, err := schema.Parse(t.Schema); err == nil {
			n := parsed.Normalise(rules)
			sent.schemas[t.Name], t.Schema = n, n.Schema
			if n.Note != "" {
				t.Description += "\n" + n.Note
			}
		}
		t.Name = WireName(t.Name)
	}
	return normal, sent
}

// Name returns the tool's name for a name on the wire.
func (s *Sent) Name(wire string) string {
	if s != nil {
		if name, ok := s.names[wire]; ok {
			return name
		}
	}
	return wire
}

// restore gives the calls of an answer the arguments that their tools know: a provider may need other names for them.
func (s *Sent) restore(m *Message) {
	if s == nil {
		return
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		if n := s.schemas[p.Name]; p.Kind == CallKind && n != nil {
			if args := []byte(p.Args); !p.Truncated {
				if back := n.Undo(args); !bytes.Equal(back, args) {
					p.Args = string(back)
				}
			}
		}
	}
}
