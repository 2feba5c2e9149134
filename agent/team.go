package agent

import (
	"context"
	"path"
	"slices"

	"rein/agent/budget"
	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/schema"
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
	// Tools gives the tools through which the model of a session works with sub-agents. Their Run uses Session.Serve,
	// Session.Launch and the other methods for sub-agents.
	Tools(s *Session) []*tool.Tool
	// Narrow gives how a sub-agent differs from its parent. id is that of its session. It is also called when a session that
	// was read back continues.
	Narrow(ctx context.Context, parent *Agent, id string, sub event.SubAgent) (Narrowing, error)
}

// Narrowing is how a sub-agent differs from its parent. It can only take rights away: the sub-agent has the parent's guard,
// approver, sandbox and budget, whatever is set here. The zero value only reads.
type Narrowing struct {
	System   string         // follows the parent's system prompt
	Model    model.Model    // nil: the parent's
	Effort   string         // "": the parent's
	Tools    []string       // names of tools, with the wildcards of path.Match; nil: all that the parent has
	Without  []string       // of these tools none, also with wildcards
	Mode     guard.Mode     // at most
	Guard    guard.Guard    // asked beside the parent's; may be nil
	MaxTurns int            // 0: as the parent
	Budget   budget.Amount  // at most, of what the parent has left
	Answer   *schema.Schema // the last answer is a JSON value that fits it; nil: any text

	// Calls runs the calls of a sub-agent that works in another directory. It is used for the tools that the parent has too,
	// and the parent's guard and mode hold beside its own. Nil: the parent's runner.
	Calls *toolcall.Runner

	// Done is called when a task has ended, and not when the sub-agent waits for an approval. The text follows the report.
	Done func(stop event.Stop) string
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

// narrow gives the agent of a sub-agent. It is the one place where they are made: what a sub-agent may do is what its parent
// may do, less what n takes away.
func (a *Agent) narrow(n Narrowing) *Agent {
	child := *a
	child.Calls = narrowed(a.runner(), n)
	if n.System != "" {
		child.System = a.System + "\n\n" + n.System
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
	child.allows = func(name string) bool { return (above == nil || above(name)) && n.allows(name) }
	child.Answer = n.Answer
	child.Limits.Message = n.Budget
	child.Budget = 0
	return &child
}

// narrowed gives the runner of a sub-agent.
func narrowed(parent *toolcall.Runner, n Narrowing) *toolcall.Runner {
	own := parent
	if n.Calls != nil {
		own = n.Calls
	}
	r := *own
	r.Hooks = parent.Hooks
	has := parent.Tools
	r.Tools = own.Tools.Only(func(t *tool.Tool) bool {
		return has.Get(t.Name) != nil && n.allows(t.Name)
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

// orAsk gives a guard that asks where there is none.
func orAsk(g guard.Guard) guard.Guard {
	if g == nil {
		return guard.All{}
	}
	return g
}

// modeOf gives the mode and the epoch that hold now.
func modeOf(r *toolcall.Runner) (guard.Mode, string) {
	if r.Now != nil {
		return r.Now()
	}
	return r.Mode, r.Epoch
}

// allows reports whether a sub-agent may have a tool of its parent.
func (n Narrowing) allows(name string) bool {
	matches := func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}
	return (n.Tools == nil || slices.ContainsFunc(n.Tools, matches)) && !slices.ContainsFunc(n.Without, matches)
}
