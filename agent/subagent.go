package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/schema"
	"rein/tool"
)

// Serve runs sub-agents for a call, one for each task and several at once, and returns their reports by index. Run again after
// a suspension or a restart, it continues those that have not ended. An error of the kind Waiting means that one of them waits
// for an approval: the tool returns it, and the session is suspended.
func (a SubAgents) Serve(ctx context.Context, call string, tasks []event.SubAgent) ([]Report, error) {
	s := a.session
	r, err := s.mayStart()
	if err != nil {
		return nil, err
	}
	children := make([]*child, len(tasks))
	for i, task := range tasks {
		if children[i] = s.childFor(call, task.Item); children[i] == nil {
			children[i] = &child{id: journal.NewID(time.Now()), task: task, call: call}
			if err := r.assign(children[i]); err != nil {
				return nil, err
			}
		}
	}
	reports := make([]Report, len(tasks))
	var all sync.WaitGroup
	for i, c := range children {
		all.Go(func() { reports[i] = r.workOn(ctx, c, r.sharers(call, len(tasks)-i)) })
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

// prepare gives a sub-agent its session, with the agent that follows from the parent's.
func (s *Session) prepare(ctx context.Context, c *child) error {
	s.mu.Lock()
	ready, session := c.ready, c.session
	s.mu.Unlock()
	if ready {
		return nil
	}
	own, finished, err := s.agentOf(ctx, c)
	if err != nil {
		return err
	}
	switch {
	case session != nil:
		err = session.Use(own)
	case !c.begun:
		session = own.session(s.options.child(c), s)
	default:
		session, err = s.reload(own, c)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.session, c.ready, c.begun, c.finished = session, true, true, finished
	return nil
}

// agentOf makes the agent of a sub-agent, which follows from the parent's. finished is called when a task has ended; it may be nil.
func (s *Session) agentOf(ctx context.Context, c *child) (own *Agent, finished func(event.Stop) string, err error) {
	parent := s.Agent()
	var place Place
	n, err := parent.Team.Narrow(ctx, parent.runner().Tools.Names(), c.id, c.task)
	if err == nil && c.task.Schema != nil && n.Output == nil {
		n.Output, err = schema.Parse(c.task.Schema)
	}
	if err == nil {
		place, err = parent.place(ctx, c.id, c.task)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the sub-agent %s cannot be started: %w", c.task.Agent, err)
	}
	if finished = n.Done; place.Done != nil {
		finished = place.Done
	}
	return parent.narrow(n, place), finished, nil
}

// openJournal opens the journal of a sub-agent's session. Every event that matters is on disk when it is closed.
func (s *Session) openJournal() (done func(), err error) {
	if s.options.Child != nil {
		s.options.Journal, err = s.options.Child(s.options.ID)
	}
	return func() {
		if c, ok := s.options.Journal.(io.Closer); ok {
			c.Close()
		}
		s.options.Journal = nil
	}, err
}

// assign records a task and takes the sub-agent into the session.
func (r *run) assign(c *child) error {
	if r.current() != r {
		return ErrIdle
	}
	seq, err := r.recordTask(c, event.Event{Kind: event.SubAgentStarted, SubAgent: &c.task})
	if err != nil {
		return fmt.Errorf("the sub-agent cannot be recorded, so it did not run: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.seq, c.stop, c.text, c.given, c.reported = seq, "", "", false, false
	if all := r.subAgents.all; !slices.Contains(all, c) {
		r.subAgents.all = append(all[:len(all):len(all)], c)
	}
	return nil
}

// recordTask records an event about the task of a sub-agent, from any goroutine.
func (r *run) recordTask(c *child, e event.Event) (seq int64, err error) {
	e.Child, e.Call = c.id, &tool.Call{ID: c.call}
	r.mu.Lock()
	if r.open != nil {
		e.Call.Name = r.open.nameOf(c.call)
	}
	r.stamp(&e)
	r.mu.Unlock()
	events := []event.Event{e}
	err = r.recorder.Append(events...)
	return events[0].Seq, err
}

// workOn works on the task of a sub-agent until it ends or is suspended, unless it has ended already.
func (r *run) workOn(ctx context.Context, c *child, sharers int) Report {
	r.mu.Lock()
	if c.over() {
		defer r.mu.Unlock()
		return c.report()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.begin()
	c.cancel = cancel
	r.mu.Unlock()
	stopped, usage := r.runChild(ctx, c, sharers)
	if GoesOn(ctx) {
		r.mu.Lock()
		defer r.mu.Unlock()
		c.working, c.cancel = false, nil
		close(c.ended)
		return c.report()
	}
	return r.childStopped(c, stopped, usage)
}

// begin notes that a sub-agent is at work. The caller holds the mutex of the parent.
func (c *child) begin() {
	if c.working {
		return
	}
	c.working, c.stop, c.ended = true, "", make(chan struct{})
}

// runChild runs the session of a sub-agent until it stops.
func (r *run) runChild(ctx context.Context, c *child, sharers int) (stopped event.Event, usage event.Usage) {
	defer func() {
		if p := recover(); p != nil {
			stopped = event.Event{Kind: event.Stopped, Stop: event.Failed, Text: fmt.Sprintf("the sub-agent failed with an internal error: %v", p)}
		}
	}()
	failed := func(err error) (event.Event, event.Usage) {
		stop := event.Event{Kind: event.Stopped, Stop: event.Failed, Text: err.Error()}
		if ctx.Err() != nil {
			stop.Stop = event.Cancelled
		}
		return stop, usage
	}
	release, err := r.slot(ctx)
	if err != nil {
		return failed(err)
	}
	defer release()
	if r.options.Elsewhere != nil {
		stopped, usage, err = elsewhere(ctx, r, c, sharers)
		if err != nil {
			return failed(err)
		}
		return stopped, usage
	}
	if err := r.prepare(ctx, c); err != nil {
		return failed(err)
	}
	sub := c.session
	done, err := sub.openJournal()
	if err != nil {
		return failed(fmt.Errorf("the sub-agent cannot be recorded, so it did not run: %w", err))
	}
	defer done()
	account, err := shareOf(ctx, r, c, sub.Agent(), sharers)
	if err != nil {
		return failed(err)
	}
	sub.spent.setAccount(account)
	defer account.Close()
	before := sub.Usage()
	r.mu.Lock()
	has := c.given || c.seq > 0 && sub.task >= c.seq
	c.given = true
	r.mu.Unlock()
	for e := range sub.serve(ctx, c.task.Task, c.seq, has) {
		r.events.give(e, c.task.Background)
		stopped = e
	}
	return stopped, sub.Usage().Minus(before)
}

// shareOf takes what a sub-agent may spend from its parent's account.
func shareOf(ctx context.Context, r *run, c *child, own *Agent, sharers int) (*Account, error) {
	all := r.spent.account()
	if err := all.Take(ctx, Amount{SubAgents: 1}); err != nil {
		return nil, fmt.Errorf("the sub-agent did not start: %w", err)
	}
	all.Spend(Amount{SubAgents: 1}, Amount{SubAgents: 1})
	return all.Share("the sub-agent "+c.task.Agent, own.message(), sharers), nil
}

// serve continues the session of a sub-agent: with the task, unless it has that already.
func (s *Session) serve(ctx context.Context, task string, seq int64, has bool) iter.Seq2[event.Event, error] {
	return s.run(ctx, func(r *run) error {
		if has {
			r.answered = s.open == nil && s.lastStop == event.Waiting
			return nil
		}
		s.task = seq
		return r.prompt([]model.Part{model.Text(task)}, seq)
	})
}

// slot waits until fewer sub-agents are at work than may be.
func (s *Session) slot(ctx context.Context) (release func(), err error) {
	s.mu.Lock()
	if s.subAgents.slots == nil {
		s.subAgents.slots = make(chan struct{}, s.agent.Limits.atOnce())
	}
	slots := s.subAgents.slots
	s.mu.Unlock()
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// childStopped records that a sub-agent has stopped, and keeps its report.
func (r *run) childStopped(c *child, e event.Event, usage event.Usage) Report {
	if e.Stop == "" {
		e.Stop = event.Cancelled
	}
	text := e.Text
	if e.Stop != event.Waiting && c.finished != nil {
		if more := c.finished(e.Stop); more != "" {
			text += "\n\n" + more
		}
	}
	if _, err := r.recordTask(c, event.Event{Kind: event.SubAgentStopped, Stop: e.Stop, Usage: &usage, Text: text}); err != nil {
		e.Stop, text = event.Failed, err.Error()
	}
	if e.Stop == event.Denied {
		r.unapproved.Store(true)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.working, c.cancel, c.stop, c.text = false, nil, e.Stop, text
	c.usage = c.usage.Plus(usage)
	if c.over() && r.options.Past != nil {
		c.session, c.ready, c.finished = nil, false, nil
	}
	close(c.ended)
	r.events.poke()
	return c.report()
}
