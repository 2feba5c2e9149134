// Package agent is the loop: ask a model, run its calls, tell it, until nothing is called. It knows no tool and no
// provider by name.
package agent

import (
	"rein/model"
	"rein/toolcall"
)

// Agent is a model with tools and a task. Its fields do not change while sessions run; one agent may serve many
// sessions at once.
type Agent struct {
	Model  model.Model
	Calls  *toolcall.Runner // nil: no tools, nothing is recorded
	System string           // the system prompt

	MaxTurns int    // requests to the model for one message of the user; 0 means DefaultMaxTurns
	Budget   int64  // tokens, in and out, for one message of the user; 0 means no limit
	Effort   string // how long the model thinks: see model.Request

	Version string // of the program, for the record
}

// DefaultMaxTurns is how often the model is asked for one message of the user when Agent.MaxTurns is 0.
const DefaultMaxTurns = 50

func (a *Agent) maxTurns() int {
	if a.MaxTurns > 0 {
		return a.MaxTurns
	}
	return DefaultMaxTurns
}

// specs gives the tools as the model sees them: sorted, the same bytes each time.
func (a *Agent) specs() []model.ToolSpec {
	if a.Calls == nil {
		return nil
	}
	all := a.Calls.Tools.All()
	specs := make([]model.ToolSpec, len(all))
	for i, t := range all {
		specs[i] = model.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Input.Raw()}
	}
	return specs
}
