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

	"rein/agent/budget"
	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/schema"
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

// Depth gives how deep the session is: 0 for the user's, 1 for its sub-agents, …
func (s *Session) Depth() int { return s.o.Depth }

// Agent gives the agent of the session. It must not be changed.
func (s *Session) Agent() *Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent
}

// Serve runs sub-agents for a call, one for each task and several at once, and gives their reports by index. Run again after
// a suspension or a restart, it continues those that have not ended. An error of the kind Waiting means that one of them waits
// for an approval: the tool returns it, and the session is suspended.
func (s *Session) Serve(ctx context.Context, call string, tasks []event.SubAgent) ([]Report, error) {
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
	reports := make([]Report, len(tasks))
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
		return errors.New("sub-agents are started by calls of a session that is at work")
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

// give records a task and takes the sub-agent into the session. It gives the turn in which it did.
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

// refTo gives the id and the name of a call of the open turn.
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
func (s *Session) attend(ctx context.Context, w *work, c *child, sharers int) Report {
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
func (s *Session) stopped(w *work, c *child, e event.Event, usage event.Usage) Report {
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

func (c *child) report() Report {
	return Report{ID: c.id, SubAgent: c.sub, Stop: c.stop, Text: c.text, Usage: c.usage}
}

// prepare gives a sub-agent its session, with the agent that follows from the parent's.
func (s *Session) prepare(ctx context.Context, c *child) error {
	s.mu.Lock()
	parent, ready, session := s.agent, c.ready, c.session
	s.mu.Unlock()
	if ready {
		return nil
	}
	n, err := parent.Team.Narrow(ctx, parent, c.id, c.sub)
	if err == nil && c.sub.Schema != nil && n.Answer == nil {
		n.Answer, err = schema.Parse(c.sub.Schema)
	}
	if err != nil {
		return fmt.Errorf("the sub-agent %s cannot be started: %w", c.sub.Agent, err)
	}
	own := parent.narrow(n)
	switch {
	case session != nil:
		err = session.Use(own)
	case !c.begun:
		session = own.session(s.childOptions(c.id, c), s)
	default:
		session, err = s.reload(own, c)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.session, c.ready, c.begun, c.finished = session, true, true, n.Done
	return nil
}

// childOptions are the options of a sub-agent's session.
func (s *Session) childOptions(id string, c *child) SessionOptions {
	root := s.o.Root
	if root == "" {
		root = s.o.ID
	}
	return SessionOptions{ID: id, Child: s.o.Child, Past: s.o.Past, Root: root, Parent: s.o.ID, ParentCall: c.call, Depth: s.o.Depth + 1, Agent: c.sub.Agent}
}

// openJournal opens the journal of a sub-agent's session.
func (s *Session) openJournal() error {
	if s.o.Child == nil {
		return nil
	}
	j, err := s.o.Child(s.o.ID)
	s.o.Journal = j
	return err
}

// closeJournal closes the journal of a sub-agent's session. Every event that matters is on disk already.
func (s *Session) closeJournal() {
	if c, ok := s.o.Journal.(io.Closer); ok {
		c.Close()
	}
	s.o.Journal = nil
}

func (s *Session) accountNow() *budget.Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account
}

func (s *Session) setAccount(a *budget.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account = a
}

// loaded are the sessions of the sub-agents that are in memory. The caller holds mu.
func (s *Session) loaded() (all []*Session) {
	for _, c := range s.children {
		if c.session != nil {
			all = append(all, c.session)
		}
	}
	return all
}

func (s *Session) findChild(is func(*child) bool) *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.children, is); i >= 0 {
		return s.children[i]
	}
	return nil
}

// childOf gives the sub-agent that serves a call, or nil.
func (s *Session) childOf(call string, item int) *child {
	return s.findChild(func(c *child) bool { return c.call == call && c.sub.Item == item })
}

// heard notes that the model has the reports of sub-agents.
func (s *Session) heard(children ...*child) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range children {
		c.reported = true
	}
}
