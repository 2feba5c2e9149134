// Package agent is the loop: send the conversation to a model, run the calls of its answer, send the results, until the
// model calls nothing more. It keeps the conversation within the window of its model, and starts sub-agents. It knows no tool and no provider by name.
package agent

import (
	"context"

	"rein/event"
	"rein/model"
	"rein/schema"
	"rein/tool"
	"rein/toolcall"
)

// Agent is a model with tools and a task. Its fields do not change while sessions run. One agent may serve many sessions
// at once: what belongs to one session is in its SessionOptions.
type Agent struct {
	Model  model.Model
	Calls  *toolcall.Runner // nil: no tools
	System string           // the system prompt

	// Team gives the sub-agents that the model may give tasks to. Nil: none.
	Team Team
	// Place prepares where a sub-agent works whose task has an isolation. Nil: no isolation is possible.
	Place func(ctx context.Context, parent *Agent, id string, sub event.SubAgent) (Place, error)

	MaxTurns int    // requests to the model for one message of the user; 0 means DefaultMaxTurns
	Budget   int64  // tokens, in and out, for one message of the user, those of sub-agents included; 0 means no limit
	Limits   Limits // what the sessions may spend beside Budget
	Effort   string // how long the model thinks: see model.Request
	// Sampling is how the model chooses its words. A model of kit/providers that does not take all of it fails; one of your own finds it in
	// the request. It holds for sub-agents too that have no model of their own.
	Sampling model.Sampling

	// Shrink makes images such that every provider takes them; kit/providers has the usual one. Nil: they are sent as they are.
	Shrink Shrink

	// Output is what the last answer to a message has to fit: the model is told so, and gets one more request when its answer
	// does not fit. The text of the Stopped event is then the JSON value alone. Nil: any text.
	Output *schema.Schema

	// ThinkFirst has the model write down what it will do, in an answer without calls, before it acts on a message.
	ThinkFirst bool

	// Compact says when older parts of the conversation are replaced so that it fits the window of the model.
	Compact Compaction
	// Facts reads what a result says about the state of the work, for what survives a compaction. Nil: nothing.
	Facts func(tool.Result) CompactionFacts
	// Fallback are models that are asked, in this order, when the model before them fails permanently.
	Fallback []model.Model

	Version string      // of the program, for the record
	How     event.Start // recorded when a session starts; the agent fills in what it knows itself

	allows func(tool string) bool // which tools of the team it has; nil: all
}

// DefaultMaxTurns is how many requests the model gets for one message of the user when Agent.MaxTurns is 0.
const DefaultMaxTurns = 50

func (a *Agent) maxTurns() int { return orDefault(a.MaxTurns, DefaultMaxTurns) }

// runner is the agent's runner; without one it has no tools.
func (a *Agent) runner() *toolcall.Runner {
	if a.Calls == nil {
		return &toolcall.Runner{}
	}
	return a.Calls
}

// specs returns the tools as the model sees them: sorted, the same bytes each time.
func specs(tools tool.Set) []model.ToolSpec {
	all := tools.First()
	specs := make([]model.ToolSpec, len(all))
	for i, t := range all {
		specs[i] = model.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Input.Raw()}
	}
	return specs
}
