package agent

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

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
	// Tools returns the tools through which the model of a session works with sub-agents.
	Tools(s *Session) []*tool.Tool
	// Narrow returns how a sub-agent differs from its parent, which has these tools. id is that of its session. It is also called
	// when a session that was read back continues.
	Narrow(ctx context.Context, tools []string, id string, sub event.SubAgent) (Narrowing, error)
}

// Narrowing is how a sub-agent differs from its parent. It can only take rights away: the sub-agent has the parent's guard,
// approver, sandbox and budget, whatever is set here. The zero value only reads.
type Narrowing struct {
	System   string         // follows the parent's system prompt
	Model    model.Model    // nil: the parent's
	Effort   string         // "": the parent's
	Sampling model.Sampling // over the parent's, where it has the parent's model
	Tools    []string       // names of tools, with the wildcards of path.Match; nil: all that the parent has
	Without  []string       // of these tools none, also with wildcards
	Mode     guard.Mode     // at most
	Guard    guard.Guard    // asked beside the parent's; may be nil
	MaxTurns int            // 0: as the parent
	Budget   Amount         // at most, of what the parent has left
	Output   *schema.Schema // the last answer is a JSON value that fits it; nil: any text

	// Done is called when a task has ended, and not when the sub-agent waits for an approval. The text follows the report.
	Done func(stop event.Stop) string
}

// Allows reports whether a sub-agent may have a tool of its parent.
func (n Narrowing) Allows(name string) bool {
	return matches(n.Tools, name) && (len(n.Without) == 0 || !matches(n.Without, name))
}

// matches reports whether a list of names with wildcards has a name; nil has all.
func matches(patterns []string, name string) bool {
	return patterns == nil || slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// Place is where a sub-agent works that does not share its parent's workspace.
type Place struct {
	// Calls runs its calls. It is used for the tools that the parent has too, and the parent's guard and mode hold beside its
	// own. Nil: the parent's runner.
	Calls  *toolcall.Runner
	System string                  // what the model must know of it
	Done   func(event.Stop) string // see Narrowing
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

func orDefault[N int | time.Duration](n, otherwise N) N { return cmp.Or(max(n, 0), otherwise) }

// narrow returns the agent of a sub-agent. It is the one place where they are made: what a sub-agent may do is what its parent
// may do, less what n takes away.
func (a *Agent) narrow(n Narrowing, at Place) *Agent {
	child := *a
	child.Calls = narrowed(a.runner(), n, at.Calls)
	for _, more := range []string{n.System, at.System} {
		if more != "" {
			child.System += "\n\n" + more
		}
	}
	if n.Model != nil {
		child.Model, child.Fallback, child.Sampling = n.Model, nil, model.Sampling{}
	}
	child.Sampling = n.Sampling.Over(child.Sampling)
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
func narrowed(parent *toolcall.Runner, n Narrowing, elsewhere *toolcall.Runner) *toolcall.Runner {
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

// Report is what came of a task of a sub-agent.
type Report struct {
	ID       string // of the sub-agent's session
	SubAgent event.SubAgent
	Stop     event.Stop
	Text     string // the last answer, or why there is none
	Usage    event.Usage
}

// Failed reports whether there is no answer.
func (r Report) Failed() bool { return r.Stop != event.Done && r.Stop != event.Denied }

// maxReport is how many bytes of a report are given to the model without its asking.
const maxReport = 16 << 10

// Words returns a report as the model of the parent reads it. A long one is cut in the middle: agent_status has it whole.
func (r Report) Words() string {
	text := r.Text
	if len(text) > maxReport {
		half := maxReport / 2
		text = strings.ToValidUTF8(text[:half], "") + fmt.Sprintf("\n[… %d bytes left out: the status of the sub-agent has the whole report …]\n", len(text)-maxReport) +
			strings.ToValidUTF8(text[len(text)-half:], "")
	}
	return r.Heading() + "\n" + text
}

// Heading names the sub-agent and says how its task ended.
func (r Report) Heading() string {
	name := r.SubAgent.Agent
	if r.SubAgent.Name != "" {
		name += " " + fmt.Sprintf("%q", r.SubAgent.Name)
	}
	about := ""
	if r.SubAgent.About != "" {
		about = " (" + r.SubAgent.About + ")"
	}
	how := "has finished"
	if r.Failed() {
		how = "stopped: " + string(r.Stop)
	}
	return fmt.Sprintf("[Sub-agent %s%s, id %s, %s]", name, about, r.ID, how)
}

// SubAgentState is a sub-agent of a session as it is now.
type SubAgentState struct {
	Report
	Working  bool // Stop is empty; else it is how the last task ended, or event.Waiting
	Reported bool // the model has the report
}
