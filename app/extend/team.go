// Package team gives an agent the usual sub-agents: kinds of agents by their definitions, and the tools with which a model gives
// them tasks, one at a time, over a list, or in the background.
package extend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/model"
)

// AgentKind is a kind of agent that a model may give tasks to: a Definition of Team.Definitions, or one that an embedder adds, such as
// an agent of another program behind a model.Model of its own.
type AgentKind interface {
	// About describes the kind. It returns the same each time.
	About() agent.About
	// Narrow returns how a sub-agent of the kind differs from its parent. id is that of its session.
	Narrow(ctx context.Context, id string, sub event.SubAgent) (agent.Narrowing, error)
}

// Team is an agent.Team of kinds. The zero value has no kinds. Its fields do not change while it is used.
type Team struct {
	Definitions []agent.Definition
	Kinds       []AgentKind // further ones; a definition of the same name comes first

	// Open opens a model by its reference. Nil: all sub-agents have their parent's model.
	Open func(ctx context.Context, ref string) (model.Model, error)
	// Models are short names of models, such as "small". A name without provider that is not in it means the parent's model.
	Models map[string]string
	// Without are tools that no sub-agent has, with wildcards.
	Without []string
	// Isolation offers that a sub-agent works in a place of its own, which agent.Agent.Place prepares.
	Isolation bool
	// Skill returns the text of a skill; "" where there is none of the name. Nil: there are none.
	Skill func(name string) string
	// Limit makes the guard of a kind whose definition has rules: see Definition. Nil: such a kind cannot be used.
	Limit func(kind string, only, deny, ask []string) guard.Guard
	// Model reports whether a call of the tool agent may name a model by its reference: a skill that the user trusts names it, for
	// the sub-agent that carries it out. Nil: only the short names in Models.
	Model func(ref string) bool
}

// Find returns the kind of that name, or nil. Where there is none, upper and lower case are the same: other programs write Explore.
func (t *Team) Find(name string) AgentKind {
	all := t.all()
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if i := slices.IndexFunc(all, func(k AgentKind) bool { return same(k.About().Name, name) }); i >= 0 {
			return all[i]
		}
	}
	return nil
}

// all are the kinds, those of the definitions first.
func (t *Team) all() []AgentKind {
	all := make([]AgentKind, 0, len(t.Definitions)+len(t.Kinds))
	for i := range t.Definitions {
		all = append(all, definedKind{&t.Definitions[i], t})
	}
	for _, k := range t.Kinds {
		if !slices.ContainsFunc(all, func(have AgentKind) bool { return have.About().Name == k.About().Name }) {
			all = append(all, k)
		}
	}
	return all
}

// Narrow implements agent.Team.
func (t *Team) Narrow(ctx context.Context, tools []string, id string, sub event.SubAgent) (agent.Narrowing, error) {
	found := t.Find(sub.Agent)
	if found == nil {
		return agent.Narrowing{}, fmt.Errorf("there is no agent %q any more", sub.Agent)
	}
	n, err := found.Narrow(ctx, id, sub)
	if err != nil {
		return n, err
	}
	n.Without = append(slices.Clone(n.Without), t.Without...)
	if len(sub.Tools) > 0 {
		n.Tools = inBoth(n.Tools, sub.Tools, tools)
	}
	return n, nil
}

// inBoth returns the names that two lists with wildcards allow.
func inBoth(one, other, all []string) []string {
	names := []string{}
	for _, name := range all {
		if (agent.Narrowing{Tools: one}).Allows(name) && (agent.Narrowing{Tools: other}).Allows(name) {
			names = append(names, name)
		}
	}
	return names
}

func joinParts(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}

// definedKind is the kind of a definition.
type definedKind struct {
	*agent.Definition
	team *Team
}

// About implements Kind.
func (d definedKind) About() agent.About { return d.Definition.About }

// taskBegins is what every sub-agent reads first.
const taskBegins = "You are now the sub-agent %q. Another agent gave you a task and reads only your last answer: make it a complete report of what you found or did, with the paths and lines that matter, and what you could not do. Nobody answers questions: decide yourself, and say what you assumed."

// Narrow implements Kind.
func (d definedKind) Narrow(ctx context.Context, _ string, sub event.SubAgent) (agent.Narrowing, error) {
	n := agent.Narrowing{System: joinParts(fmt.Sprintf(taskBegins, d.Name), d.Prompt), Effort: d.Effort, Sampling: d.Sampling, Tools: d.Tools, Without: d.Without,
		Mode: guard.Full, MaxTurns: d.MaxTurns}
	n.Budget.Tokens = d.Budget
	if len(d.Only)+len(d.Deny)+len(d.Ask) > 0 {
		if d.team.Limit == nil {
			return n, fmt.Errorf("the agent %q has rules, which nothing here reads", d.Name)
		}
		n.Guard = d.team.Limit(d.Name, d.Only, d.Deny, d.Ask)
	}
	if d.Mode != "" {
		var err error
		if n.Mode, err = guard.ParseMode(d.Mode); err != nil {
			return n, err
		}
		if n.Mode <= guard.Plan {
			n.System = joinParts(n.System, "Your mode is "+n.Mode.String()+": what would change anything is denied.")
		}
	}
	for _, name := range d.Skills {
		text := ""
		if d.team.Skill != nil {
			text = d.team.Skill(name)
		}
		n.System = joinParts(n.System, cmp.Or(text, "The skill "+name+", which your work needs, is not available."))
	}
	ref := cmp.Or(sub.Model, d.Model)
	if named, ok := d.team.Models[ref]; ok {
		ref = named
	}
	if !strings.Contains(ref, "/") || d.team.Open == nil {
		return n, nil
	}
	var err error
	n.Model, err = d.team.Open(ctx, ref)
	return n, err
}

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
