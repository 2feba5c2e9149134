package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/server/api"
	"rein/event"
	"rein/guard"
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

// approvals are the approval requests of all sessions, and the answers to them.
type approvals struct{ *allSessions }

func (p approvals) table() []apiOperation {
	const tag = "inbox"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/inbox", "list-requests", tag, "Approval requests that wait, of all sessions", p.listAll),
		operationAt(roleApprover, "POST /v1/inbox/{session}/{call}", "answer-request", tag, "Answer an approval request; the first answer counts", p.answerOne, http.StatusNotFound, http.StatusConflict),
		operationAt(roleApprover, "POST /v1/inbox", "answer-requests", tag, "Answer several requests alike, each as it was shown", p.answerAll),
	}
}

func (p approvals) listAll(ctx context.Context, _ noContent) (api.Requests, error) {
	out := api.Requests{Requests: []api.Request{}}
	for _, w := range p.visible(senderOf(ctx).User) {
		p.read(w)
		list := w.inbox.list()
		out.Requests, out.Fault = append(out.Requests, list.Requests...), out.Fault+list.Fault
	}
	return out, nil
}

type answerInput struct {
	Session string `path:"session" pattern:"^[A-Za-z0-9_-]{1,128}$"`
	Call    string `path:"call" pattern:"^[A-Za-z0-9_-]{1,128}$"`
	Body    api.Answer
}

func (p approvals) answerOne(ctx context.Context, in answerInput) (api.Answered, error) {
	return p.answer(ctx, senderOf(ctx), in.Session, in.Call, in.Body)
}

// watch follows the approval requests of a workspace until the server closes.
func (p approvals) watch(w *servedWorkspace) {
	for range w.h.Inbox().Watch(p.ctx) {
		p.read(w)
	}
}

// read reads the requests, and tells the clients when they have changed.
func (p approvals) read(w *servedWorkspace) {
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
		root, err := p.rootOf(r)
		if p.gone(err) {
			continue
		}
		if err != nil {
			root = pastSession{ID: r.Session}
		}
		if p.only != nil && p.only.id != root.ID {
			continue
		}
		v := requestOf(r, root.ID, root.Title)
		if r.SubAgent != "" {
			own, _ := p.past.Get(r.SubAgent) // a journal that cannot be read has no title
			v.Task = own.Title
		}
		now.Requests = append(now.Requests, v)
	}
	data, err := json.Marshal(api.WorkspaceRequests{Dir: w.dir, Requests: now})
	if err != nil {
		p.log.Error("the inbox cannot be encoded", "error", err)
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
	p.hub.Publish("inbox:"+w.dir, api.Frame{Name: "inbox", Data: data, Latest: "inbox:" + w.dir})
	p.config.tellNew(w, before, now.Requests)
	p.answeredElsewhere(w, before, now.Requests)
	for _, root := range api.Roots(before, now.Requests) {
		p.touched.Add(root)
	}
}

// answeredElsewhere tells the clients who has answered requests that are gone. The journal may have that later, when the call begins, or not at all:
// forms of tool servers, and what no program runs.
func (p approvals) answeredElsewhere(w *servedWorkspace, before, now []api.Request) {
	for _, r := range before {
		if p.engine != nil || slices.ContainsFunc(now, func(n api.Request) bool { return n.Session == r.Session && n.Call == r.Call }) {
			continue
		}
		a, err := w.h.Inbox().Answered(r.Session, r.Call)
		if err != nil || a.Hash != r.Hash || a.Args != "" && p.running(r.Root) != nil {
			continue // it holds no longer; the session's events say why, and who changed the call
		}
		p.hub.Publish("inbox:"+w.dir, api.Message("answered", api.AnsweredMessage{Session: r.Session, Root: r.Root, Call: r.Call,
			Answer: &event.Answer{Choice: a.Guard().Choice.String(), By: a.By.String(), From: a.From, Scope: string(a.Scope), Words: a.Words}}))
	}
}

// gone reports whether the journal of a request's session was deleted: nothing would run.
func (p approvals) gone(err error) bool { return p.engine == nil && errors.Is(err, errNoSession) }

// pending finds a request that the user may see.
func (p approvals) pending(u User, session, call string) (*servedWorkspace, inbox.Request, error) {
	for _, w := range p.workspaces.all {
		if !u.Sees(w.dir) {
			continue
		}
		r, err := w.h.Inbox().Get(session, call)
		if err == nil && r.Dir == w.dir {
			if _, err := p.rootOf(r); !p.gone(err) {
				return w, r, nil
			}
		}
		if err != nil && !errors.Is(err, inbox.ErrNotPending) {
			return nil, r, err
		}
	}
	return nil, inbox.Request{}, inbox.ErrNotPending
}

// answer stores the answer of a user to a request and lets the session continue.
func (p approvals) answer(ctx context.Context, c requestSender, session, call string, a api.Answer) (api.Answered, error) {
	out := api.Answered{Session: session, Call: call}
	w, r, err := p.pending(c.User, session, call)
	if errors.Is(err, inbox.ErrNotPending) {
		return p.tooLate(c.User, out)
	}
	if err != nil {
		return out, err
	}
	if err := errors.Join(allowedScope(c.User, r, a), p.allowedPlaces(c.User, r, a), p.allowedChange(c.User, r, a), allowedDefinition(c.User, w, r, a)); err != nil {
		return out, err
	}
	if a.Choice == "approved" && p.engine == nil && p.only == nil {
		if root, err := p.rootOf(r); err == nil && root.Unreadable {
			return out, problem(http.StatusConflict, "unreadable", "the journal of this session cannot be read, so nothing would run: deny the request, and see `rein sessions doctor "+root.ID+"`")
		}
	}
	given := guard.Answer{Choice: guard.Denied, By: c.User.By(), From: c.Face, Words: a.Words}
	if a.Choice == "approved" {
		given.Choice, given.Scope, given.Words, given.Chosen, given.Args = guard.Approved, a.Scope, "", a.Chosen, string(a.Args)
	}
	if p.engine != nil && a.Hash == r.Hash { // it knows whether the answer is the first one
		if err := p.engine.Answer(ctx, r, given); errors.Is(err, inbox.ErrNotPending) {
			return p.tooLate(c.User, out)
		} else if err != nil {
			return out, err
		}
	}
	first, err := w.h.Inbox().Answer(session, call, a.Hash, given)
	out = answeredOf(session, call, first, err == nil)
	if err != nil && !errors.Is(err, inbox.ErrAnswered) {
		return out, err
	}
	if out.Mine {
		p.read(w) // lists have no request that this client has answered
		p.note(c, api.Entry{What: "answered", Dir: w.dir, Session: session, Call: call, Hash: a.Hash, Text: given.String()})
		p.goOn(ctx, w, r)
	}
	return out, nil
}

// tooLate returns the answer that was first, where the request is answered already.
func (p approvals) tooLate(u User, out api.Answered) (api.Answered, error) {
	for _, w := range p.workspaces.all {
		root, err := p.past.Root(out.Session)
		if err != nil || root.Dir != w.dir || !u.Sees(w.dir) {
			continue
		}
		if first, err := w.h.Inbox().Answered(out.Session, out.Call); err == nil {
			return answeredOf(out.Session, out.Call, first, false), nil
		}
	}
	return out, inbox.ErrNotPending
}

// allowedScope refuses an approval that reaches further than the request offers or the user may decide.
func allowedScope(u User, r inbox.Request, a api.Answer) error {
	if a.Choice != "approved" || a.Scope == guard.Once {
		return nil
	}
	if !slices.ContainsFunc(r.Scopes, func(o inbox.Scope) bool { return o.Scope == a.Scope }) {
		return problem(http.StatusUnprocessableEntity, "scope", "this request can only be approved once")
	}
	if a.Scope != guard.ForSession && !u.Role.May(roleOperator) {
		return problem(http.StatusForbidden, "role", "an approval that is kept in the settings needs the role operator")
	}
	if a.Scope == guard.Always && !u.SeesAll() {
		return errSeesSome
	}
	return nil
}

// allowedChange refuses changed arguments of who may not start calls of their own, and where the user could not see the
// arguments as they are.
func (p approvals) allowedChange(u User, r inbox.Request, a api.Answer) error {
	switch {
	case a.Args == nil:
		return nil
	case !u.Role.May(roleOperator):
		return problem(http.StatusForbidden, "role", "to change a call needs the role operator")
	case a.Choice != "approved" || a.Scope != guard.Once || r.Intent.Questions != nil || r.Intent.RequestsAccess:
		return problem(http.StatusUnprocessableEntity, "change", "only a call that is approved once can be changed")
	case a.Args[0] != '{':
		return problem(http.StatusUnprocessableEntity, "change", "the arguments must be an object")
	case !bytes.Equal(p.mask(r.Args), r.Args):
		return problem(http.StatusUnprocessableEntity, "secret", "the call has a secret, which is not shown here; change it at the terminal")
	}
	return nil
}

// goOn lets the session of a request continue, where it is not at work in this server. A session that another program has open
// takes the answer itself.
func (p approvals) goOn(ctx context.Context, w *servedWorkspace, r inbox.Request) {
	if p.engine != nil {
		return
	}
	root, err := p.rootOf(r)
	var l *live
	if err == nil {
		l, err = p.resume(context.WithoutCancel(ctx), w, root.ID)
	}
	if err != nil {
		p.log.Warn("the session of an answered request does not continue by itself", "session", r.Session, "error", err)
		return
	}
	l.goOn()
}

// dropForms drops the forms of tool servers whose session no process has open: the server that asked ended with it, and an answer would
// reach nobody.
func (p approvals) dropForms(w *servedWorkspace) {
	all, err := w.h.Inbox().Pending()
	for _, r := range all {
		root, unknown := p.rootOf(r)
		if r.Dir == w.dir && r.Tool == harness.FormTool && unknown == nil {
			w.h.Store().Settled(root.ID, func() { err = errors.Join(err, w.h.Inbox().Settle(r.Session, r.Call)) })
		}
	}
	if err != nil {
		p.log.Warn("forms of tool servers that have ended may stay in the inbox", "error", err)
	}
}

// continueAnswered lets the sessions continue whose requests were answered before the server was killed.
func (p approvals) continueAnswered(w *servedWorkspace) {
	all, err := w.h.Inbox().Unrecorded()
	if err != nil {
		p.log.Warn("the inbox cannot be read", "error", err)
	}
	for _, r := range all {
		if r.Dir == w.dir && p.ctx.Err() == nil {
			p.goOn(p.ctx, w, r)
		}
	}
}

// answerAll answers several requests. An approval of a high-risk request is refused: such a request is answered separately.
func (p approvals) answerAll(ctx context.Context, b api.BatchAnswer) ([]api.Answered, error) {
	c := senderOf(ctx)
	out := make([]api.Answered, len(b.Calls))
	for i, asked := range b.Calls {
		out[i] = api.Answered{Session: asked.Session, Call: asked.Call}
		if _, r, err := p.pending(c.User, asked.Session, asked.Call); err == nil && b.Choice == "approved" && highRisk(r) {
			out[i].Problem = "a high-risk request is approved by itself"
			continue
		}
		a, err := p.answer(ctx, c, asked.Session, asked.Call, api.Answer{Choice: b.Choice, Hash: asked.Hash, Words: b.Words})
		if out[i] = a; err != nil {
			out[i].Problem = problemOf(err).Detail
		}
	}
	return out, nil
}

// requestOf returns an approval request of the user's session that has an id and a title.
func requestOf(r inbox.Request, root, title string) api.Request {
	v := api.Request{Session: r.Session, Call: r.Call, Tool: r.Tool, Args: r.Args, Dir: r.Dir, Depth: r.Depth, Agent: r.Agent, Time: r.Time, Intent: r.Intent, Verdict: r.Verdict,
		Lines: r.Lines, Shown: r.Shown, Hash: r.Hash, Epoch: r.Epoch, Root: root, Title: title, High: highRisk(r)}
	for _, s := range r.Scopes {
		v.Scopes = append(v.Scopes, api.InboxScope(s))
	}
	return v
}

// highRisk reports whether a request must be answered separately. A severity that is not known counts as high.
func highRisk(r inbox.Request) bool {
	return r.Shown.Alone() || r.Intent.Questions != nil || !slices.Contains([]string{"", guard.None.String(), guard.Low.String()}, r.Verdict.Severity)
}

// answeredOf returns the answer to a request as it is stored; mine says whether it is the one that was sent.
func answeredOf(session, call string, a inbox.Answer, mine bool) api.Answered {
	return api.Answered{Session: session, Call: call, Mine: mine, Approved: a.Approved, Scope: a.Scope, Words: a.Words, Chosen: a.Chosen, By: a.By.String(), From: a.From, Args: a.Args, Hash: a.Hash,
		Time: a.Time, Used: a.Used}
}
