package agent

import (
	"context"
	"fmt"
	"io"

	"rein/schema"
)

// prepare gives a sub-agent its session, with the agent that follows from the parent's.
func (s *Session) prepare(ctx context.Context, c *child) error {
	s.mu.Lock()
	parent, ready, session := s.agent, c.ready, c.session
	s.mu.Unlock()
	if ready {
		return nil
	}
	var place Place
	n, err := parent.Team.Narrow(ctx, parent.runner().Tools.Names(), c.id, c.sub)
	if err == nil && c.sub.Schema != nil && n.Answer == nil {
		n.Answer, err = schema.Parse(c.sub.Schema)
	}
	if err == nil {
		place, err = parent.place(ctx, c.id, c.sub)
	}
	if err != nil {
		return fmt.Errorf("the sub-agent %s cannot be started: %w", c.sub.Agent, err)
	}
	own := parent.narrow(n, place)
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
	if place.Done != nil {
		c.finished = place.Done
	}
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
