package agent

import (
	"context"
	"fmt"

	"rein/agent/team"
	"rein/event"
	"rein/guard"
	"rein/tool"
	"rein/toolcall"
)

// Team gives an agent its sub-agents. Each task of a sub-agent is a session of its own: with its own journal, the id of its
// parent session, and an agent that is made from the parent's by a Narrowing. Its events reach the watcher of the parent, its
// tokens count in the parent's usage and budget. When a call of its waits for an approval, the parent is suspended too, and
// when the parent is resumed the sub-agent continues where it was.
//
// The methods may be called at once from several goroutines. Package team has the usual one.
type Team interface {
	// Tools returns the tools through which the model of a session works with sub-agents.
	Tools(s team.Session) []*tool.Tool
	// Narrow returns how a sub-agent differs from its parent, which has these tools. id is that of its session. It is also called
	// when a session that was read back continues.
	Narrow(ctx context.Context, tools []string, id string, sub event.SubAgent) (team.Narrowing, error)
}

// Place is where a sub-agent works that does not share its parent's workspace.
type Place struct {
	// Calls runs its calls. It is used for the tools that the parent has too, and the parent's guard and mode hold beside its
	// own. Nil: the parent's runner.
	Calls  *toolcall.Runner
	System string                  // what the model must know of it
	Done   func(event.Stop) string // see team.Narrowing
}

// place returns where a sub-agent works.
func (a *Agent) place(ctx context.Context, id string, sub event.SubAgent) (Place, error) {
	switch {
	case sub.Isolation == "":
		return Place{}, nil
	case a.Place == nil:
		return Place{}, fmt.Errorf("the isolation %q is not available here", sub.Isolation)
	}
	return a.Place(ctx, a, id, sub)
}

// The defaults of Limits for sub-agents.
const (
	MaxDepth      = 4  // how deep sub-agents may start sub-agents
	DefaultAtOnce = 8  // sub-agents of one session that are at work at once
	DefaultWakes  = 10 // reports that wake the model for one message of the user
)

func (l Limits) depth() int  { return orDefault(l.Depth, MaxDepth) }
func (l Limits) atOnce() int { return orDefault(l.AtOnce, DefaultAtOnce) }
func (l Limits) wakes() int  { return orDefault(l.Wakes, DefaultWakes) }

func orDefault(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// narrow returns the agent of a sub-agent. It is the one place where they are made: what a sub-agent may do is what its parent
// may do, less what n takes away.
func (a *Agent) narrow(n team.Narrowing, at Place) *Agent {
	child := *a
	child.Calls = narrowed(a.runner(), n, at.Calls)
	for _, more := range []string{n.System, at.System} {
		if more != "" {
			child.System += "\n\n" + more
		}
	}
	if n.Model != nil {
		child.Model, child.Fallback = n.Model, nil
	}
	if n.Effort != "" {
		child.Effort = n.Effort
	}
	if n.MaxTurns > 0 {
		child.MaxTurns = n.MaxTurns
	}
	above := a.allows
	child.allows = func(name string) bool { return (above == nil || above(name)) && n.Allows(name) }
	child.Output = n.Output
	child.Limits.Message = n.Budget
	child.Budget = 0
	return &child
}

// narrowed returns the runner of a sub-agent. elsewhere is that of its place, or nil.
func narrowed(parent *toolcall.Runner, n team.Narrowing, elsewhere *toolcall.Runner) *toolcall.Runner {
	own := parent
	if elsewhere != nil {
		own = elsewhere
	}
	r := *own
	r.Hooks = parent.Hooks
	has := parent.Tools
	r.Tools = own.Tools.Only(func(t *tool.Tool) bool {
		return has.Get(t.Name) != nil && n.Allows(t.Name)
	})
	r.Mode = min(parent.Mode, own.Mode, n.Mode)
	r.Now = nil
	if parent.Now != nil || own.Now != nil {
		r.Now = func() (guard.Mode, string) {
			mode, epoch := modeOf(parent)
			if own != parent {
				m, e := modeOf(own)
				mode, epoch = min(mode, m), epoch+" "+e
			}
			return min(mode, n.Mode), epoch
		}
	}
	guards := []guard.Guard{orAsk(parent.Guard)}
	if n.Guard != nil {
		guards = append(guards, n.Guard)
	}
	if own != parent {
		guards = append(guards, orAsk(own.Guard))
		r.Observer = parent.Observer
	}
	if r.Guard = guards[0]; len(guards) > 1 {
		r.Guard = guard.All{Guards: guards}
	}
	return &r
}

// orAsk returns a guard that asks where there is none.
func orAsk(g guard.Guard) guard.Guard {
	if g == nil {
		return guard.All{}
	}
	return g
}

// modeOf returns the mode and the epoch that hold now.
func modeOf(r *toolcall.Runner) (guard.Mode, string) {
	if r.Now != nil {
		return r.Now()
	}
	return r.Mode, r.Epoch
}
