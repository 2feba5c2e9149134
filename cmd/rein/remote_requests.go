package main

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"rein/app/client"
	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/server/api"
	"rein/app/tui/block"
	"rein/event"
	"rein/guard"
)

// remoteRequests shows the approval requests of a session of a server, and brings the answers there.
type remoteRequests struct {
	openRequests
	of *remoteSession

	mu      sync.Mutex                // guards what follows
	open    map[string]*remoteRequest // by session and call
	listed  map[string]string         // the hashes of those that wait, as the server has them
	answers map[string]guard.Answer
}

// remoteRequest is a request on the screen.
type remoteRequest struct {
	hash  string
	end   context.CancelCauseFunc
	done  chan struct{} // closed when it is no longer shown
	leave *time.Timer   // ends it; nil: it stays
}

func callKey(session, call string) string { return session + "/" + call }

// askAgain is how long after an answer the request is shown again, where it still waits: a list that was sent before the answer may come
// after it.
const askAgain = 500 * time.Millisecond

// ask shows a request. One for the same call that is shown already goes first.
func (a *remoteRequests) ask(r api.Request) {
	ctx, end := context.WithCancelCause(a.of.ctx)
	one := &remoteRequest{hash: r.Hash, end: end, done: make(chan struct{})}
	key := callKey(r.Session, r.Call)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listed[key] = r.Hash
	before := a.open[key]
	_, answered := a.answers[key]
	if before != nil && before.hash == r.Hash && !isDone(before.done) {
		if before.leave != nil {
			before.leave.Stop()
		}
		end(nil)
		return
	}
	a.open[key] = one
	go func() {
		defer close(one.done)
		if before != nil {
			before.end(nil)
			<-before.done
		}
		if (before != nil || answered) && !a.stillWaits(ctx, key, r.Hash) {
			return
		}
		a.untilAnswered(ctx, r)
	}()
}

// wait waits until no request is shown any more, after the session is closed.
func (a *remoteRequests) wait() {
	a.mu.Lock()
	open := slices.Collect(maps.Values(a.open))
	a.mu.Unlock()
	for _, one := range open {
		<-one.done
	}
}

func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// stillWaits reports, after a while, whether a request waits whose call had an answer.
func (a *remoteRequests) stillWaits(ctx context.Context, key, hash string) bool {
	select {
	case <-ctx.Done():
	case <-time.After(askAgain):
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if ctx.Err() != nil || a.listed[key] != hash {
		return false
	}
	delete(a.answers, key)
	return true
}

// requestOf returns a request of a server as those of this process are.
func requestOf(r api.Request) inbox.Request {
	out := inbox.Request{Session: r.Session, Call: r.Call, Tool: r.Tool, Args: r.Args, Dir: r.Dir, Depth: r.Depth, Agent: agentOf(r), Time: r.Time, Intent: r.Intent, Verdict: r.Verdict,
		Lines: r.Lines, Shown: r.Shown, Hash: r.Hash, Epoch: r.Epoch}
	for _, s := range r.Scopes {
		out.Scopes = append(out.Scopes, inbox.Scope(s))
	}
	return out
}

// agentOf names the sub-agent that asks: its kind, and what it is to do.
func agentOf(r api.Request) string {
	if r.Task == "" {
		return r.Agent
	}
	return block.AgentFor(r.Agent, r.Task)
}

// untilAnswered shows a request until an answer counts, or nobody need answer it.
func (a *remoteRequests) untilAnswered(ctx context.Context, r api.Request) {
	shown := &harness.Request{Request: requestOf(r), Verdict: guard.Verdict{Severity: guard.Low}, Case: guard.Case{Session: r.Session}}
	if r.High {
		shown.Verdict.Severity = guard.High
	}
	if shown.Shown.Tool == "" { // of a program that kept no data: the lines have all
		shown.Shown = guard.Request{Tool: r.Tool, Call: r.Call, Questions: r.Intent.Questions, Hash: r.Hash}
	}
	shown.Claim = func(answer guard.Answer) (guard.Answer, error) {
		return sendAnswer(a.of.ctx, a.of.place.client, r, answer)
	}
	for ctx.Err() == nil {
		_, err := a.of.place.person.Ask(ctx, shown)
		if err == nil || ctx.Err() != nil {
			return
		}
		p, refused := err.(*client.Problem)
		switch {
		case refused && p.Status == http.StatusForbidden:
			a.of.place.person.Warn("you are signed in as " + a.of.place.me.Role + ", and the answer does not count: " + p.Detail)
		case refused && (p.Status == http.StatusNotFound || p.Status == http.StatusConflict):
			a.of.place.person.Warn("the answer does not count: " + p.Detail)
			return
		default:
			a.of.place.person.Warn("the answer does not count, answer again: " + err.Error())
		}
		select {
		case <-ctx.Done():
		case <-time.After(askAgain):
		}
	}
}

// event learns who answered.
func (a *remoteRequests) event(e event.Event) {
	if e.Call == nil || e.Answer == nil || e.Kind != event.Granted && e.Kind != event.Refused {
		return
	}
	answer := guard.Answer{Choice: guard.Denied, By: guard.ParseWho(e.Answer.By), From: e.Answer.From, Scope: guard.Scope(e.Answer.Scope), Words: e.Answer.Words}
	if e.Answer.Choice == guard.Approved.String() {
		answer.Choice = guard.Approved
	}
	key := callKey(a.of.id, e.Call.ID) // requests of sub-agents are those of the user's session
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[key] = answer
	if one := a.open[key]; one != nil {
		one.end(guard.Answered{Answer: answer})
		delete(a.open, key)
	}
}

// nameTime is how long a request that is answered waits for the event that says who did it.
const nameTime = 2 * time.Second

// gone takes a request away that no longer waits.
func (a *remoteRequests) gone(r api.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := callKey(r.Session, r.Call)
	delete(a.listed, key)
	if one := a.open[key]; one != nil {
		one.leave = time.AfterFunc(nameTime, func() { one.end(nil) })
	}
}
