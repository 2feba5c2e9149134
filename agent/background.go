package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/agent/team"
	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// Launch starts a sub-agent that the session does not wait for, for a call. The model gets its report with the next request,
// or is woken by it when it has nothing else to do. A turn ends when all its background sub-agents have stopped. Run again for
// the same call after a restart, it starts nothing new.
func (s *Session) Launch(call string, task event.SubAgent) (id string, err error) {
	if err := s.mayStart(); err != nil {
		return "", err
	}
	task.Background = true
	if c := s.childOf(call, task.Item); c != nil {
		return c.id, nil
	}
	c := &child{id: journal.NewID(time.Now()), sub: task, call: call}
	w, err := s.give(c)
	if err != nil {
		return "", err
	}
	s.launch(w, c)
	return c.id, nil
}

// launch works on a task in the background of a turn.
func (s *Session) launch(w *work, c *child) {
	s.mu.Lock()
	c.begin()
	s.mu.Unlock()
	w.helpers.Go(func() { s.attend(w.background, w, c, s.sharers(c.call, 1)) })
}

// restart continues the background sub-agents that were suspended or cut off.
func (w *work) restart() {
	w.mu.Lock()
	all := w.unfinished()
	w.mu.Unlock()
	for _, c := range all {
		w.launch(w, c)
	}
}

// unfinished are the background sub-agents that do not work although their tasks have not ended. The caller holds mu.
func (s *Session) unfinished() (all []*child) {
	for _, c := range s.children {
		if c.sub.Background && !c.working && !c.over() {
			all = append(all, c)
		}
	}
	return all
}

// helping reports whether background sub-agents are at work.
func (s *Session) helping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.helped()
}

// helped is helping for a caller that holds mu.
func (s *Session) helped() bool {
	return slices.ContainsFunc(s.children, func(c *child) bool { return c.working && c.sub.Background })
}

// settle ends the background sub-agents of a turn. Those of a suspended one continue until they end or are suspended too.
func (w *work) settle(suspended bool) {
	if !suspended {
		w.dismiss()
	}
	idle := make(chan struct{})
	go func() {
		w.helpers.Wait()
		close(idle)
	}()
	for {
		select {
		case <-w.relay.ready:
			w.drain()
		case <-idle:
			w.drain()
			w.unapproved = w.unapproved || w.relay.denied.Load()
			return
		}
	}
}

// next decides what follows an answer without calls: a message of the user, a report of a sub-agent, or the end of the turn.
// While background sub-agents are at work it waits for one of these.
func (w *work) next() (more bool, err error) {
	for {
		if more, err := w.deliver(true); more || err != nil {
			return more, err
		}
		w.mu.Lock()
		helped, suspended := w.helped(), w.unfinished()
		w.mu.Unlock()
		switch {
		case helped:
		case len(suspended) > 0:
			pending := &toolcall.Pending{}
			for _, c := range suspended {
				pending.Calls = append(pending.Calls, c.id)
			}
			return false, pending
		default:
			w.unapproved = w.unapproved || w.relay.denied.Load()
			return false, nil
		}
		select {
		case <-w.relay.ready:
			w.drain()
		case <-w.ctx.Done():
			return false, context.Cause(w.ctx)
		}
	}
}

// hearReports gives the model the reports of background sub-agents. wakes means that it has nothing else to do. The last report
// that may wake it waits for all others.
func (w *work) hearReports(wakes bool) (heard bool, err error) {
	w.mu.Lock()
	var ready []*child
	for _, c := range w.children {
		if c.sub.Background && !c.working && c.over() && !c.reported {
			ready = append(ready, c)
		}
	}
	left := w.agent.Limits.wakes() - w.wakes
	if wakes && (left <= 0 || left == 1 && w.helped()) {
		ready = nil
	}
	if wakes && len(ready) > 0 {
		w.wakes++
	}
	w.mu.Unlock()
	for _, c := range ready {
		text := c.report().Words()
		if err := w.keep(event.Event{Kind: event.Hinted, Text: text, Child: c.id}, model.UserText(text)); err != nil {
			return heard, err
		}
		w.heard(c)
		heard = true
	}
	return heard, nil
}

// SubAgents returns the sub-agents of the session, the oldest first.
func (s *Session) SubAgents() []team.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]team.State, len(s.children))
	for i, c := range s.children {
		all[i] = team.State{Report: c.report(), Working: c.working, Heard: c.reported}
		if c.session != nil && c.working {
			all[i].Usage = c.usage.Plus(c.session.Usage())
		}
	}
	return all
}

// find returns the sub-agent of an id, the beginning of an id that only one has, or a name.
func (s *Session) find(name string) (*child, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *child
	for _, c := range slices.Backward(s.children) {
		switch {
		case c.id == name, c.sub.Name != "" && c.sub.Name == name:
			return c, nil
		}
	}
	for _, c := range s.children {
		if len(name) >= 4 && strings.HasPrefix(c.id, name) {
			if found != nil {
				return nil, &tool.Error{Text: fmt.Sprintf("More than one sub-agent has an id that begins with %q.", name)}
			}
			found = c
		}
	}
	if found == nil {
		return nil, &tool.Error{Text: fmt.Sprintf("No sub-agent of this session has the id or the name %q.", name), Hint: "agent_list names them."}
	}
	return found, nil
}

// Tell gives a sub-agent a message: one that works reads it with its next request, one that has finished continues in its session,
// in the background. The id is that of its session. begun reports whether it began to work again.
func (s *Session) Tell(call, name, text string) (id string, begun bool, err error) {
	if err := s.mayStart(); err != nil {
		return "", false, err
	}
	c, err := s.find(name)
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
	case working && session == nil:
		return c.id, false, &tool.Error{Text: "The sub-agent has not begun: it waits for others to finish.", Hint: "Send the message later."}
	case working:
		if err := session.Steer(model.Text(text)); err == nil {
			return c.id, false, nil
		}
		<-ended // it is at its end
	}
	s.mu.Lock()
	c.call, c.sub.Task, c.sub.Background, c.sub.Item = call, text, true, 0
	s.mu.Unlock()
	w, err := s.give(c)
	if err != nil {
		return c.id, false, err
	}
	s.launch(w, c)
	return c.id, true, nil
}

// Stop ends the work of a sub-agent and returns its report.
func (s *Session) Stop(ctx context.Context, name string) (team.Report, error) {
	c, err := s.find(name)
	if err != nil {
		return team.Report{}, err
	}
	s.mu.Lock()
	cancel, ended, working := c.cancel, c.ended, c.working
	if !working && c.stop == event.Waiting {
		c.stop = event.Cancelled
	}
	s.mu.Unlock()
	if working && cancel == nil {
		return team.Report{}, &tool.Error{Text: "The sub-agent has not begun.", Hint: "Try again."}
	}
	if working {
		cancel()
		select {
		case <-ended:
		case <-ctx.Done():
			return team.Report{}, context.Cause(ctx)
		}
	}
	s.heard(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.report(), nil
}

// Await waits until the named sub-agents, or all, have stopped working, and returns their states. When ctx ends first it
// returns their states at that moment.
func (s *Session) Await(ctx context.Context, names []string) ([]team.State, error) {
	var wanted []*child
	for _, name := range names {
		c, err := s.find(name)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, c)
	}
	s.mu.Lock()
	if len(names) == 0 {
		for _, c := range s.children {
			if c.sub.Background && !c.reported {
				wanted = append(wanted, c)
			}
		}
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
	all := s.SubAgents()
	return slices.DeleteFunc(all, func(st team.State) bool {
		return !slices.ContainsFunc(wanted, func(c *child) bool { return c.id == st.ID })
	}), nil
}

// Heard notes that the reply to a call gives the model the reports of these sub-agents: they are not given again.
func (s *Session) Heard(r *tool.Reply, ids ...string) {
	for _, id := range ids {
		if c := s.childByID(id); c != nil {
			s.heard(c)
		}
	}
	r.Show(reportsTaken{ids})
}

// Unfinished reports whether background sub-agents were suspended or cut off: Resume and Send continue them.
func (s *Session) Unfinished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.unfinished()) > 0
}
