package agent

import (
	"errors"
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

// approvals are what is known of the calls of the open answer, of those too that a tool makes while it serves one. The session's
// mutex guards it.
type approvals struct {
	requests []*request
	edited   []string         // ids of calls that the user changed
	inner    map[string]inner // by id
}

// request is an approval request of the session's own, until its call has a result.
type request struct {
	Request
	answer  *guard.Answer
	granted bool
}

func (r *request) pending() bool { return r.answer == nil && !r.granted }

// inner is a call that a tool made while it served a call that has no result yet.
type inner struct {
	within, name string       // id of that call, and the name of this one
	result       *tool.Result // nil: there is none yet
}

// see takes the next event of a call.
func (a *approvals) see(e event.Event) {
	a.seeInner(e)
	if e.Reason == event.WasEdited && e.By != "" {
		a.edited = append(a.edited, e.Call.ID)
	} else if e.Kind == event.Replied {
		a.edited = slices.DeleteFunc(a.edited, func(id string) bool { return id == e.Call.ID })
	}
	at := slices.IndexFunc(a.requests, func(r *request) bool { return r.Call.ID == e.Call.ID })
	switch {
	case e.Kind == event.ApprovalRequested && e.Grant != nil:
		r := &request{Request: Request{ID: e.Call.ID, Session: e.Session, Call: *e.Call, Verdict: e.Verdict, Hash: e.Grant.Hash}}
		if e.Intent != nil {
			r.Intent = *e.Intent
		}
		if at < 0 {
			a.requests = append(a.requests, r)
		} else {
			a.requests[at] = r
		}
	case at < 0:
	case e.Kind == event.Granted:
		r := a.requests[at]
		r.granted = true
		if r.answer == nil && e.Answer != nil && e.Grant != nil && e.Grant.Hash == r.Hash {
			r.answer = answerOf(e.Answer)
		}
	case e.Kind == event.Refused && e.Answer != nil:
		a.requests[at].answer = answerOf(e.Answer)
	case e.Kind == event.ApprovalVoid, e.Kind == event.Replied:
		a.requests = append(a.requests[:at:at], a.requests[at+1:]...)
	}
}

func answerOf(a *event.Answer) *guard.Answer {
	answer := toolcall.AnswerOf(a)
	return &answer
}

// seeInner follows the calls that tools make.
func (a *approvals) seeInner(e event.Event) {
	switch {
	case e.Within == "":
		if e.Kind == event.Replied {
			maps.DeleteFunc(a.inner, func(_ string, i inner) bool { return i.within == e.Call.ID })
		}
	case e.MayAct(), e.Kind == event.Replied:
		if a.inner == nil {
			a.inner = map[string]inner{}
		}
		a.inner[e.Call.ID] = inner{e.Within, e.Call.Name, e.Result}
	}
}

// answer answers a request and reports whether it was pending.
func (a *approvals) answer(call string, answer guard.Answer) bool {
	at := slices.IndexFunc(a.requests, func(r *request) bool { return r.Call.ID == call && r.pending() })
	if at >= 0 {
		answer = answer.Clone()
		a.requests[at].answer = &answer
	}
	return at >= 0
}

// earlier is what the runner needs to know of the requests before it runs their calls again.
func (a *approvals) earlier() map[string]toolcall.Earlier {
	if len(a.requests)+len(a.inner) == 0 {
		return nil
	}
	all := make(map[string]toolcall.Earlier, len(a.requests)+len(a.inner))
	for id, i := range a.inner {
		if i.result != nil {
			all[id] = toolcall.Earlier{Result: i.result}
		}
	}
	for _, r := range a.requests {
		e := toolcall.Earlier{Hash: r.Hash, Answer: r.answer}
		if slices.Contains(a.edited, r.Call.ID) {
			e.Edited = r.Call.Args
		}
		all[r.Call.ID] = e
	}
	return all
}

// Pending returns the approval requests that nobody has answered, of the session and of its sub-agents. It may be called
// at any time.
func (s *Session) Pending() []Request {
	s.mu.Lock()
	var all []Request
	for _, r := range s.approvals.requests {
		if r.pending() {
			one := r.Request
			one.Call, one.Intent = one.Call.Clone(), one.Intent.Clone()
			one.Verdict = event.Event{Verdict: one.Verdict}.Clone().Verdict
			one.Parent, one.Depth = s.options.Parent, s.options.Depth
			all = append(all, one)
		}
	}
	children := s.subAgents.loaded()
	s.mu.Unlock()
	for _, c := range children {
		for _, r := range c.Pending() {
			r.ID = r.Session + "/" + r.Call.ID
			all = append(all, r)
		}
	}
	return all
}

// ErrNotPending means that no such approval request waits for an answer.
var ErrNotPending = errors.New("no such approval request is pending")

// Answer answers an approval request of a session that is not at work; Resume then acts on it. The answer is bound to the
// hash of the request: if the call, the mode, the rules or the workspace change before Resume, it is void and the approval
// is requested again. The choice must be Approved or Denied. The first answer counts.
func (s *Session) Answer(id string, a guard.Answer) error {
	if a.Choice != guard.Approved && a.Choice != guard.Denied {
		return fmt.Errorf("an answer is %v or %v", guard.Approved, guard.Denied)
	}
	session, call := s.options.ID, id
	if slash := strings.LastIndexByte(id, '/'); slash >= 0 {
		session, call = id[:slash], id[slash+1:]
	}
	return s.answer(session, call, a)
}

func (s *Session) answer(session, call string, a guard.Answer) error {
	s.mu.Lock()
	if s.running != nil {
		s.mu.Unlock()
		return ErrBusy
	}
	if session == s.options.ID && s.approvals.answer(call, a) {
		s.mu.Unlock()
		return nil
	}
	children := s.subAgents.loaded()
	s.mu.Unlock()
	for _, c := range children {
		if err := c.answer(session, call, a); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the call %s: %w", call, ErrNotPending)
}

// track follows the approval requests of the session's own calls, and what survives a compaction.
func (s *Session) track(e event.Event) {
	if e.Session != s.options.ID {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.See(e)
	if e.Call == nil {
		return
	}
	s.approvals.see(e)
}

// earlier is what the runner needs to know of calls before it runs them again.
func (s *Session) earlier() map[string]toolcall.Earlier {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.approvals.earlier()
}

// lostInner gives the calls of a tool that were granted and have no result a result that reports this: the tool is called
// again, and they are not.
func (s *Session) lostInner(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, i := range s.approvals.inner {
		serves := s.subAgents.find(func(c *child) bool { return c.call == id }) != nil // a sub-agent, which continues
		if i.within == call && i.result == nil && !serves {
			i.result = unknownOutcome(id, i.name)
			s.approvals.inner[id] = i
		}
	}
}
