package wire

import (
	"bytes"
	"slices"
	"sync"

	"rein/internal/jsontext"
	"rein/model"
	"rein/schema"
)

// ToolCache keeps what an adapter made of the tools that it was given last: tools seldom change in a session, and their
// schemas are long. The zero ToolCache is empty and ready; it may be used from many goroutines.
type ToolCache struct {
	mu       sync.Mutex
	specs    []model.ToolSpec
	bytes    []byte
	sent     *Sent
	reported map[string]bool // notices of all tools so far: two sets that take turns do not repeat them
}

// Get returns what encode makes of the tools, and how to understand calls of them. encode is given the tools as the provider
// takes them: names and schemas follow the rules of its profile (see package schema). A tool whose schema cannot be read
// is left out, and a notice reports it. wire is nil when no tool is left, and so is sent when there was none to begin with.
func (c *ToolCache) Get(specs []model.ToolSpec, profile string, encode func([]model.ToolSpec) []byte) (wire []byte, sent *Sent) {
	if len(specs) == 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent == nil || !slices.EqualFunc(c.specs, specs, sameTool) {
		c.specs, c.bytes = slices.Clone(specs), nil
		var normal []model.ToolSpec
		if normal, c.sent = normalise(specs, profile); len(normal) > 0 {
			c.bytes = encode(normal)
		}
		c.sent.notices = slices.DeleteFunc(c.sent.notices, c.heard)
	}
	return c.bytes, c.sent
}

// First returns the notices that were not given before.
func (c *ToolCache) First(notices ...string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(notices, func(n string) bool { return n == "" || c.heard(n) })
}

// heard reports whether a notice was given before, and keeps it.
func (c *ToolCache) heard(notice string) bool {
	if c.reported == nil {
		c.reported = make(map[string]bool)
	}
	before := c.reported[notice]
	c.reported[notice] = true
	return before
}

func sameTool(a, b model.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}

// normalise returns the tools as a provider takes them, without those whose schema cannot be read: one of these would have
// the whole request refused.
func normalise(specs []model.ToolSpec, profile string) ([]model.ToolSpec, *Sent) {
	rules, _ := schema.ProfileOf(profile)
	sent := &Sent{schemas: make(map[string]*schema.Normalised)}
	normal, names := make([]model.ToolSpec, 0, len(specs)), make([]string, 0, len(specs))
	for _, t := range specs {
		parsed, err := schema.Parse(t.Parameters())
		if err != nil {
			sent.drop(t.Name, err)
			continue
		}
		n, _ := schema.Normalise(parsed.Raw(), rules) // Parse has read these bytes
		if !n.SameArgs() {
			sent.schemas[t.Name] = n
		}
		if t.Schema = n.Schema; n.Note != "" {
			t.Description += "\n" + n.Note
		}
		normal, names = append(normal, t), append(names, t.Name)
	}
	sent.names = rules.Names(names)
	for i := range normal {
		normal[i].Name = sent.names.Sent(normal[i].Name)
	}
	sent.key = sent.fingerprint(names)
	return normal, sent
}

// EncodeTools writes the list of tools as protocols have it, each as an object with name, description and
// schema. before is what comes before the name, form what is between the description and the schema, after ends a tool.
func EncodeTools(tools []model.ToolSpec, before, form, after string) []byte {
	out := []byte{'['}
	for _, t := range tools {
		out = jsontext.AppendField(append(jsontext.AppendComma(out), before...), "name", t.Name)
		out = jsontext.AppendField(out, "description", t.Description)
		out = append(append(append(out, form...), t.Schema...), after...)
	}
	return append(out, ']')
}
