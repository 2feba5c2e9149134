//lint:file-ignore SA1019 clients and servers of older versions use sampling and logging for years to come

package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
	"rein/tool"
)

// Behind is the tool server behind a proxy. The methods do what those of mcp.Server do.
type Behind interface {
	Name() string
	Before(ask func(context.Context, sdk.InputRequest) (sdk.InputResponse, error), log func(*sdk.LoggingMessageParams), updated func(uri string), changed func())
	Capabilities(context.Context) (*sdk.ServerCapabilities, string, error)
	Learn(context.Context) error
	Definitions() []*sdk.Tool
	Lent() ([]*sdk.Prompt, []*sdk.Resource, []*sdk.ResourceTemplate)
	Called(own string) string
	Complete(context.Context, *sdk.CompleteParams) (*sdk.CompleteResult, error)
	Subscribe(ctx context.Context, uri string, off bool) error
}

// proxy is a server behind this one.
type proxy struct {
	Behind
	name string
	log  *slog.Logger

	mu                                  sync.Mutex     // one sync at a time
	tools, prompts, resources, patterns map[string]any // that are offered now, as JSON
	watched                             map[string]int // subscriptions, by URI
}

// readName is the tool of a session that reads resources and prompts of tool servers.
const readName = "mcp_resources"

// NewProxy makes a server that offers what another one has, under its own names. Calls of its tools take the pipeline; reading a
// resource and getting a prompt is a call of mcp_resources. What the server asks its client for, logs and reports as changed goes to
// the clients. The session must have the server, unconnected.
func NewProxy(ctx context.Context, h *harness.Harness, session *harness.Session, person *Person, behind Behind, o Options) (*Server, error) {
	p := &proxy{Behind: behind, name: behind.Name(), watched: map[string]int{}}
	s := &Server{h: h, session: session, person: person, proxied: true, run: session.Call, held: map[string]*pending{}}
	if p.log = o.Log; p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	synced := make(chan struct{}) // closed when s can be used
	later := func(do func()) {
		select {
		case <-synced:
			do()
		default: // what is listed first has it
		}
	}
	ask := func(ctx context.Context, q sdk.InputRequest) (sdk.InputResponse, error) {
		if c := person.of(""); c != nil && c.answers(q) {
			return c.question(ctx, q)
		}
		return nil, errors.New("no client with running calls can answer this")
	}
	log := func(l *sdk.LoggingMessageParams) { later(func() { s.passLog(l) }) }
	updated := func(uri string) {
		later(func() {
			_ = s.sdk.ResourceUpdated(context.Background(), &sdk.ResourceUpdatedNotificationParams{URI: uri})
		})
	}
	behind.Before(ask, log, updated, func() { later(func() { s.sync(p) }) })
	can, instructions, err := behind.Capabilities(ctx)
	if err != nil {
		return nil, err
	}
	if err := behind.Learn(ctx); err != nil {
		return nil, err
	}
	options := &sdk.ServerOptions{Logger: o.Log, Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Logging: can.Logging, Tools: &sdk.ToolCapabilities{ListChanged: true}}}
	if can.Prompts != nil {
		options.Capabilities.Prompts = &sdk.PromptCapabilities{ListChanged: true}
	}
	if can.Resources != nil {
		options.Capabilities.Resources = &sdk.ResourceCapabilities{ListChanged: true, Subscribe: can.Resources.Subscribe}
		options.SubscribeHandler = func(ctx context.Context, r *sdk.SubscribeRequest) error { return p.watch(ctx, r.Params.URI, 1) }
		options.UnsubscribeHandler = func(ctx context.Context, r *sdk.UnsubscribeRequest) error { return p.watch(ctx, r.Params.URI, -1) }
	}
	if can.Completions != nil {
		options.CompletionHandler = func(ctx context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return s.completed(p.Complete(ctx, r.Params))
		}
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "rein", Title: "rein before " + p.name, Version: o.Version}, options)
	s.sdk.AddReceivingMiddleware(contain(p.log))
	s.sync(p)
	close(synced)
	return s, nil
}

// sync offers what the server behind lists now.
func (s *Server) sync(p *proxy) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tools, prompts, resources, patterns := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	for _, d := range p.Definitions() {
		tools[d.Name] = d
	}
	lentPrompts, lentResources, templates := p.Lent()
	for _, one := range lentPrompts {
		prompts[one.Name] = one
	}
	for _, r := range lentResources {
		resources[r.URI] = r
	}
	for _, r := range templates {
		patterns[r.URITemplate] = r
	}
	differ(p.log, &p.tools, tools, s.sdk.RemoveTools, func(v any) {
		d := v.(*sdk.Tool)
		s.sdk.AddTool(d, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return s.call(ctx, r, p.Called(d.Name))
		})
	})
	differ(p.log, &p.prompts, prompts, s.sdk.RemovePrompts, func(v any) { s.sdk.AddPrompt(v.(*sdk.Prompt), s.prompt(p)) })
	differ(p.log, &p.resources, resources, s.sdk.RemoveResources, func(v any) { s.sdk.AddResource(v.(*sdk.Resource), s.read(p)) })
	differ(p.log, &p.patterns, patterns, s.sdk.RemoveResourceTemplates, func(v any) { s.sdk.AddResourceTemplate(v.(*sdk.ResourceTemplate), s.read(p)) })
}

// differ takes away what is no longer there, and adds what is new or different. The library panics for what it does not accept, such
// as a template that cannot be read: that is left out.
func differ(log *slog.Logger, have *map[string]any, now map[string]any, remove func(...string), add func(any)) {
	for name := range *have {
		if _, ok := now[name]; !ok {
			remove(name)
		}
	}
	for name, v := range now {
		if same(v, (*have)[name]) {
			continue
		}
		func() {
			defer func() {
				if wrong := recover(); wrong != nil {
					log.Warn("left out by the proxy", "name", name, "error", fmt.Sprint(wrong))
				}
			}()
			add(v)
		}()
	}
	*have = now
}

func same(a, b any) bool {
	one, err := json.Marshal(a)
	other, wrong := json.Marshal(b)
	return err == nil && wrong == nil && string(one) == string(other)
}

// reading are the arguments of readName.
type reading struct {
	Server    string            `json:"server"`
	URI       string            `json:"uri,omitempty"`
	Prompt    string            `json:"prompt,omitempty"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// get makes the call that reads a resource or gets a prompt.
func (s *Server) get(ctx context.Context, r request, what reading) (answer, error) {
	args, err := json.Marshal(what)
	if err != nil {
		return answer{}, err
	}
	r.can, r.name, r.args = capabilities(r.session), readName, string(args)
	a, err := s.serve(ctx, r)
	if err == nil && a.result.Failed {
		err = errors.New(a.result.Text)
	}
	return a, err
}

func (s *Server) read(p *proxy) sdk.ResourceHandler {
	return func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		a, err := s.get(ctx, request{session: r.Session, token: r.Params.GetProgressToken(), state: r.Params.RequestState, answers: r.Params.InputResponses}, reading{Server: p.name, URI: r.Params.URI})
		if err != nil || a.forms != nil {
			return &sdk.ReadResourceResult{InputRequests: a.forms, RequestState: a.state}, err
		}
		result := &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{}}
		for _, part := range a.result.Parts {
			result.Contents = append(result.Contents, contents(part, r.Params.URI))
		}
		if len(result.Contents) == 0 {
			result.Contents = append(result.Contents, &sdk.ResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: a.result.Text})
		}
		return result, nil
	}
}

func (s *Server) prompt(p *proxy) sdk.PromptHandler {
	return func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		a, err := s.get(ctx, request{session: r.Session, token: r.Params.GetProgressToken(), state: r.Params.RequestState, answers: r.Params.InputResponses}, reading{p.name, "", r.Params.Name, r.Params.Arguments})
		if err != nil || a.forms != nil {
			return &sdk.GetPromptResult{InputRequests: a.forms, RequestState: a.state}, err
		}
		result := &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{}}
		for _, part := range a.result.Parts {
			m := &sdk.PromptMessage{Role: "user", Content: content(r.Params.Name, part)}
			if part.Name == "assistant" {
				m.Role = "assistant"
			}
			if part.Kind == tool.DocumentPart && part.URI == "" && part.MediaType == "text/plain" {
				m.Content = &sdk.TextContent{Text: string(part.Data)}
			}
			result.Messages = append(result.Messages, m)
		}
		return result, nil
	}
}

// contents is a part as the content of a resource.
func contents(p tool.Part, uri string) *sdk.ResourceContents {
	c := &sdk.ResourceContents{URI: cmp.Or(p.URI, uri), MIMEType: p.MediaType}
	if isText(p) {
		c.Text = string(p.Data)
	} else {
		c.Blob = p.Data
	}
	return c
}

// isText reports whether the data of a part is text.
func isText(p tool.Part) bool {
	return p.Kind == tool.DocumentPart && !strings.HasPrefix(p.MediaType, "audio/") && utf8.Valid(p.Data)
}

// watch begins or ends a subscription of a client. The server behind has one for all of them.
func (p *proxy) watch(ctx context.Context, uri string, more int) error {
	if _, err := url.Parse(uri); err != nil {
		return err
	}
	p.mu.Lock()
	p.watched[uri] = max(0, p.watched[uri]+more)
	n := p.watched[uri]
	if n == 0 {
		delete(p.watched, uri)
	}
	p.mu.Unlock()
	switch {
	case more > 0 && n == 1:
		return p.Subscribe(ctx, uri, false)
	case more < 0 && n == 0:
		return p.Subscribe(ctx, uri, true)
	}
	return nil
}

// completed masks what a server completes.
func (s *Server) completed(r *sdk.CompleteResult, err error) (*sdk.CompleteResult, error) {
	if err == nil {
		for i, v := range r.Completion.Values {
			r.Completion.Values[i] = s.session.Mask().String(v)
		}
	}
	return r, err
}

// passLog gives the clients what the server behind logs. Each gets what its level has.
func (s *Server) passLog(l *sdk.LoggingMessageParams) {
	data, err := json.Marshal(l.Data)
	if err != nil {
		return
	}
	masked := &sdk.LoggingMessageParams{Level: l.Level, Logger: l.Logger, Data: json.RawMessage(s.session.Mask().Bytes(data))}
	for client := range s.sdk.Sessions() {
		_ = client.Log(context.Background(), masked) // who has left needs none
	}
}
