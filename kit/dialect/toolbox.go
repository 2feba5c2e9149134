package dialect

import (
	"encoding/json"
	"strings"
)

// toolbox holds the shapes of the tools offered.
type toolbox map[string]*valueShape

func newToolbox(tools []Tool) toolbox {
	box := toolbox{}
	for _, t := range tools {
		box[t.Name] = newValueShape(t.Parameters)
	}
	return box
}

func (b toolbox) has(name string) bool { return b[name] != nil }

// allOf reports whether all the keys are arguments of the tool.
func (b toolbox) allOf(name string, keys []string) bool {
	s := b[name]
	for _, k := range keys {
		if s == nil || s.Members[k] == nil {
			return false
		}
	}
	return true
}

// resolve returns the tool that a name means: with a namespace that is the tool's own name, or that of a server before it.
func (b toolbox) resolve(name string) string {
	if b.has(name) {
		return name
	}
	if head, tail, ok := strings.Cut(name, "."); ok && head == tail {
		return tail
	}
	if k := strings.LastIndexByte(name, ':'); k >= 0 && b.has(name[k+1:]) {
		return name[k+1:]
	}
	return name
}

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
