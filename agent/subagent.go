package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rein/agent/team"
	"rein/event"
	"rein/journal"
	"rein/tool"
)

// Serve runs sub-agents for a call, one for each task and several at once, and returns their reports by index. Run again after
// a suspension or a restart, it continues those that have not ended. An error of the kind Waiting means that one of them waits
// for an approval: the tool returns it, and the session is suspended.
func (s *Session) Serve(ctx context.Context, call string, tasks []event.SubAgent) ([]team.Report, error) {
	r, err := s.mayStart()
	if err != nil {
		return nil, err
	}
	children := make([]*child, len(tasks))
	for i, task := range tasks {
		if children[i] = s.childFor(call, task.Item); children[i] == nil {
			children[i] = &child{id: journal.NewID(time.Now()), task: task, call: call}
			if err := r.give(children[i]); err != nil {
				return nil, err
			}
		}
	}
	reports := make([]team.Report, len(tasks))
	var all sync.WaitGroup
	for i, c := range children {
		all.Go(func() { reports[i] = r.attend(ctx, c, r.sharers(call, len(tasks)-i)) })
	}
	all.Wait()
	for _, report := range reports {
		if report.Stop == event.Waiting {
			return nil, &tool.Error{Kind: tool.Waiting, Text: "The sub-agent waits for an approval."}
		}
	}
	s.markReported(children...)
	return reports, nil
}

// mayStart returns the run in which sub-agents may start. It refuses those that would be too deep, or outside a run.
func (s *Session) mayStart() (*run, error) {
	if most := s.Agent().Limits.depth(); s.options.Depth >= most {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("Sub-agents may not be nested deeper than %d.", most)}
	}
	r := s.current()
	if r == nil {
		return nil, errors.New("sub-agents are started by calls of a session that is running a turn")
	}
	return r, nil
}

// sharers is for how many sub-agents the rest of the budget has to last: those of the call that come after, and those of the
// other calls of the answer that have not begun.
func (r *run) sharers(call string, more int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		return more
	}
	name := r.open.nameOf(call)
	for _, c := range r.open.message.Calls() {
		begun := r.subAgents.find(func(have *child) bool { return have.call == c.ID }) != nil
		if c.Name == name && !begun {
			more++
		}
	}
	return more
}
