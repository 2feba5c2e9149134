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
	n, err := parent.Team.Narrow(ctx, parent.runner().Tools.Names(), c.id, c.task)
	if err == nil && c.task.Schema != nil && n.Output == nil {
		n.Output, err = schema.Parse(c.task.Schema)
	}
	if err == nil {
		place, err = parent.place(ctx, c.id, c.task)
	}
	if err != nil {
		return fmt.Errorf("the sub-agent %s cannot be started: %w", c.task.Agent, err)
	}
	own := parent.narrow(n, place)
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
	c.session, c.ready, c.begun, c.finished = session, true, true, n.Done
	if place.Done != nil {
		c.finished = place.Done
	}
	return nil
}

// openJournal opens the journal of a sub-agent's session.
func (s *Session) openJournal() error {
	if s.options.Child == nil {
		return nil
	}
	j, err := s.options.Child(s.options.ID)
	s.options.Journal = j
	return err
}

// closeJournal closes the journal of a sub-agent's session. Every event that matters is on disk already.
func (s *Session) closeJournal() {
	if c, ok := s.options.Journal.(io.Closer); ok {
		c.Close()
	}
	s.options.Journal = nil
}
