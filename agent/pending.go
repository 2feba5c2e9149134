package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rein/event"
	"rein/guard"
	"rein/tool"
	"rein/toolcall"
)

// Request is an approval request as data: a call that waits, of the session or of a sub-agent.
type Request struct {
	ID      string         `json:"id"`      // what Answer takes: the id of the call; SESSION/CALL where a sub-agent asks
	Session string         `json:"session"` // id of the session that asks
	Parent  string         `json:"parent,omitempty"`
	Depth   int            `json:"depth,omitempty"` // 0 for the user's session, 1 for its sub-agents, …
	Call    tool.Call      `json:"call"`            // exactly what would run
	Intent  tool.Intent    `json:"intent"`
	Verdict *event.Verdict `json:"verdict,omitempty"`
	Hash    string         `json:"hash"` // an answer is bound to it: see guard.Binding
}

// request is an approval request of the session's own, until its call has a result.
type request struct {
	Request
	answer  *guard.Answer
	granted bool
}

// Pending returns the approval requests that nobody has answered, of the session and of its sub-agents. It may be called
// at any time.
func (s *Session) Pending() []Request {
	s.mu.Lock()
	var all []Request
	for _, r := range s.requests {
		if r.answer == nil && !r.granted {
			all = append(all, r.Request)
		}
	}
	children := s.loaded()
	s.mu.Unlock()
	for _, c := range children {
		for _, r := range c.Pending() {
			r.ID = r.Session + "/" + r.Call.ID
			all = append(all, r)
		}
	}
	return all
}

// Answer answers an approval request of a session that is not at work; Resume then acts on it. The answer is bound to the
// hash of the request: if the call, the mode, the rules or the workspace change before Resume, it is void and the approval
// is requested again. The choice must be Approved or Denied. The first answer counts.
func (s *Session) Answer(id string, a guard.Answer) error {
	if a.Choice != guard.Approved && a.Choice != guard.Denied {
		return fmt.Errorf("an answer is %v or %v", guard.Approved, guard.Denied)
	}
	session, call := s.o.ID, id
	if slash := strings.LastIndexByte(id, '/'); slash >= 0 {
		session, call = id[:slash], id[slash+1:]
	}
	return s.answer(session, call, a)
}

func (s *Session) answer(session, call string, a guard.Answer) error {
	s.mu.Lock()
	if s.now != nil {
		s.mu.Unlock()
		return ErrBusy
	}
	for _, r := range s.requests {
		if session == s.o.ID && call == r.Call.ID && r.answer == nil && !r.granted {
			r.answer = &a
			s.mu.Unlock()
			return nil
		}
	}
	children := s.loaded()
	s.mu.Unlock()
	for _, c := range children {
		if err := c.answer(session, call, a); err == nil {
			return nil
		}
	}
	return fmt.Errorf("no approval request of the call %s is pending", call)
}

// track follows the approval requests of the session's own calls, and what survives a compaction.
func (s *Session) track(e event.Event) {
	if e.Session != s.o.ID {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.See(e)
	if e.Call == nil {
		return
	}
	s.trackInner(e)
	at := -1
	for i, r := range s.requests {
		if r.Call.ID == e.Call.ID {
			at = i
		}
	}
	switch {
	case e.Kind == event.ApprovalRequested && e.Grant != nil:
		r := &request{Request: Request{ID: e.Call.ID, Session: s.o.ID, Parent: s.o.Parent, Depth: s.o.Depth, Call: *e.Call, Verdict: e.Verdict, Hash: e.Grant.Hash}}
		if e.Intent != nil {
			r.Intent = *e.Intent
		}
		if at < 0 {
			s.requests = append(s.requests, r)
		} else {
			s.requests[at] = r
		}
	case at < 0:
	case e.Kind == event.Granted:
		s.requests[at].granted = true
		if s.requests[at].answer == nil && e.Answer != nil && e.Grant != nil && e.Grant.Hash == s.requests[at].Hash {
			s.requests[at].answer = &guard.Answer{Choice: guard.Approved, By: e.Answer.By, From: e.Answer.From, Scope: guard.Scope(e.Answer.Scope), Words: e.Answer.Words, Chosen: e.Answer.Chosen}
		}
	case e.Kind == event.Refused && e.Answer != nil:
		s.requests[at].answer = &guard.Answer{By: e.Answer.By, From: e.Answer.From, Words: e.Answer.Words}
	case e.Kind == event.ApprovalVoid, e.Kind == event.Replied:
		s.requests = append(s.requests[:at:at], s.requests[at+1:]...)
	}
}

// earlier is what the runner needs to know of the requests before it runs their calls again.
func (s *Session) earlier() map[string]toolcall.Earlier {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests)+len(s.inner) == 0 {
		return nil
	}
	all := make(map[string]toolcall.Earlier, len(s.requests)+len(s.inner))
	for id, i := range s.inner {
		if i.result != nil {
			all[id] = toolcall.Earlier{Result: i.result}
		}
	}
	for _, r := range s.requests {
		all[r.Call.ID] = toolcall.Earlier{Hash: r.Hash, Answer: r.answer}
	}
	return all
}

// inner is a call that a tool made while it served a call that has no result yet.
type inner struct {
	within, name string       // id of that call, and the name of this one
	result       *tool.Result // nil: there is none yet
}

// trackInner follows the calls that tools make.
func (s *Session) trackInner(e event.Event) {
	switch {
	case e.Within == "":
		if e.Kind == event.Replied {
			maps.DeleteFunc(s.inner, func(_ string, i inner) bool { return i.within == e.Call.ID })
		}
	case e.MayAct(), e.Kind == event.Replied:
		if s.inner == nil {
			s.inner = map[string]inner{}
		}
		s.inner[e.Call.ID] = inner{e.Within, e.Call.Name, e.Result}
	}
}

// lostInner gives the calls of a tool that were granted and have no result a result that reports this: the tool is called
// again, and they are not.
func (s *Session) lostInner(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, i := range s.inner {
		serves := slices.ContainsFunc(s.children, func(c *child) bool { return c.call == id }) // a sub-agent, which continues
		if i.within == call && i.result == nil && !serves {
			i.result = unknownOutcome(id, i.name)
			s.inner[id] = i
		}
	}
}
