package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/event"
	"rein/tool"
)

// child is a sub-agent of a session. Its fields are guarded by the mutex of the parent session.
type child struct {
	id   string         // of its session
	task event.SubAgent // its last task
	call string         // of the parent, which gave it the task
	seq  int64          // number of the event in the parent's journal that has the task
	read int64          // the last event of its journal that was counted, where it works elsewhere

	session  *Session // nil: it is not in memory
	ready    bool     // session has the agent of this sub-agent: see Session.prepare
	begun    bool     // it has a session, in memory or recorded
	finished func(event.Stop) string

	working  bool
	stop     event.Stop // how the task ended; "": it has not
	text     string     // its report
	usage    event.Usage
	given    bool               // its session has the task
	reported bool               // the parent's model has the report
	cancel   context.CancelFunc // while it works
	ended    chan struct{}      // closed when it does not work any more
}

// over reports whether the task has ended. A suspended one has not.
func (c *child) over() bool { return c.stop != "" && c.stop != event.Waiting }

func (c *child) report() Report {
	return Report{ID: c.id, SubAgent: c.task, Stop: c.stop, Text: c.text, Usage: c.usage}
}

// subAgents are the sub-agents of a session. The session's mutex guards it.
type subAgents struct {
	all   []*child      // the oldest first
	slots chan struct{} // of those at work: see Limits.AtOnce
	wakes int           // reports that woke the model since the user's last message
}

func (a *subAgents) find(is func(*child) bool) *child {
	if i := slices.IndexFunc(a.all, is); i >= 0 {
		return a.all[i]
	}
	return nil
}

func (a *subAgents) filter(is func(*child) bool) (some []*child) {
	for _, c := range a.all {
		if is(c) {
			some = append(some, c)
		}
	}
	return some
}

// byID returns a sub-agent by the id of its session, or nil.
func (a *subAgents) byID(id string) *child {
	return a.find(func(c *child) bool { return id != "" && c.id == id })
}

// named returns the sub-agent of an id, the beginning of an id that only one has, or a name.
func (a *subAgents) named(name string) (*child, error) {
	for _, c := range slices.Backward(a.all) {
		if c.id == name || c.task.Name != "" && c.task.Name == name {
			return c, nil
		}
	}
	found := a.filter(func(c *child) bool { return len(name) >= 4 && strings.HasPrefix(c.id, name) })
	switch len(found) {
	case 0:
		return nil, &tool.Error{Text: fmt.Sprintf("No sub-agent of this session has the id or the name %q.", name), Hint: "agent_list names them."}
	case 1:
		return found[0], nil
	}
	return nil, &tool.Error{Text: fmt.Sprintf("More than one sub-agent has an id that begins with %q.", name)}
}

// inBackground reports whether background sub-agents are at work.
func (a *subAgents) inBackground() bool {
	return a.find(func(c *child) bool { return c.working && c.task.Background }) != nil
}

// unfinished are the background sub-agents that do not work although their tasks have not ended.
func (a *subAgents) unfinished() []*child {
	return a.filter(func(c *child) bool { return c.task.Background && !c.working && !c.over() })
}

// unreported are the background sub-agents whose tasks have ended, and whose reports the model does not have.
func (a *subAgents) unreported() []*child {
	return a.filter(func(c *child) bool { return c.task.Background && !c.working && c.over() && !c.reported })
}

// loaded are the sessions of the sub-agents that are in memory.
func (a *subAgents) loaded() (all []*Session) {
	for _, c := range a.all {
		if c.session != nil {
			all = append(all, c.session)
		}
	}
	return all
}

// subAgent returns a sub-agent by its id, the beginning of its id, or its name.
func (s *Session) subAgent(name string) (*child, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subAgents.named(name)
}

// childFor returns the sub-agent that serves a call, or nil.
func (s *Session) childFor(call string, item int) *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subAgents.find(func(c *child) bool { return c.call == call && c.task.Item == item })
}

// inBackground reports whether background sub-agents are at work.
func (s *Session) inBackground() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subAgents.inBackground()
}

// markReported notes that the model has the reports of sub-agents.
func (s *Session) markReported(children ...*child) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range children {
		c.reported = true
	}
}
