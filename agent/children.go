package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"rein/event"
	"rein/guard"
)

// subAgent takes the start of a sub-agent from the journal, and reads its session: guards remember what it did. Its agent is
// made when it continues; until then the session has that of its parent.
func (p *past) subAgent(e event.Event) {
	if e.SubAgent == nil || e.Call == nil || p.o.Past == nil || p.agent.Team == nil {
		return
	}
	c := p.childByID(e.Child)
	if c == nil {
		c = &child{id: e.Child, call: e.Call.ID}
		c.sub = *e.SubAgent
		session, err := p.agent.load(p.childOptions(e.Child, c), p.o.Past(e.Child), p.Session)
		switch {
		case err == nil:
			c.session, c.begun = session, true
		case !errors.Is(err, fs.ErrNotExist):
			p.notices = append(p.notices, fmt.Sprintf("the session %s of the sub-agent %s cannot be read: %v", e.Child, e.SubAgent.Agent, err))
			return
		}
		p.children = append(p.children, c)
	}
	c.sub, c.call, c.seq = *e.SubAgent, e.Call.ID, e.Seq
	c.stop, c.text, c.reported = "", "", false
}

func (p *past) subAgentStopped(e event.Event) {
	c := p.childByID(e.Child)
	if e.Usage != nil && (c == nil || !c.begun) {
		p.counted(*e.Usage, 0)
	}
	if c != nil {
		c.stop, c.text = e.Stop, e.Text
		if e.Usage != nil {
			c.usage = c.usage.Plus(*e.Usage)
		}
	}
}

// served takes note that a call has its result: nobody waits for its sub-agents any more, and the model has the reports that
// the call gave.
func (p *past) served(e event.Event) {
	var detail reportsTaken
	if len(e.Result.Detail) > 0 {
		_ = json.Unmarshal(e.Result.Detail, &detail) // the details of other tools have other shapes
	}
	for _, c := range p.children {
		if slices.Contains(detail.Reported, c.id) {
			c.reported = true
		}
		if c.call == e.Call.ID && !c.sub.Background {
			c.reported = true
			if !c.over() {
				c.stop, c.session = event.Cancelled, nil
			}
		}
	}
}

// reportsTaken is the detail of a result that has the reports of background sub-agents.
type reportsTaken struct {
	Reported []string `json:"sub_agents_reported"` // ids
}

// servesCall reports whether a sub-agent got its task from a call: then the call can be run again.
func (p *past) servesCall(call string) bool {
	return p.findChild(func(c *child) bool { return c.call == call }) != nil
}

func (s *Session) childByID(id string) *child {
	if id == "" {
		return nil
	}
	return s.findChild(func(c *child) bool { return c.id == id })
}

// release lets go of the sessions of sub-agents whose tasks have ended: they are read again when they get another.
func (p *past) release() {
	for _, c := range p.children {
		if c.over() {
			c.session = nil
		}
	}
}

// reload reads the session of a sub-agent whose task had ended. What it used is counted and what it did is known already.
func (s *Session) reload(own *Agent, c *child) (*Session, error) {
	if s.o.Past == nil {
		return nil, errors.New("its session is not recorded")
	}
	quiet, calls := *own, *own.runner()
	calls.Observer = guard.All{}
	quiet.Calls = &calls
	session, err := quiet.load(s.childOptions(c.id, c), s.o.Past(c.id), nil)
	if err != nil {
		return nil, err
	}
	session.parent = s
	return session, session.Use(own)
}

// Events returns what is recorded of a sub-agent of the session; nothing where nothing is recorded.
func (s *Session) Events(id string) iter.Seq2[event.Event, error] {
	if s.childByID(id) == nil || s.o.Past == nil {
		return func(func(event.Event, error) bool) {}
	}
	return s.o.Past(id)
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

// childOf returns the sub-agent that serves a call, or nil.
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
