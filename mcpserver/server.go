// Package mcpserver lends the guarded tools of a directory to clients of the Model Context Protocol. A call takes the same
// pipeline as a model's: rules, approvals, sandbox and journal.
package mcpserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/event"
	"rein/harness"
	"rein/tool"
)

// Options say what is lent. The zero value lends all tools.
type Options struct {
	Version string
	Tools   []string // only these; empty: all
	Without []string // not these

	// Only are the tools to lend instead of the session's, and nothing else, each under a name of its own: a proxy.
	Only map[string]*tool.Tool
	Log  *slog.Logger // what the protocol's library reports; nil: nothing
}

// Server serves one session of a harness to any number of clients. All of them share its permission memory, its journal and
// its sandbox, so whoever may connect has the same rights.
type Server struct {
	h       *harness.Harness
	session *harness.Session
	person  *Person
	sdk     *sdk.Server

	count atomic.Int64
	mu    sync.Mutex
	held  map[string]*pending // calls that wait for the client's answer, by their state
}

// New makes the server of a session without a model. The harness must have been opened with the same person.
func New(h *harness.Harness, session *harness.Session, person *Person, o Options) *Server {
	s := &Server{h: h, session: session, person: person, held: map[string]*pending{}}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "rein", Title: "rein", Version: o.Version}, &sdk.ServerOptions{
		Logger:       o.Log,
		Instructions: "The tools work in " + h.Root() + ". Each call is checked by rules and runs in a sandbox; some wait until a person approves them. judge_command tells what a shell command would do, and runs nothing.",
	})
	for name, t := range o.Only {
		s.add(name, t)
	}
	if o.Only != nil {
		return s
	}
	for _, t := range session.Tools().All() {
		if has(o.Tools, t.Name, true) && !has(o.Without, t.Name, false) {
			s.add(t.Name, t)
		}
	}
	if has(o.Tools, judgeName, true) && !has(o.Without, judgeName, false) {
		s.addJudge()
	}
	s.addResources()
	return s
}

// has reports whether a list has a name; an empty list gives otherwise.
func has(list []string, name string, otherwise bool) bool {
	if len(list) == 0 {
		return otherwise
	}
	for _, one := range list {
		if one == name {
			return true
		}
	}
	return false
}

// Serve serves one client over a pair of streams until it leaves.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.sdk.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
}

// add lends a tool under a name.
func (s *Server) add(name string, t *tool.Tool) {
	yes, no := true, false
	hints := &sdk.ToolAnnotations{ReadOnlyHint: t.Effect&^tool.Reads == 0, DestructiveHint: &no, OpenWorldHint: &no}
	if t.Effect&(tool.Writes|tool.Runs) != 0 {
		hints.DestructiveHint = &yes
	}
	if t.Effect&(tool.Reaches|tool.Runs) != 0 {
		hints.OpenWorldHint = &yes
	}
	s.sdk.AddTool(&sdk.Tool{Name: name, Description: t.Description, InputSchema: t.Input.Raw(), Annotations: hints}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.call(ctx, r, t.Name)
	})
}

// pending is a call while it is at work or waits for an answer of the client.
type pending struct {
	id, name string
	args     string
	cancel   context.CancelFunc
	asked    chan *asked // what the client is to be asked
	open     *asked      // what it was asked
	done     chan outcome
	expires  *time.Timer
}

type outcome struct {
	result tool.Result
	err    error
}

// call runs a call of a client, or goes on with one for which the client brings an answer.
func (s *Server) call(ctx context.Context, r *sdk.CallToolRequest, name string) (*sdk.CallToolResult, error) {
	if r.Params.RequestState != "" {
		p := s.take(r.Params.RequestState)
		if p == nil || p.name != name || p.args != string(r.Params.Arguments) {
			return nil, fmt.Errorf("there is no call that waits with this state: it ended, or its time is up")
		}
		reply, _ := r.Params.InputResponses[approvalName].(*sdk.ElicitResult)
		p.open.answers <- answerOf(p.open.request, reply)
		return s.follow(ctx, r, p)
	}
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &pending{id: fmt.Sprintf("mcp_%d", s.count.Add(1)), name: name, args: string(r.Params.Arguments), cancel: cancel,
		asked: make(chan *asked), done: make(chan outcome, 1)}
	s.person.join(p.id, &client{p.asked, canElicit(r)})
	show := s.progress(ctx, r)
	go func() {
		defer cancel()
		defer s.person.leave(p.id)
		results, err := s.session.Call(working, []tool.Call{{ID: p.id, Name: p.name, Args: json.RawMessage(p.args)}}, show)
		o := outcome{err: err}
		if len(results) > 0 {
			o.result = results[0]
		}
		p.done <- o
	}()
	return s.follow(ctx, r, p)
}

// follow waits until the call is done or the client must be asked.
func (s *Server) follow(ctx context.Context, r *sdk.CallToolRequest, p *pending) (*sdk.CallToolResult, error) {
	for {
		select {
		case <-ctx.Done():
			p.cancel()
			return nil, context.Cause(ctx)
		case o := <-p.done:
			if o.err != nil && o.result.ID == "" {
				return nil, o.err
			}
			return result(o.result), nil
		case q := <-p.asked:
			if newest(r) {
				p.open = q
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{approvalName: q.form}, RequestState: s.hold(p)}, nil
			}
			go func() {
				reply, err := r.Session.Elicit(ctx, q.form)
				if err != nil {
					reply = nil
				}
				q.answers <- answerOf(q.request, reply)
			}()
		}
	}
}

const (
	approvalName = "approval"
	holdFor      = 10 * time.Minute // a call whose client does not come back
	mostHeld     = 1000

	sessionTimeout = time.Hour // of a client that sends nothing
)

// hold keeps a call until the client comes back with an answer.
func (s *Server) hold(p *pending) (state string) {
	state = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) >= mostHeld {
		p.cancel()
	}
	s.held[state] = p
	p.expires = time.AfterFunc(holdFor, func() {
		if s.take(state) != nil {
			p.cancel()
		}
	})
	return state
}

func (s *Server) take(state string) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.held[state]
	if p != nil {
		p.expires.Stop()
		delete(s.held, state)
	}
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
func newest(r *sdk.CallToolRequest) bool {
	p := r.Session.InitializeParams()
	return p == nil || p.ProtocolVersion >= "2026-07-28"
}

// canElicit reports whether the client can ask its user.
func canElicit(r *sdk.CallToolRequest) bool {
	p := r.Session.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil
}

// progress shows the client what a running call writes, a line at a time, and that it waits for an approval. Without a token
// the client wants none.
func (s *Server) progress(ctx context.Context, r *sdk.CallToolRequest) func(event.Event) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	n := 0.0
	return func(e event.Event) {
		var text string
		switch e.Kind {
		case event.Output:
			text = strings.TrimSpace(e.Text)
		case event.ApprovalRequested:
			text = "waits for an approval: rein approve " + s.session.ID() + " " + e.Call.ID
		}
		if text == "" || ctx.Err() != nil {
			return
		}
		n++
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: lastLine(text)})
	}
}

func lastLine(text string) string {
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return strings.ToValidUTF8(text[:min(len(text), 500)], "")
}

// result is a result as the protocol has it.
func result(r tool.Result) *sdk.CallToolResult {
	out := &sdk.CallToolResult{IsError: r.Failed, Content: []sdk.Content{&sdk.TextContent{Text: r.Text}}}
	for _, p := range r.Parts {
		switch p.Kind {
		case tool.ImagePart:
			out.Content = append(out.Content, &sdk.ImageContent{MIMEType: p.MediaType, Data: p.Data})
		case tool.DocumentPart:
			out.Content = append(out.Content, document(r.ID, p))
		case tool.LinkPart:
			out.Content = append(out.Content, &sdk.ResourceLink{URI: p.URI, Name: p.Name, Description: p.Text, MIMEType: p.MediaType})
		}
	}
	if r.Cut != nil && r.Cut.Ref != "" {
		out.Content = append(out.Content, &sdk.ResourceLink{URI: outputPrefix + r.Cut.Ref, Name: "the whole output", MIMEType: "text/plain", Size: &r.Cut.Total})
	}
	var object map[string]any
	if json.Unmarshal(r.Detail, &object) == nil && object != nil {
		out.StructuredContent = object
	}
	return out
}

// document is a document as the protocol has it: audio is a kind of its own, others are resources.
func document(call string, p tool.Part) sdk.Content {
	if strings.HasPrefix(p.MediaType, "audio/") && p.URI == "" {
		return &sdk.AudioContent{MIMEType: p.MediaType, Data: p.Data}
	}
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: cmp.Or(p.URI, "rein://document/"+call), MIMEType: p.MediaType, Blob: p.Data}}
}
