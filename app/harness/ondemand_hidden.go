package harness

import (
	"context"

	"rein/tool"
)

// hiddenTools is a Provider of tools that no model sees or finds. Their calls come from sub-agents that are other programs.
type hiddenTools []*tool.Tool

// Tools returns none.
func (hiddenTools) Tools(context.Context) []*tool.Tool { return nil }

// Get returns a tool by its name.
func (h hiddenTools) Get(name string) *tool.Tool {
	for _, t := range h {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Wait reports that none are to come.
func (hiddenTools) Wait(context.Context) bool { return false }

// About returns no description.
func (hiddenTools) About() string { return "" }
