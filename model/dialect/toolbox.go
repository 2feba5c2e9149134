package dialect

import (
	"encoding/json"

	"rein/internal/shape"
)

// toolbox holds the shapes of the tools offered.
type toolbox map[string]*shape.Shape

func newToolbox(tools []Tool) toolbox {
	box := toolbox{}
	for _, t := range tools {
		box[t.Name] = shape.New(t.Parameters)
	}
	return box
}

func (b toolbox) has(name string) bool { return b[name] != nil }

// needsNothing reports whether a tool is offered and works without arguments.
func (b toolbox) needsNothing(name string) bool {
	s := b[name]
	return s != nil && len(s.Required) == 0 && len(s.Members) == 0
}

// takes reports whether the arguments are ones of the tool, each once, and none that it needs is missing.
func (b toolbox) takes(name string, o *object) bool {
	s := b[name]
	if s == nil {
		return len(b) == 0
	}
	var args map[string]json.RawMessage
	if json.Unmarshal(o.bytes(), &args) != nil || o.whole == nil && len(args) < len(o.members) {
		return false
	}
	for k := range args {
		if s.Members[k] == nil {
			return false
		}
	}
	for _, k := range s.Required {
		if _, ok := args[k]; !ok {
			return false
		}
	}
	return true
}
