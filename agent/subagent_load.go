package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"rein/event"
	"rein/guard"
)

// subAgent takes the start of a sub-agent from the journal, and reads its session: guards remember what it did. Its agent is
// made when it continues; until then the session has that of its parent.
func (p *past) subAgent(e event.Event) {
	if e.SubAgent == nil || e.Call == nil || p.options.Past == nil || p.agent.Team == nil {
		return
	}
	c := p.subAgents.byID(e.Child)
	if c == nil {
		c = &child{id: e.Child, call: e.Call.ID, begun: p.options.Elsewhere != nil} // then it is read when it has stopped: see catchUp
		c.task = *e.SubAgent
		if !c.begun {
			session, err := p.agent.load(p.options.child(c), p.options.Past(e.Child), p.Session)
			switch {
			case err == nil:
				c.session, c.begun = session, true
			case !errors.Is(err, fs.ErrNotExist):
				p.unreadable(c, err)
				return
			}
		}
		p.subAgents.all = append(p.subAgents.all, c)
	}
	c.task, c.call, c.seq = *e.SubAgent, e.Call.ID, e.Seq
	c.stop, c.text, c.reported = "", "", false
}

func (p *past) unreadable(c *child, err error) {
	p.notices = append(p.notices, fmt.Sprintf("the session %s of the sub-agent %s cannot be read: %v", c.id, c.task.Agent, err))
}

func (p *past) subAgentStopped(e event.Event) {
	c := p.subAgents.byID(e.Child)
	if e.Usage != nil && (c == nil || !c.begun) {
		p.counted(*e.Usage, 0)
	}
	if c != nil {
		c.stop, c.text = e.Stop, e.Text
		if e.Usage != nil {
			c.usage = c.usage.Plus(*e.Usage)
		}
		if p.options.Elsewhere != nil {
			if _, _, err := p.catchUp(c); err != nil {
				p.unreadable(c, err)
			}
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
	for _, c := range p.subAgents.all {
		if slices.Contains(detail.Reported, c.id) {
			c.reported = true
		}
		if c.call == e.Call.ID && !c.task.Background {
			c.reported = true
			if !c.over() {
				c.stop, c.session = event.Cancelled, nil
			}
		}
	}
}

// release lets go of the sessions of sub-agents whose tasks have ended: they are read again when they get another.
func (p *past) release() {
	for _, c := range p.subAgents.all {
		if c.over() {
			c.session = nil
		}
	}
}

// reload reads the session of a sub-agent whose task had ended. What it used is counted and what it did is known already.
func (s *Session) reload(own *Agent, c *child) (*Session, error) {
	if s.options.Past == nil {
		return nil, errors.New("its session is not recorded")
	}
	quiet, calls := *own, *own.runner()
	calls.Observer = guard.All{}
	quiet.Calls = &calls
	session, err := quiet.load(s.options.child(c), s.options.Past(c.id), nil)
	if err != nil {
		return nil, err
	}
	session.parent = s
	return session, session.Use(own)
}
