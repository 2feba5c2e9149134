package agent

import (
	"context"
	"time"

	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/toolcall"
)

// Launch starts a sub-agent that the session does not wait for, for a call. The model gets its report with the next request,
// or is woken by it when it has nothing else to do. A turn ends when all its background sub-agents have stopped. Run again for
// the same call after a restart, it starts nothing new.
func (a SubAgents) Launch(call string, task event.SubAgent) (id string, err error) {
	s := a.session
	r, err := s.mayStart()
	if err != nil {
		return "", err
	}
	task.Background = true
	if c := s.childFor(call, task.Item); c != nil {
		return c.id, nil
	}
	c := &child{id: journal.NewID(time.Now()), task: task, call: call}
	if err := r.assign(c); err != nil {
		return "", err
	}
	r.launch(c)
	return c.id, nil
}

// launch works on a task in the background.
func (r *run) launch(c *child) {
	r.mu.Lock()
	c.begin()
	r.mu.Unlock()
	r.background.working.Go(func() { r.workOn(r.background.ctx, c, r.sharers(c.call, 1)) })
}

// resumeBackground continues the background sub-agents that were suspended or cut off.
func (r *run) resumeBackground() {
	r.mu.Lock()
	all := r.subAgents.unfinished()
	r.mu.Unlock()
	for _, c := range all {
		r.launch(c)
	}
}

// endBackground ends the background sub-agents of the run. Those of a suspended one continue until they end or are suspended too.
func (r *run) endBackground(suspended bool) {
	if !suspended {
		r.background.cancel(nil)
	}
	idle := make(chan struct{})
	go func() {
		r.background.working.Wait()
		close(idle)
	}()
	r.events.drainUntil(idle)
}

// awaitMore delivers what the model gets after an answer without calls: a message of the user, or reports of sub-agents.
// While background sub-agents are at work it waits for one of these.
func (r *run) awaitMore() (more bool, err error) {
	for {
		if more, err := r.deliver(true); more || err != nil {
			return more, err
		}
		r.mu.Lock()
		working, suspended := r.subAgents.inBackground(), r.subAgents.unfinished()
		r.mu.Unlock()
		switch {
		case working:
		case len(suspended) > 0:
			pending := &toolcall.Pending{}
			for _, c := range suspended {
				pending.Calls = append(pending.Calls, c.id)
			}
			return false, pending
		default:
			return false, nil
		}
		select {
		case <-r.events.ready:
			r.events.drain()
		case <-r.ctx.Done():
			return false, context.Cause(r.ctx)
		}
	}
}

// deliverReports gives the model the reports of background sub-agents. wakes means that it has nothing else to do. The last report
// that may wake it waits for all others.
func (r *run) deliverReports(wakes bool) (delivered bool, err error) {
	r.mu.Lock()
	ready := r.subAgents.unreported()
	left := r.agent.Limits.wakes() - r.subAgents.wakes
	if wakes && (left <= 0 || left == 1 && r.subAgents.inBackground()) {
		ready = nil
	}
	if wakes && len(ready) > 0 {
		r.subAgents.wakes++
	}
	r.mu.Unlock()
	for _, c := range ready {
		text := c.report().Words()
		if err := r.keep(event.Event{Kind: event.Hinted, Text: text, Child: c.id}, model.UserText(text)); err != nil {
			return delivered, err
		}
		r.markReported(c)
		delivered = true
	}
	return delivered, nil
}
