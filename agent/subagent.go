package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rein/agent/team"
	"rein/event"
	"rein/journal"
	"rein/tool"
)

// child is a sub-agent of a session. Its fields are guarded by the mutex of the parent session.
type child struct {
	id   string         // of its session
	sub  event.SubAgent // its last task
	call string         // of the parent, which gave it the task
	seq  int64          // number of the event in the parent's journal that has the task

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

func (c *child) report() team.Report {
	return team.Report{ID: c.id, SubAgent: c.sub, Stop: c.stop, Text: c.text, Usage: c.usage}
}

// allTools are the tools of the session: those of the runner and, where it may have sub-agents, those of the team.
func (s *Session) allTools() (tool.Set, error) {
	base := s.agent.runner().Tools
	if s.agent.Team == nil || s.o.Depth >= s.agent.Limits.depth() {
		return base, nil
	}
	var more []*tool.Tool
	for _, t := range s.agent.Team.Tools(s) {
		if s.agent.allows == nil || s.agent.allows(t.Name) {
			more = append(more, t)
		}
	}
	return base.Add(more...)
}

// Depth returns how deep the session is: 0 for the user's, 1 for its sub-agents, …
func (s *Session) Depth() int { return s.o.Depth }

// Agent returns the agent of the session. It must not be changed.
func (s *Session) Agent() *Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent
}

// Serve runs sub-agents for a call, one for each task and several at once, and returns their reports by index. Run again after
// a suspension or a restart, it continues those that have not ended. An error of the kind Waiting means that one of them waits
// for an approval: the tool returns it, and the session is suspended.
func (s *Session) Serve(ctx context.Context, call string, tasks []event.SubAgent) ([]team.Report, error) {
	if err := s.mayStart(); err != nil {
		return nil, err
	}
	children := make([]*child, len(tasks))
	for i, task := range tasks {
		if children[i] = s.childOf(call, task.Item); children[i] == nil {
			children[i] = &child{id: journal.NewID(time.Now()), sub: task, call: call}
			if _, err := s.give(children[i]); err != nil {
				return nil, err
			}
		}
	}
	reports := make([]team.Report, len(tasks))
	var all sync.WaitGroup
	w := s.turnNow()
	for i, c := range children {
		all.Go(func() { reports[i] = s.attend(ctx, w, c, s.sharers(call, len(tasks)-i)) })
	}
	all.Wait()
	for _, r := range reports {
		if r.Stop == event.Waiting {
			return nil, &tool.Error{Kind: tool.Waiting, Text: "The sub-agent waits for an approval."}
		}
	}
	s.heard(children...)
	return reports, nil
}

// mayStart refuses sub-agents that would be too deep, or outside a turn.
func (s *Session) mayStart() error {
	if most := s.Agent().Limits.depth(); s.o.Depth >= most {
		return &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("Sub-agents may not be nested deeper than %d.", most)}
	}
	if s.turnNow() == nil {
		return errors.New("sub-agents are started by calls of a session that is running a turn")
	}
	return nil
}

func (s *Session) turnNow() *work {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// sharers is for how many sub-agents the rest of the budget has to last: those of the call that come after, and those of the
// other calls of the turn that have not begun.
func (s *Session) sharers(call string, more int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		return more
	}
	var name string
	calls := s.open.asked.Calls()
	for _, c := range calls {
		if c.ID == call {
			name = c.Name
		}
	}
	for _, c := range calls {
		begun := slices.ContainsFunc(s.children, func(have *child) bool { return have.call == c.ID })
		if c.Name == name && !begun {
			more++
		}
	}
	return more
}
