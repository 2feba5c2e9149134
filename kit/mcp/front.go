//lint:file-ignore SA1019 servers of older versions use sampling and logging for years to come

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// front is the client of a proxy: rein connects it with the server. What the server asks of a user or a model goes to that client,
// and results keep the form that the server gave them: texts of resources and messages of prompts are parts of their own.
type front struct {
	ask     func(ctx context.Context, q sdk.InputRequest) (sdk.InputResponse, error) // a form, an address, a request to the model
	log     func(*sdk.LoggingMessageParams)                                          // takes what the server logs
	updated func(uri string)                                                         // reports that a resource changed
	changed func()                                                                   // reports that the tools, prompts or resources are others
}

// Before makes rein a proxy between the server and this client. It is called before anything else. ask takes what the server wants
// from a user or a model, log what it logs; updated reports that a resource changed, changed that the tools, prompts or resources
// are others.
func (s *Server) Before(ask func(context.Context, sdk.InputRequest) (sdk.InputResponse, error), log func(*sdk.LoggingMessageParams), updated func(uri string), changed func()) {
	s.front = &front{ask, log, updated, changed}
}

// Learn asks the server for its prompts and resources.
func (s *Server) Learn(ctx context.Context) error {
	_, err := s.List(ctx)
	return err
}

// Lent returns the prompts and resources that the server listed, in the form of the protocol.
func (s *Server) Lent() (prompts []*sdk.Prompt, resources []*sdk.Resource, templates []*sdk.ResourceTemplate) {
	o := s.Offers()
	for _, p := range o.Prompts {
		lent := &sdk.Prompt{Name: p.Name, Description: p.About}
		for _, a := range p.Arguments {
			lent.Arguments = append(lent.Arguments, &sdk.PromptArgument{Name: a.Name, Description: a.About, Required: a.Required})
		}
		prompts = append(prompts, lent)
	}
	for _, r := range o.Resources {
		resources = append(resources, &sdk.Resource{URI: r.URI, Name: cmp.Or(r.Name, r.URI), Description: r.About, MIMEType: r.Media})
	}
	for _, r := range o.Templates {
		templates = append(templates, &sdk.ResourceTemplate{URITemplate: r.URI, Name: cmp.Or(r.Name, r.URI), Description: r.About, MIMEType: r.Media})
	}
	return prompts, resources, templates
}

// Called returns the name by which a session calls a tool of the server.
func (s *Server) Called(own string) string { return ToolName(s.entry.Name, own) }

// frontOptions are what the server may ask of the client in front, and what it tells it.
func (s *Server) frontOptions(o *sdk.ClientOptions) {
	f := s.front
	o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
	o.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		answer, err := f.ask(ctx, r.Params)
		result, ok := answer.(*sdk.ElicitResult)
		if !ok {
			result = &sdk.ElicitResult{Action: "cancel"}
		}
		return result, err
	}
	o.CreateMessageHandler = func(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
		answer, err := f.ask(ctx, r.Params)
		if result, ok := answer.(*sdk.CreateMessageWithToolsResult); ok && len(result.Content) == 1 { // as newer clients answer
			answer = &sdk.CreateMessageResult{Content: result.Content[0], Model: result.Model, Role: result.Role, StopReason: result.StopReason}
		}
		result, ok := answer.(*sdk.CreateMessageResult)
		if err == nil && !ok {
			err = errors.New("the client gave no answer")
		}
		return result, err
	}
	o.LoggingMessageHandler = func(ctx context.Context, r *sdk.LoggingMessageRequest) {
		s.logged(ctx, r)
		f.log(r.Params)
	}
	o.ResourceUpdatedHandler = func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { f.updated(r.Params.URI) }
}

// changed reports to the client in front that something is listed again.
func (s *Server) changed() {
	if s.front != nil {
		s.front.changed()
	}
}

// Capabilities returns what the connected server can do.
func (s *Server) Capabilities(ctx context.Context) (*sdk.ServerCapabilities, string, error) {
	client, err := s.session(ctx)
	if err != nil {
		return nil, "", s.unavailable(err)
	}
	r := client.InitializeResult()
	if r == nil || r.Capabilities == nil {
		return &sdk.ServerCapabilities{}, "", nil
	}
	if r.Capabilities.Logging != nil {
		_ = client.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "debug"}) // the client in front chooses its own; newer servers have no level
	}
	return r.Capabilities, visibleText(r.Instructions), nil
}

// Definitions returns the tools that the server lists, as they are pinned.
func (s *Server) Definitions() (all []*sdk.Tool) {
	known, _ := s.pins.All() // fill reports the error
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range known {
		if s.gone[d.Name] || !s.entry.Uses(d.Name) {
			continue
		}
		t := &sdk.Tool{Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: d.Schema}
		if len(d.Output) > 0 {
			t.OutputSchema = d.Output
		}
		if len(d.Annotations) > 0 && json.Unmarshal(d.Annotations, &t.Annotations) != nil {
			t.Annotations = nil
		}
		all = append(all, t)
	}
	return slices.Clip(all)
}

// Complete asks the server for the values of an argument.
func (s *Server) Complete(ctx context.Context, p *sdk.CompleteParams) (*sdk.CompleteResult, error) {
	client, err := s.session(ctx)
	if err != nil {
		return nil, s.unavailable(err)
	}
	return client.Complete(ctx, &sdk.CompleteParams{Ref: p.Ref, Argument: p.Argument, Context: p.Context}) // the rest is between client and proxy
}

// Subscribe asks the server to report changes of a resource; off ends that.
func (s *Server) Subscribe(ctx context.Context, uri string, off bool) error {
	client, err := s.session(ctx)
	if err != nil {
		return s.unavailable(err)
	}
	if off {
		return client.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: uri})
	}
	return client.Subscribe(ctx, &sdk.SubscribeParams{URI: uri})
}
