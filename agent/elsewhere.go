package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"rein/event"
	"rein/model"
)

// Elsewhere has sub-agents done as sessions of their own, by steps that may be in other processes: see LoadSubAgent. What a sub-agent did is
// read from its journal. The methods may be called at once.
type Elsewhere interface {
	// Work has a sub-agent work on a task until it stops or is suspended. Called again for the same task, as after a restart, it waits for what
	// is at work already. Where ctx ends it stops the sub-agent, and returns when that has stopped; unless GoesOn(ctx), then it returns at once.
	Work(ctx context.Context, a Assignment) error
	// Tell gives a sub-agent that works a message of its parent.
	Tell(ctx context.Context, id, text string) error
}

// GoesOn reports whether a context has ended with a step, and what worked in the background goes on.
func GoesOn(ctx context.Context) bool {
	_, is := errors.AsType[leaves](context.Cause(ctx))
	return is
}

// Assignment is the task of a sub-agent whose steps are done elsewhere. It is plain data and may be stored as JSON.
type Assignment struct {
	ID    string   `json:"id"`              // of its session
	Above []string `json:"above"`           // the sessions above it, the user's first
	Call  string   `json:"call,omitempty"`  // of its parent
	Kind  string   `json:"kind,omitempty"`  // of agent
	Task  int64    `json:"task"`            // the number of the event in the parent's journal that has the task: see Queued
	After int64    `json:"after,omitempty"` // its last event that the parent knows
	Share Amount   `json:"share,omitzero"`  // what it may spend; a negative number is nothing
}

// Options are those of the session, for a process that does steps of it. The others are the caller's.
func (a *Assignment) Options() SessionOptions {
	if a == nil || len(a.Above) == 0 {
		return SessionOptions{}
	}
	return SessionOptions{Root: a.Above[0], Parent: a.Above[len(a.Above)-1], ParentCall: a.Call, Depth: len(a.Above), Agent: a.Kind}
}

// LoadSubAgent reads the session of a sub-agent whose steps this process does, with the sessions above it: a is the agent of the user's
// session. The agent of the sub-agent follows from it, as where all run in one process. o.Past reads all these sessions; Journal and Watch are
// those of the sub-agent, as is Depth.
func (a *Agent) LoadSubAgent(ctx context.Context, o SessionOptions, to Assignment) (*Session, error) {
	top := SessionOptions{ID: to.Above[0], Past: o.Past, Child: o.Child, Elsewhere: o.Elsewhere, Depth: o.Depth - len(to.Above)}
	s, err := a.load(top, o.Past(top.ID), nil)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", top.ID, err)
	}
	for _, id := range append(slices.Clone(to.Above[1:]), to.ID) {
		c := s.subAgents.byID(id)
		if c == nil {
			return nil, fmt.Errorf("session %s has no sub-agent %s", s.options.ID, id)
		}
		own, _, err := s.agentOf(ctx, c)
		if err != nil {
			return nil, err
		}
		options := s.options.child(c)
		if id == to.ID {
			options.Journal, options.Watch = o.Journal, o.Watch
			own.Limits.Message, own.Limits.Session = to.Share, Amount{}
		}
		below, err := own.load(options, o.Past(id), nil)
		if errors.Is(err, ErrNoEvents) || errors.Is(err, fs.ErrNotExist) {
			below, err = own.session(options, nil), nil
		}
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", id, err)
		}
		below.parent, below.assigned = s, c.task.Task
		s = below
	}
	return s, nil
}

// Assigned is the task of a session that LoadSubAgent read, as a message.
func (s *Session) Assigned() []model.Part { return []model.Part{model.Text(s.assigned)} }

// elsewhere has a sub-agent work on its task, and reads what it did.
func elsewhere(ctx context.Context, r *run, c *child, sharers int) (stopped event.Event, usage event.Usage, err error) {
	own, finished, err := r.agentOf(ctx, c)
	if err != nil {
		return stopped, usage, err
	}
	share, err := shareOf(ctx, r, c, own, sharers)
	if err != nil {
		return stopped, usage, err
	}
	r.mu.Lock()
	c.finished = finished
	r.mu.Unlock()
	a := Assignment{ID: c.id, Call: c.call, Kind: c.task.Agent, Task: c.seq, After: c.read, Share: share.most()}
	for s := r.Session; s != nil; s = s.parent {
		a.Above = append([]string{s.options.ID}, a.Above...)
	}
	err = r.options.Elsewhere.Work(ctx, a)
	share.Close()
	if GoesOn(ctx) {
		return stopped, usage, leaves{}
	}
	stopped, usage, readErr := r.catchUp(c)
	switch {
	case readErr != nil:
		err = errors.Join(err, readErr)
	case stopped.Stop != "":
		err = nil
	case err == nil:
		err = context.Cause(ctx)
	}
	return stopped, usage, err
}

// most is the limit of a part that a sub-agent gets, as an amount.
func (a *Account) most() Amount {
	limit := a.limit
	for d, n := range limit {
		if n > 0 && n < 1 && (d != dollars || n <= tiny) {
			limit[d] = -1
		}
	}
	return limit.amount()
}

// catchUp reads the journal of a sub-agent that worked elsewhere: what is new in it counts, and guards see what it did. usage is what its parent's
// journal has not. stopped is how the session stopped last; its Stop is "" where it works.
func (s *Session) catchUp(c *child) (stopped event.Event, usage event.Usage, err error) {
	took := int64(0) // the last task that it has
	events := func(yield func(event.Event, error) bool) {
		for e, err := range s.options.Past(c.id) {
			if err == nil {
				used, spent := counts(e)
				usage = usage.Plus(used)
				if e.Seq > c.read {
					c.read = e.Seq
					s.spend(used)
					s.spent.account().Count(spent)
				}
				switch e.Kind {
				case event.Stopped:
					stopped = e
				case event.Prompted:
					took, stopped = max(took, e.At), event.Event{}
				case event.Responded, event.Replied:
					stopped = event.Event{}
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
	session, err := s.Agent().load(s.options.child(c), events, nil)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoEvents) {
		return event.Event{}, event.Usage{}, nil
	}
	if err != nil {
		return stopped, usage, err
	}
	s.mu.Lock()
	c.session = session
	s.mu.Unlock()
	if took < c.seq {
		stopped = event.Event{}
	}
	return stopped, usage.Minus(c.usage), nil
}

// counts is what an event of a journal says was spent.
func counts(e event.Event) (used event.Usage, spent Amount) {
	requests := int64(1)
	switch e.Kind {
	case event.Called:
		return used, Amount{Calls: 1}
	case event.SubAgentStarted:
		return used, Amount{SubAgents: 1}
	case event.SubAgentStopped:
		requests = 0
	case event.Responded, event.Compacted, event.Reviewed, event.Audit:
	default:
		return used, spent
	}
	if e.Usage == nil {
		return used, spent
	}
	return *e.Usage, cost(*e.Usage, requests)
}
