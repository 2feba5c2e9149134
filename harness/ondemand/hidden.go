package ondemand

import (
	"context"

	"rein/tool"
)

// Hidden is a Provider of tools that no model sees or finds. Their calls come from sub-agents that are other programs.
type Hidden []*tool.Tool

// Tools returns none.
func (Hidden) Tools(context.Context) []*tool.Tool { return nil }

// Get returns a tool by its name.
func (h Hidden) Get(name string) *tool.Tool {
	for _, t := range h {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Wait reports that none are to come.
func (Hidden) Wait(context.Context) bool { return false }

// About returns no description.
func (Hidden) About() string { return "" }
