package agent

import (
	"context"
	"iter"
	"slices"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// SubAgents are the sub-agents of a session: what its tools start, ask and stop.
type SubAgents struct{ session *Session }

// SubAgents returns the session's sub-agents.
func (s *Session) SubAgents() SubAgents { return SubAgents{s} }

// List returns the sub-agents of the session, the oldest first.
func (a SubAgents) List() []SubAgentState {
	s := a.session
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]SubAgentState, len(s.subAgents.all))
	for i, c := range s.subAgents.all {
		all[i] = SubAgentState{Report: c.report(), Working: c.working, Reported: c.reported}
		if c.session != nil && c.working {
			all[i].Usage = c.usage.Plus(c.session.Usage())
		}
	}
	return all
}

// Tell gives a sub-agent a message: one that works reads it with its next request, one that has finished continues in its session,
// in the background. The id is that of its session. begun reports whether it began to work again.
func (a SubAgents) Tell(call, name, text string) (id string, begun bool, err error) {
	s := a.session
	r, err := s.mayStart()
	if err != nil {
		return "", false, err
	}
	c, err := s.subAgent(name)
	if err != nil {
		return "", false, err
	}
	s.mu.Lock()
	working, session, ended, stop, last := c.working, c.session, c.ended, c.stop, c.call
	s.mu.Unlock()
	switch {
	case last == call:
		return c.id, true, nil // after a restart: it has the message
	case stop == event.Waiting:
		return c.id, false, &tool.Error{Text: "The sub-agent waits for an approval of the user.", Hint: "Wait until the user has answered."}
	case working && s.options.Elsewhere != nil:
		return c.id, false, s.options.Elsewhere.Tell(r.ctx, c.id, text)
	case working && session == nil:
		return c.id, false, &tool.Error{Text: "The sub-agent has not begun: it waits for others to finish.", Hint: "Send the message later."}
	case working:
		if err := session.Steer(model.Text(text)); err == nil {
			return c.id, false, nil
		}
		<-ended // it is at its end
	}
	s.mu.Lock()
	c.call, c.task.Task, c.task.Background, c.task.Item = call, text, true, 0
	s.mu.Unlock()
	if err := r.assign(c); err != nil {
		return c.id, false, err
	}
	r.launch(c)
	return c.id, true, nil
}

// Stop ends the work of a sub-agent and returns its report.
func (a SubAgents) Stop(ctx context.Context, name string) (Report, error) {
	s := a.session
	c, err := s.subAgent(name)
	if err != nil {
		return Report{}, err
	}
	s.mu.Lock()
	cancel, ended, working := c.cancel, c.ended, c.working
	if !working && c.stop == event.Waiting {
		c.stop = event.Cancelled
	}
	s.mu.Unlock()
	if working && cancel == nil {
		return Report{}, &tool.Error{Text: "The sub-agent has not begun.", Hint: "Try again."}
	}
	if working {
		cancel()
		select {
		case <-ended:
		case <-ctx.Done():
			return Report{}, context.Cause(ctx)
		}
	}
	s.markReported(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.report(), nil
}

// Await waits until the named sub-agents, or all, have stopped working, and returns their states. When ctx ends first it
// returns their states at that moment.
func (a SubAgents) Await(ctx context.Context, names []string) ([]SubAgentState, error) {
	s := a.session
	var wanted []*child
	for _, name := range names {
		c, err := s.subAgent(name)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, c)
	}
	s.mu.Lock()
	if len(names) == 0 {
		wanted = s.subAgents.filter(func(c *child) bool { return c.task.Background && !c.reported })
	}
	var working []chan struct{}
	for _, c := range wanted {
		if c.working {
			working = append(working, c.ended)
		}
	}
	s.mu.Unlock()
	for _, ended := range working {
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
	all := a.List()
	return slices.DeleteFunc(all, func(st SubAgentState) bool {
		return !slices.ContainsFunc(wanted, func(c *child) bool { return c.id == st.ID })
	}), nil
}

// Reported notes that the reply to a call gives the model the reports of these sub-agents: they are not given again.
func (a SubAgents) Reported(r *tool.Reply, ids ...string) {
	s := a.session
	s.mu.Lock()
	for _, c := range s.subAgents.all {
		c.reported = c.reported || slices.Contains(ids, c.id)
	}
	s.mu.Unlock()
	r.Show(reportsTaken{ids})
}

// Unfinished reports whether background sub-agents were suspended or cut off: Resume and Send continue them.
func (a SubAgents) Unfinished() bool {
	s := a.session
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.subAgents.unfinished()) > 0
}

// reportsTaken is the detail of a result that has the reports of background sub-agents.
type reportsTaken struct {
	Reported []string `json:"sub_agents_reported"` // ids
}

// Events returns what is recorded of a sub-agent of the session; nothing where nothing is recorded.
func (a SubAgents) Events(id string) iter.Seq2[event.Event, error] {
	s := a.session
	c, err := s.subAgent(id)
	if err != nil || s.options.Past == nil {
		return func(func(event.Event, error) bool) {}
	}
	return s.options.Past(c.id)
}
