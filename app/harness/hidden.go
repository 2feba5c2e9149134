package harness

import (
	"context"

	"rein/tool"
)

// ondemandHidden is a Provider of tools that no model sees or finds. Their calls come from sub-agents that are other programs.
type ondemandHidden []*tool.Tool

// Tools returns none.
func (ondemandHidden) Tools(context.Context) []*tool.Tool { return nil }

// Get returns a tool by its name.
func (h ondemandHidden) Get(name string) *tool.Tool {
	for _, t := range h {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Wait reports that none are to come.
func (ondemandHidden) Wait(context.Context) bool { return false }

// About returns no description.
func (ondemandHidden) About() string { return "" }
