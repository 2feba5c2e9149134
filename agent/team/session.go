package team

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"rein/agent/budget"
	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/schema"
	"rein/tool"
)

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
	Output   *schema.Schema // the last answer is a JSON value that fits it; nil: any text

	// Done is called when a task has ended, and not when the sub-agent waits for an approval. The text follows the report.
	Done func(stop event.Stop) string
}

// Allows reports whether a sub-agent may have a tool of its parent.
func (n Narrowing) Allows(name string) bool {
	return matches(n.Tools, name) && (len(n.Without) == 0 || !matches(n.Without, name))
}

// Session is what the tools for sub-agents need of the session that starts them: an agent.Session.
type Session interface {
	// Launch starts the task of a call in the background and returns the id of the sub-agent's session.
	Launch(call string, task event.SubAgent) (id string, err error)
	// Serve runs the tasks of a call and returns their reports in the same order.
	Serve(ctx context.Context, call string, tasks []event.SubAgent) ([]Report, error)
	// SubAgents returns the sub-agents of the session, the oldest first.
	SubAgents() []State
	// Await waits until the named sub-agents, or all, have stopped working, and returns their states. When ctx ends first it returns them as they are.
	Await(ctx context.Context, names []string) ([]State, error)
	// Tell gives a sub-agent a message. begun reports whether it began to work again.
	Tell(call, name, text string) (id string, begun bool, err error)
	// Stop ends the work of a sub-agent.
	Stop(ctx context.Context, name string) (Report, error)
	// Reported notes that the reply to a call gives the model the reports of these sub-agents.
	Reported(r *tool.Reply, ids ...string)
	// Events returns what is recorded of a sub-agent.
	Events(id string) iter.Seq2[event.Event, error]
}

// Report is what came of a task.
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

// State is a sub-agent of a session as it is now.
type State struct {
	Report
	Working  bool // Stop is empty; else it is how the last task ended, or event.Waiting
	Reported bool // the model has the report
}
