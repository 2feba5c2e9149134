package agent

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"rein/agent/budget"
	"rein/agent/team"
	"rein/event"
	"rein/model"
	"rein/tool"
)

// give records a task and takes the sub-agent into the session.
func (r *run) give(c *child) error {
	e := []event.Event{{Kind: event.SubAgentStarted, Call: r.refTo(c.call), Child: c.id, SubAgent: &c.task}}
	r.mu.Lock()
	r.stamp(&e[0])
	over := r.running != r
	r.mu.Unlock()
	if over {
		return ErrIdle
	}
	if err := r.recorder.Append(e...); err != nil {
		return fmt.Errorf("the sub-agent cannot be recorded, so it did not run: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.seq, c.stop, c.text, c.given, c.reported = e[0].Seq, "", "", false, false
	if all := r.subAgents.all; !slices.Contains(all, c) {
		r.subAgents.all = append(all[:len(all):len(all)], c)
	}
	return nil
}

// refTo returns the id and the name of a call of the open answer.
func (r *run) refTo(call string) *tool.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	ref := &tool.Call{ID: call}
	if r.open != nil {
		ref.Name = r.open.nameOf(call)
	}
	return ref
}

// attend works on the task of a sub-agent until it ends or is suspended, unless it has ended already.
func (r *run) attend(ctx context.Context, c *child, sharers int) team.Report {
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
	if err := r.prepare(ctx, c); err != nil {
		return failed(err)
	}
	sub := c.session
	if err := sub.openJournal(); err != nil {
		return failed(fmt.Errorf("the sub-agent cannot be recorded, so it did not run: %w", err))
	}
	defer sub.closeJournal()
	own := r.spent.account()
	if err := own.Take(ctx, budget.Amount{SubAgents: 1}); err != nil {
		return failed(fmt.Errorf("the sub-agent did not start: %w", err))
	}
	own.Spend(budget.Amount{SubAgents: 1}, budget.Amount{SubAgents: 1})
	account := own.Share("the sub-agent "+c.task.Agent, sub.Agent().message(), sharers)
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
func (r *run) childStopped(c *child, e event.Event, usage event.Usage) team.Report {
	if e.Stop == "" {
		e.Stop = event.Cancelled
	}
	text := e.Text
	if e.Stop != event.Waiting && c.finished != nil {
		if more := c.finished(e.Stop); more != "" {
			text += "\n\n" + more
		}
	}
	about := event.Event{Kind: event.SubAgentStopped, Call: r.refTo(c.call), Child: c.id, Stop: e.Stop, Usage: &usage, Text: text}
	r.mu.Lock()
	r.stamp(&about)
	r.mu.Unlock()
	if err := r.recorder.Append(about); err != nil {
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
