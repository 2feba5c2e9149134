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

// give records a task and takes the sub-agent into the session. It returns the turn in which it did.
func (s *Session) give(c *child) (*work, error) {
	e := event.Event{Kind: event.SubAgentStarted, Call: s.refTo(c.call), Child: c.id, SubAgent: &c.sub}
	s.mu.Lock()
	s.stamp(&e)
	s.mu.Unlock()
	events := []event.Event{e}
	w := s.turnNow()
	if w == nil {
		return nil, ErrIdle
	}
	if err := w.recorder.Append(events...); err != nil {
		return nil, fmt.Errorf("the sub-agent cannot be recorded, so it did not run: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.seq, c.stop, c.text, c.given, c.reported = events[0].Seq, "", "", false, false
	if !slices.Contains(s.children, c) {
		s.children = append(s.children[:len(s.children):len(s.children)], c)
	}
	return w, nil
}

// refTo returns the id and the name of a call of the open turn.
func (s *Session) refTo(call string) *tool.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref := &tool.Call{ID: call}
	if s.open != nil {
		for _, c := range s.open.asked.Calls() {
			if c.ID == call {
				ref.Name = c.Name
			}
		}
	}
	return ref
}

// attend works on the task of a sub-agent until it ends or is suspended, unless it has ended already.
func (s *Session) attend(ctx context.Context, w *work, c *child, sharers int) team.Report {
	s.mu.Lock()
	if c.over() {
		defer s.mu.Unlock()
		return c.report()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.begin()
	c.cancel = cancel
	s.mu.Unlock()
	stopped, usage := s.runChild(ctx, w, c, sharers)
	return s.stopped(w, c, stopped, usage)
}

// begin notes that a sub-agent is at work. The caller holds the mutex of the parent.
func (c *child) begin() {
	if c.working {
		return
	}
	c.working, c.stop, c.ended = true, "", make(chan struct{})
}

// runChild runs the session of a sub-agent until it stops.
func (s *Session) runChild(ctx context.Context, w *work, c *child, sharers int) (stopped event.Event, usage event.Usage) {
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
	release, err := s.slot(ctx)
	if err != nil {
		return failed(err)
	}
	defer release()
	if err := s.prepare(ctx, c); err != nil {
		return failed(err)
	}
	sub := c.session
	if err := sub.openJournal(); err != nil {
		return failed(fmt.Errorf("the sub-agent cannot be recorded, so it did not run: %w", err))
	}
	defer sub.closeJournal()
	mine := s.accountNow()
	if err := mine.Take(ctx, budget.Amount{SubAgents: 1}); err != nil {
		return failed(fmt.Errorf("the sub-agent did not start: %w", err))
	}
	mine.Spend(budget.Amount{SubAgents: 1}, budget.Amount{SubAgents: 1})
	account := mine.Share("the sub-agent "+c.sub.Agent, sub.Agent().message(), sharers)
	sub.setAccount(account)
	defer account.Close()
	before := sub.Usage()
	s.mu.Lock()
	has := c.given || c.seq > 0 && sub.task >= c.seq
	c.given = true
	s.mu.Unlock()
	for e := range sub.serve(ctx, c.sub.Task, c.seq, has) {
		w.relay.give(e, c.sub.Background)
		stopped = e
	}
	return stopped, sub.Usage().Minus(before)
}

// serve continues the session of a sub-agent: with the task, unless it has that already.
func (s *Session) serve(ctx context.Context, task string, seq int64, has bool) iter.Seq2[event.Event, error] {
	return s.loop(ctx, func(w *work) error {
		if has {
			w.resting = s.open == nil && s.ended == event.Waiting
			return nil
		}
		s.task = seq
		return w.prompt([]model.Part{model.Text(task)}, seq)
	})
}

// slot waits until fewer sub-agents are at work than may be.
func (s *Session) slot(ctx context.Context) (release func(), err error) {
	s.mu.Lock()
	if s.slots == nil {
		s.slots = make(chan struct{}, s.agent.Limits.atOnce())
	}
	slots := s.slots
	s.mu.Unlock()
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// stopped records that a sub-agent has stopped, and keeps its report.
func (s *Session) stopped(w *work, c *child, e event.Event, usage event.Usage) team.Report {
	if e.Stop == "" {
		e.Stop = event.Cancelled
	}
	text := e.Text
	if e.Stop != event.Waiting && c.finished != nil {
		if more := c.finished(e.Stop); more != "" {
			text += "\n\n" + more
		}
	}
	about := event.Event{Kind: event.SubAgentStopped, Call: s.refTo(c.call), Child: c.id, Stop: e.Stop, Usage: &usage, Text: text}
	s.mu.Lock()
	s.stamp(&about)
	s.mu.Unlock()
	if err := w.recorder.Append(about); err != nil {
		e.Stop, text = event.Failed, err.Error()
	}
	if e.Stop == event.Denied {
		w.relay.denied.Store(true)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.working, c.cancel, c.stop, c.text = false, nil, e.Stop, text
	c.usage = c.usage.Plus(usage)
	if c.over() && s.o.Past != nil {
		c.session, c.ready, c.finished = nil, false, nil
	}
	close(c.ended)
	w.relay.poke()
	return c.report()
}
