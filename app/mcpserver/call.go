package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/event"
	"rein/tool"
)

// pending is a call while it is at work or waits for an answer of the client.
type pending struct {
	id, name string
	args     string
	cancel   context.CancelFunc
	show     atomic.Pointer[func(event.Event)] // for the request that waits for it now
	asked    chan *asked                       // what the client is to be asked
	open     *asked                            // what it was asked
	done     chan outcome
	expires  *time.Timer
}

type outcome struct {
	result tool.Result
	err    error
}

// request is a request of a client that becomes a call of a tool.
type request struct {
	session *sdk.ServerSession
	token   any                     // for progress; nil: the client wants none
	state   string                  // of the call that the client continues; "": a new one
	answers sdk.InputResponseMap    // of its user
	can     *sdk.ClientCapabilities // nil: nothing
	name    string                  // of the tool
	args    string
	trace   string // the trace context of the client; "": none
}

// answer is what a call gives: a result, or what the client is to be asked first.
type answer struct {
	result tool.Result
	forms  sdk.InputRequestMap
	state  string
}

// call runs a call of a client, or continues one for which the client brings an answer.
func (s *Server) call(ctx context.Context, r *sdk.CallToolRequest, name string) (*sdk.CallToolResult, error) {
	a, err := s.serve(ctx, request{r.Session, r.Params.GetProgressToken(), r.Params.RequestState, r.Params.InputResponses, capabilities(r.Session), name, string(r.Params.Arguments), traceOf(r.Params.Meta)})
	switch {
	case err != nil:
		return nil, err
	case a.forms != nil:
		return &sdk.CallToolResult{InputRequests: a.forms, RequestState: a.state}, nil
	}
	return result(a.result, s.proxied), nil
}

// nextID names a call. Calls of other sessions have other names: an undo takes the one that is meant.
func (s *Server) nextID() string { return fmt.Sprintf("mcp_%s_%d", s.name, s.count.Add(1)) }

// traceOf is the W3C trace context that a client sends with a call.
func traceOf(meta sdk.Meta) string {
	parent, _ := meta["traceparent"].(string)
	return parent
}

// serve runs a call, or continues one.
func (s *Server) serve(ctx context.Context, r request) (answer, error) {
	if r.state != "" {
		return s.goOn(ctx, r)
	}
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &pending{id: s.nextID(), name: r.name, args: r.args, cancel: cancel,
		asked: make(chan *asked), done: make(chan outcome, 1)}
	s.person.join(p.id, &client{session: r.session, ask: p.asked, can: r.can, over: working.Done()})
	s.session.Join(p.id, r.trace)
	show := s.progress(ctx, r)
	p.show.Store(&show)
	go func() {
		defer cancel()
		defer s.person.leave(p.id)
		results, err := s.run(working, []tool.Call{{ID: p.id, Name: p.name, Args: json.RawMessage(p.args)}}, func(e event.Event) { (*p.show.Load())(e) })
		o := outcome{err: err}
		if len(results) > 0 {
			o.result = results[0]
			s.keep(o.result)
		}
		p.done <- o
	}()
	return s.follow(ctx, r, p)
}

// goOn continues a call that waits. Without an answer the client is asked again.
func (s *Server) goOn(ctx context.Context, r request) (answer, error) {
	p := s.take(r.state, r.name, r.args)
	if p == nil {
		return answer{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no call that waits with this state: it ended, or its time is up"}
	}
	show := s.progress(ctx, r)
	p.show.Store(&show)
	if reply := r.answers[approvalName]; reply == nil || !p.open.answer(reply) {
		return s.hold(p)
	}
	return s.follow(ctx, r, p)
}

// follow waits until the call is done or the client must be asked.
func (s *Server) follow(ctx context.Context, r request, p *pending) (answer, error) {
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		select {
		case <-alive.C:
			(*p.show.Load())(event.Event{})
		case <-ctx.Done():
			p.cancel()
			return answer{}, context.Cause(ctx)
		case o := <-p.done:
			if o.err != nil && o.result.ID == "" {
				return answer{}, o.err
			}
			return answer{result: o.result}, nil
		case q := <-p.asked:
			if newest(r.session) {
				p.open = q
				return s.hold(p)
			}
			go func() { q.answer(ask(ctx, r.session, q.form)) }()
		}
	}
}

// ask asks a client of an older version; nil: it did not answer.
func ask(ctx context.Context, client *sdk.ServerSession, form sdk.InputRequest) sdk.InputResponse {
	switch form := form.(type) {
	case *sdk.ElicitParams:
		reply, err := client.Elicit(ctx, form)
		if err == nil {
			return reply
		}
		if strings.Contains(err.Error(), "does not match requested schema") { // the SDK gives it no other form
			return &sdk.ElicitResult{Action: unfit}
		}
	//lint:ignore SA1019 clients of older versions are asked so
	case *sdk.CreateMessageParams:
		//lint:ignore SA1019 as above
		if reply, err := client.CreateMessage(ctx, form); err == nil {
			return reply
		}
	}
	return nil
}

const (
	unfit        = "unfit" // in place of the action of an answer that is none of those that were offered
	approvalName = "approval"
	holdFor      = 10 * time.Minute // a call whose client does not come back
	mostHeld     = 1000
)

// hold keeps a call until the client comes back with an answer to its question, which is the result.
func (s *Server) hold(p *pending) (answer, error) {
	state := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) >= mostHeld {
		p.cancel()
		return answer{}, fmt.Errorf("%d calls wait for answers of clients; this one was cancelled", mostHeld)
	}
	s.held[state] = p
	p.expires = time.AfterFunc(holdFor, func() {
		if s.take(state, p.name, p.args) != nil {
			p.cancel()
		}
	})
	return answer{forms: sdk.InputRequestMap{approvalName: p.open.form}, state: state}, nil
}

// take returns the call that waits with a state, and no longer keeps it. A request for another call takes nothing.
func (s *Server) take(state, name, args string) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.held[state]
	if p == nil || p.name != name || p.args != args {
		return nil
	}
	p.expires.Stop()
	delete(s.held, state)
	return p
}

// Close ends the calls that wait for a client.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.held {
		p.expires.Stop()
		p.cancel()
	}
	clear(s.held)
}

// newest reports whether the client brings answers with a new request, as it does since 2026-07-28.
func newest(client *sdk.ServerSession) bool {
	p := client.InitializeParams()
	return p == nil || p.ProtocolVersion >= "2026-07-28"
}

// capabilities returns what the client can do; nil: nothing.
func capabilities(client *sdk.ServerSession) *sdk.ClientCapabilities {
	if p := client.InitializeParams(); p != nil {
		return p.Capabilities
	}
	return nil
}

// aliveEvery is how often a client that wants progress hears of a call: many give up after a minute without a word.
const aliveEvery = 10 * time.Second

// progress shows the client what a running call writes, a line at a time, and that it waits for an approval; for an event without a kind
// the last words again. A client without a token wants none.
func (s *Server) progress(ctx context.Context, r request) func(event.Event) {
	if r.token == nil {
		return func(event.Event) {}
	}
	n, last := 0.0, "at work"
	var mu sync.Mutex
	return func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		var text string
		switch e.Kind {
		case "":
			text = last
		case event.Output:
			text = strings.TrimSpace(e.Text)
		case event.ApprovalRequested:
			text = "waits for an approval: rein approve " + s.session.ID() + " " + e.Call.ID
		}
		if text == "" || ctx.Err() != nil {
			return
		}
		n++
		last = text
		_ = r.session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.token, Progress: n, Message: lastLine(text)})
	}
}

func lastLine(text string) string {
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return strings.ToValidUTF8(text[:min(len(text), 500)], "")
}
