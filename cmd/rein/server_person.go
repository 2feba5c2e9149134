package main

import (
	"context"
	"sync"

	"rein/app/client"
	"rein/app/server/api"
	"rein/guard"
	"rein/tool"
)

// serverPerson answers the approval requests of a session on a server, at a terminal.
type serverPerson struct {
	client   *client.Client
	ctx      context.Context
	terminal *approvalTerminal
	failed   func(error)

	work sync.WaitGroup
	ends map[string]context.CancelCauseFunc
}

// newServerPerson lets the person at the terminal answer the requests of a session until ctx is done; failed gets what went wrong.
// A nil terminal answers nothing: the requests wait for other clients.
func newServerPerson(ctx context.Context, c *client.Client, session string, t *approvalTerminal, failed func(error)) *serverPerson {
	p := &serverPerson{client: c, ctx: ctx, terminal: t, failed: failed, ends: map[string]context.CancelCauseFunc{}}
	if t != nil {
		p.work.Go(func() {
			if err := followRequests(ctx, c, session, p.ask, p.answered); err != nil {
				failed(err)
			}
		})
	}
	return p
}

// wait waits until nothing is asked any more, after ctx has ended.
func (p *serverPerson) wait() { p.work.Wait() }

// answered ends a request that another client has answered.
func (p *serverPerson) answered(r api.Request) {
	if end := p.ends[r.Session+r.Call]; end != nil {
		end(guard.Answered{})
	}
}

func (p *serverPerson) ask(r api.Request) {
	ctx, end := context.WithCancelCause(p.ctx)
	p.ends[r.Session+r.Call] = end
	shown := &terminalRequest{Lines: linesIn(p.terminal.Own, r.Shown, r.Lines), Alone: r.High, Claim: func(a guard.Answer) (guard.Answer, error) { return p.claim(r, a) },
		Case: guard.Case{Session: r.Session, Depth: r.Depth, Agent: agentOf(r), Intent: r.Intent, Call: tool.Call{ID: r.Call, Name: r.Tool, Args: r.Args}}}
	for _, s := range r.Scopes {
		shown.Scopes = append(shown.Scopes, terminalScope{Scope: s.Scope, Text: p.terminal.Own.Fit(s.Text, scopeForms...)})
	}
	p.work.Go(func() {
		defer end(nil)
		if _, err := p.terminal.Ask(ctx, shown); err != nil && ctx.Err() == nil {
			p.failed(err)
		}
	})
}

// claim sends the answer. It returns the one that counts.
func (p *serverPerson) claim(r api.Request, a guard.Answer) (guard.Answer, error) {
	return sendAnswer(p.ctx, p.client, r, a)
}

// sendAnswer sends an answer and returns the one that counts.
func sendAnswer(ctx context.Context, c *client.Client, r api.Request, a guard.Answer) (guard.Answer, error) {
	send := api.Answer{Choice: "denied", Hash: r.Hash, Words: a.Words}
	if a.Choice == guard.Approved {
		send = api.Answer{Choice: "approved", Hash: r.Hash, Scope: a.Scope, Chosen: a.Chosen}
		if a.Args != "" {
			send.Args = []byte(a.Args) // in place of those that were shown
		}
	}
	got, err := c.Answer(ctx, r.Session, r.Call, send)
	if err != nil || got.Mine {
		return a, err
	}
	return got.Guard(), nil
}
