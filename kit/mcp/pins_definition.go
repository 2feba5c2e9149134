package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// definition reads a tool of a server; false when it cannot be used, which is reported once.
func (s *Server) definition(t *sdk.Tool) (Definition, bool) {
	schema, err := json.Marshal(t.InputSchema)
	d := Definition{Name: t.Name, Title: t.Title, Description: t.Description, Schema: schema}
	if err == nil && t.Annotations != nil {
		d.Annotations, err = json.Marshal(t.Annotations)
	}
	if err == nil && t.OutputSchema != nil {
		d.Output, err = json.Marshal(t.OutputSchema)
	}
	switch {
	case err == nil && (t.Name == "" || len(t.Name) > 128):
		err = errors.New("its name is empty or longer than 128 bytes")
	case err == nil && len(schema)+len(d.Output)+len(t.Description) > mostDefinition:
		err = fmt.Errorf("its definition is larger than %d bytes", mostDefinition)
	case err == nil && s.tasks.has(t.Name):
		err = errors.New("it runs only as a task, which rein does not know")
	case err == nil:
		_, err = parse(schema)
	}
	if err == nil {
		return d, true
	}
	s.mu.Lock()
	before := s.dropped[t.Name]
	s.dropped[t.Name] = true
	s.mu.Unlock()
	if !before {
		s.say(fmt.Sprintf("its tool %q is left out: %v", clip(t.Name), err))
	}
	return Definition{}, false
}

// mostDefinition bounds the schemas and the description of one tool, in bytes.
const mostDefinition = 256 << 10

// clip shortens a text of a server for a message.
func clip(s string) string {
	if len(s) > 600 {
		return strings.ToValidUTF8(s[:600], "") + "…"
	}
	return s
}
