package agent

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"rein/agent/budget"
	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

// SubAgent is an agent that a model may give tasks to. Each task is a session of its own: with its own journal, the id of
// its parent session, and the sub-agent's own model, tools and guard. Its events reach the watcher of the parent, its
// tokens count in the parent's usage and budget. When a call of its waits for an approval, the parent is suspended too, and
// when the parent is resumed the sub-agent continues where it was.
type SubAgent struct {
	Name        string // of the tool
	Description string // of the tool, for the model
	Agent       *Agent
}

// MaxDepth is how deep sub-agents may start sub-agents.
const MaxDepth = 4

// subAgentTimeout bounds one task; its calls have their own limits.
const subAgentTimeout = time.Hour

type subAgentArgs struct {
	Task string `json:"task" jsonschema:"the whole task: the sub-agent sees nothing else of this conversation"`
}

// Intent is empty: the calls of the sub-agent are judged and ordered by themselves.
func (subAgentArgs) Intent() tool.Intent { return tool.Intent{} }

// allTools are the tools of the session: those of the runner, and one for each sub-agent.
func (s *Session) allTools() (tool.Set, error) {
	base := s.agent.runner().Tools
	if len(s.agent.SubAgents) == 0 {
		return base, nil
	}
	all := slices.Clone(base.All())
	for _, sub := range s.agent.SubAgents {
		t := tool.New(sub.Name, sub.Description, 0, func(ctx context.Context, in subAgentArgs, r *tool.Reply) error {
			return s.serve(ctx, sub, in.Task, r)
		})
		t.Timeout = subAgentTimeout
		all = append(all, t)
	}
	set, err := tool.NewSet(all...)
	return set.With(base.Source()), err
}

func (a *Agent) subAgent(name string) *SubAgent {
	for i := range a.SubAgents {
		if a.SubAgents[i].Name == name {
			return &a.SubAgents[i]
		}
	}
	return nil
}

// serve runs the session of a sub-agent for one call, or continues it.
func (s *Session) serve(ctx context.Context, sub SubAgent, task string, r *tool.Reply) error {
	relay, recorder := s.relay, s.recorder
	child := s.childOf(r.Call())
	isNew := child == nil
	if isNew {
		if s.o.Depth >= MaxDepth {
			return &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("Sub-agents may not be nested deeper than %d.", MaxDepth)}
		}
		child = sub.Agent.session(s.childOptions(journal.NewID(time.Now()), r.Call()), s)
	}
	if text, done := child.report(); done {
		s.dropChild(r.Call())
		_, err := r.WriteString(text)
		return err
	}
	if err := child.openJournal(); err != nil {
		return fmt.Errorf("the sub-agent cannot be recorded, so it did not run: %w", err)
	}
	defer child.closeJournal()
	if err := s.account.Take(ctx, budget.Amount{SubAgents: 1}); err != nil {
		return &tool.Error{Kind: tool.Unsupported, Text: "The sub-agent did not start: " + err.Error() + "."}
	}
	s.account.Spend(budget.Amount{SubAgents: 1}, budget.Amount{SubAgents: 1})
	child.account = s.account.Share("the sub-agent "+sub.Name, sub.Agent.message())
	defer child.account.Close()
	about := event.Event{Call: &tool.Call{ID: r.Call(), Name: sub.Name}, Child: child.o.ID}
	s.stamp(&about)
	if isNew {
		s.addChild(child)
		if err := note(relay, recorder, about, event.SubAgentStarted); err != nil {
			return err
		}
	}
	events := child.goOn(ctx)
	if child.history.Len() == 0 {
		events = child.Send(ctx, model.Text(task))
	}
	before := child.Usage()
	var stopped event.Event
	for e := range events {
		relay.give(e)
		stopped = e
	}
	usage := child.Usage().Minus(before)
	about.Stop, about.Usage = stopped.Stop, &usage
	if err := note(relay, recorder, about, event.SubAgentStopped); err != nil {
		return err
	}
	return s.outcome(relay, child, stopped, r)
}

// outcome is what a stopped sub-agent means for the call that it serves.
func (s *Session) outcome(relay *relay, child *Session, stopped event.Event, r *tool.Reply) error {
	if stopped.Stop == event.Waiting {
		return &tool.Error{Kind: tool.Waiting, Text: "The sub-agent waits for an approval."}
	}
	s.dropChild(r.Call())
	switch stopped.Stop {
	case event.Denied:
		relay.denied.Store(true)
	case event.Done:
	default:
		return &tool.Error{Text: fmt.Sprintf("The sub-agent stopped (%s): %s", stopped.Stop, stopped.Text)}
	}
	_, err := r.WriteString(child.last)
	return err
}

// report is the answer of a sub-agent that was done before its parent's call had its result.
func (s *Session) report() (text string, done bool) {
	return s.last, s.open == nil && (s.ended == event.Done || s.ended == event.Denied)
}

// note records the start or the stop of a sub-agent in the session, and shows it.
func note(relay *relay, recorder *recorder, e event.Event, kind event.Kind) error {
	e.Kind, e.Time = kind, time.Now()
	if recorder != nil {
		return recorder.Append(e)
	}
	relay.give(e)
	return nil
}

// childOptions are the options of a sub-agent's session.
func (s *Session) childOptions(id, call string) SessionOptions {
	root := s.o.Root
	if root == "" {
		root = s.o.ID
	}
	return SessionOptions{ID: id, Child: s.o.Child, Past: s.o.Past, Root: root, Parent: s.o.ID, ParentCall: call, Depth: s.o.Depth + 1}
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

func (s *Session) addChild(child *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.children = append(s.children[:len(s.children):len(s.children)], child)
}

// child gives the sub-agent's session with that id, or nil.
func (s *Session) child(id string) *Session {
	return s.findChild(func(c *Session) bool { return c.o.ID == id })
}

// childOf gives the session that serves a call, or nil.
func (s *Session) childOf(call string) *Session {
	return s.findChild(func(c *Session) bool { return c.o.ParentCall == call })
}

func (s *Session) findChild(is func(*Session) bool) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.children, is); i >= 0 {
		return s.children[i]
	}
	return nil
}

// dropChild forgets the session that served a call.
func (s *Session) dropChild(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.children = slices.DeleteFunc(slices.Clone(s.children), func(c *Session) bool { return c.o.ParentCall == call })
}
