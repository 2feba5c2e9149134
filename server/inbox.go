package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"

	"rein/event"
	"rein/guard"
	"rein/harness/inbox"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/past"
	"rein/server/signin"
	"rein/server/stream"
)

// inboxState is the approval requests of a workspace as they were read last.
type inboxState struct {
	reading  sync.Mutex // held from the look at the files until clients know of it, so that no older look comes after a newer one
	mu       sync.Mutex // guards what follows
	requests api.Requests
	sent     []byte
}

// count returns how many requests of a session and its sub-agents wait.
func (i *inboxState) count(root string) (n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range i.requests.Requests {
		if r.Root == root {
			n++
		}
	}
	return n
}

func (i *inboxState) list() api.Requests {
	i.mu.Lock()
	defer i.mu.Unlock()
	return api.Requests{Requests: slices.Clone(i.requests.Requests), Fault: i.requests.Fault}
}

// watchInbox follows the approval requests of a workspace until the server closes.
func (s *Server) watchInbox(w *workspace) {
	for range w.h.Inbox().Watch(s.ctx) {
		s.readInbox(w)
	}
}

// readInbox reads the requests, and tells the clients when they have changed.
func (s *Server) readInbox(w *workspace) {
	w.inbox.reading.Lock()
	defer w.inbox.reading.Unlock()
	all, err := w.h.Inbox().Pending()
	now := api.Requests{Requests: []api.Request{}}
	if err != nil {
		now.Fault = err.Error()
	}
	for _, r := range all {
		if r.Dir != w.dir {
			continue
		}
		shown := api.Request{Request: r, Root: r.Session, High: api.HighRisk(r)}
		if root, err := s.rootOf(w, r); err == nil {
			shown.Root, shown.Title = root.ID, root.Title
		}
		now.Requests = append(now.Requests, shown)
	}
	data, err := json.Marshal(api.WorkspaceRequests{Dir: w.dir, Requests: now})
	if err != nil {
		s.o.Log.Error("the inbox cannot be encoded", "error", err)
		return
	}
	w.inbox.mu.Lock()
	same := slices.Equal(data, w.inbox.sent)
	before := w.inbox.requests.Requests
	w.inbox.requests, w.inbox.sent = now, data
	w.inbox.mu.Unlock()
	if same {
		return
	}
	s.hub.Publish("inbox:"+w.dir, stream.Frame{Name: "inbox", Data: data})
	s.tellNew(w, before, now.Requests)
	s.answeredElsewhere(w, before, now.Requests)
	for _, root := range api.Roots(before, now.Requests) {
		s.touched.Add(root)
	}
}

// answeredElsewhere tells the clients who has answered requests that are gone, in sessions that another program runs or nobody.
func (s *Server) answeredElsewhere(w *workspace, before, now []api.Request) {
	for _, r := range before {
		if s.running(r.Root) != nil || slices.ContainsFunc(now, func(n api.Request) bool { return n.Session == r.Session && n.Call == r.Call }) {
			continue
		}
		a, err := w.h.Inbox().Answered(r.Session, r.Call)
		if err != nil || a.Hash != r.Hash {
			continue // it holds no longer; the session's events say why
		}
		s.hub.Publish("inbox:"+w.dir, stream.Message("answered", api.AnsweredMessage{Session: r.Session, Call: r.Call,
			Answer: &event.Answer{Choice: a.Guard().Choice.String(), By: a.By, From: a.From, Scope: string(a.Scope), Words: a.Words}}))
	}
}

// rootOf returns the user's session to which a request belongs.
func (s *Server) rootOf(w *workspace, r inbox.Request) (past.Session, error) {
	if l := s.running(r.Session); l != nil {
		return past.Session{ID: l.id, Title: l.summary().Title}, nil
	}
	if r.Depth == 0 {
		return s.past.Get(r.Session)
	}
	return s.past.Root(r.Session)
}

// answered tells the clients of the inbox who has answered a request, or why it no longer holds.
func (s *Server) answered(l *live, e event.Event) {
	switch {
	case e.Call == nil:
		return
	case (e.Kind == event.Granted || e.Kind == event.Refused) && e.Answer != nil:
		s.hub.Publish("inbox:"+l.room.dir, stream.Message("answered", api.AnsweredMessage{Session: e.Session, Call: e.Call.ID, Answer: e.Answer}))
	case e.Kind == event.ApprovalVoid:
		s.hub.Publish("inbox:"+l.room.dir, stream.Message("answered", api.AnsweredMessage{Session: e.Session, Call: e.Call.ID, Void: e.Reason, Text: e.Text}))
	default:
		return
	}
	s.tellAnswer(l, e)
}

// pendingRequest finds a request that the user may see.
func (s *Server) pendingRequest(u auth.User, session, call string) (*workspace, inbox.Request, error) {
	for _, w := range s.rooms {
		if !u.Sees(w.dir) {
			continue
		}
		r, err := w.h.Inbox().Get(session, call)
		if err == nil && r.Dir == w.dir {
			return w, r, nil
		}
		if err != nil && !errors.Is(err, inbox.ErrNotPending) {
			return nil, r, err
		}
	}
	return nil, inbox.Request{}, inbox.ErrNotPending
}

// answer stores the answer of a user to a request and lets the session continue.
func (s *Server) answer(ctx context.Context, c signin.Client, session, call string, a api.Answer) (api.Answered, error) {
	out := api.Answered{Session: session, Call: call}
	w, r, err := s.pendingRequest(c.User, session, call)
	if errors.Is(err, inbox.ErrNotPending) {
		return s.tooLate(c.User, out)
	}
	if err != nil {
		return out, err
	}
	if err := errors.Join(allowedScope(c.User, r, a), s.allowedChange(c.User, r, a)); err != nil {
		return out, err
	}
	given := guard.Answer{Choice: guard.Denied, By: c.User.By(), From: c.Face, Words: a.Words}
	if a.Choice == "approved" {
		given.Choice, given.Scope, given.Words, given.Chosen, given.Args = guard.Approved, a.Scope, "", a.Chosen, string(a.Args)
	}
	first, err := w.h.Inbox().Answer(session, call, a.Hash, given)
	out.Answer, out.Mine = first, err == nil
	if err != nil && !errors.Is(err, inbox.ErrAnswered) {
		return out, err
	}
	if out.Mine {
		s.readInbox(w) // lists have no request that this client has answered
		s.note(c, audit.Entry{What: "answered", Dir: w.dir, Session: session, Call: call, Hash: a.Hash, Text: given.String()})
		s.goOn(ctx, w, r)
	}
	return out, nil
}

// tooLate returns the answer that was first, where the request is answered already.
func (s *Server) tooLate(u auth.User, out api.Answered) (api.Answered, error) {
	for _, w := range s.rooms {
		root, err := s.past.Root(out.Session)
		if err != nil || root.Dir != w.dir || !u.Sees(w.dir) {
			continue
		}
		if out.Answer, err = w.h.Inbox().Answered(out.Session, out.Call); err == nil {
			return out, nil
		}
	}
	return out, inbox.ErrNotPending
}

// allowedScope refuses an approval that reaches further than the request offers or the user may decide.
func allowedScope(u auth.User, r inbox.Request, a api.Answer) error {
	if a.Choice != "approved" || a.Scope == guard.Once {
		return nil
	}
	if !slices.ContainsFunc(r.Scopes, func(s inbox.Scope) bool { return s.Scope == a.Scope }) {
		return problem(http.StatusUnprocessableEntity, "scope", "this request can only be approved once")
	}
	if a.Scope != guard.ForSession && !u.Role.May(auth.Operator) {
		return problem(http.StatusForbidden, "role", "an approval that is kept in the settings needs the role operator")
	}
	if a.Scope == guard.Always && !u.SeesAll() {
		return errSeesSome
	}
	return nil
}

// allowedChange refuses changed arguments of who may not start calls of their own, and where the user could not see the
// arguments as they are.
func (s *Server) allowedChange(u auth.User, r inbox.Request, a api.Answer) error {
	switch {
	case a.Args == nil:
		return nil
	case !u.Role.May(auth.Operator):
		return problem(http.StatusForbidden, "role", "to change a call needs the role operator")
	case a.Choice != "approved" || a.Scope != guard.Once || r.Intent.Questions != nil || r.Intent.RequestsAccess:
		return problem(http.StatusUnprocessableEntity, "change", "only a call that is approved once can be changed")
	case a.Args[0] != '{':
		return problem(http.StatusUnprocessableEntity, "change", "the arguments must be an object")
	case !bytes.Equal(s.mask(r.Args), r.Args):
		return problem(http.StatusUnprocessableEntity, "secret", "the call has a secret, which is not shown here; change it at the terminal")
	}
	return nil
}

// goOn lets the session of a request continue, where it is not at work in this server. A session that another program has open
// takes the answer itself.
func (s *Server) goOn(ctx context.Context, w *workspace, r inbox.Request) {
	root, err := s.rootOf(w, r)
	if err == nil && s.running(root.ID) == nil {
		_, err = s.resume(context.WithoutCancel(ctx), w, root.ID)
	}
	if err != nil {
		s.o.Log.Warn("the session of an answered request does not continue by itself", "session", r.Session, "error", err)
		return
	}
	if l := s.running(root.ID); l != nil {
		l.goOn()
	}
}
