package extend

import (
	"context"
	"slices"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/model"
)

// OtherAgent is a kind of agent behind a model of its own, such as another program: see package app/harness.
type OtherAgent struct {
	Kind  agent.About
	Model model.Model
	Tools []string // names of the tools that it has, of those that its parent has

	// Done is called with the id of a sub-agent's session when its task has ended. Nil: nobody needs to know.
	Done func(session string)
}

// About implements Kind.
func (o OtherAgent) About() agent.About { return o.Kind }

// Narrow implements Kind. The sub-agent has the mode of its parent.
func (o OtherAgent) Narrow(_ context.Context, id string, _ event.SubAgent) (agent.Narrowing, error) {
	n := agent.Narrowing{Model: o.Model, Tools: slices.Clone(o.Tools), Mode: guard.Full}
	if o.Done != nil {
		n.Done = func(event.Stop) string {
			o.Done(id)
			return ""
		}
	}
	return n, nil
}

// AddOther adds a kind of agent behind a model of its own: see Other.
func (t *Team) AddOther(name, description string, m model.Model, tools []string, done func(session string)) {
	t.Kinds = append(t.Kinds, OtherAgent{Kind: agent.About{Name: name, Description: description}, Model: m, Tools: tools, Done: done})
}
