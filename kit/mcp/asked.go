//lint:file-ignore SA1019 servers of older versions use roots, sampling and logging for years to come

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/schema"
)

// Question is what a server wants to know from the user.
type Question struct {
	Server  string
	Message string
	Schema  json.RawMessage // of the form; nil for a URL
	URL     string          // that the user is to open; "" for a form
}

// Fits returns all that the server would not take of the values of a form, a line each.
func (q Question) Fits(values map[string]any) error {
	if len(q.Schema) == 0 {
		return nil
	}
	s, err := schema.Parse(q.Schema)
	if err != nil {
		return nil // a form that is no schema takes what it asked for
	}
	encoded, err := json.Marshal(values)
	if err == nil {
		_, err = s.Check(encoded)
	}
	wrong := []error{err}
	if e, ok := errors.AsType[*schema.Invalid](err); ok {
		wrong = nil
		for _, p := range e.Problems {
			wrong = append(wrong, fmt.Errorf("%s: %s", p.Path, p.Message))
		}
	}
	var form struct {
		Properties map[string]struct{ Format string }
	}
	_ = json.Unmarshal(q.Schema, &form) // what has other types has no format
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text, ok := values[name].(string)
		if is := formats[form.Properties[name].Format]; ok && is.what != "" && !is.fits(text) {
			wrong = append(wrong, fmt.Errorf("%s: must be %s, got %q", name, is.what, text))
		}
	}
	return errors.Join(wrong...)
}

// FormatOf says in words what a format of a field is; "" where it is not checked.
func FormatOf(name string) string { return formats[name].what }

// formats are those that fields of a form may have.
var formats = map[string]struct {
	what string
	fits func(string) bool
}{
	"email": {"an e-mail address", func(s string) bool {
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s
	}},
	"uri": {"an address such as https://example.org", func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && u.IsAbs()
	}},
	"date":      {"a date such as 2026-01-31", func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }},
	"date-time": {"a time such as 2026-01-31T18:00:00Z", func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil }},
}

// Reply is the user's answer to a Question.
type Reply struct {
	Action string         // accept, decline, cancel
	Values map[string]any // of the form, when accepted
}

// Sampling is a request of a server to our model.
type Sampling struct {
	Server   string
	System   string
	Messages []SamplingMessage
	Tokens   int64 // the longest answer
}

// Shown returns the request as a user sees it, at most so many bytes of it.
func (q Sampling) Shown(most int) string {
	var b strings.Builder
	if q.System != "" {
		fmt.Fprintf(&b, "[system] %s\n", q.System)
	}
	for _, m := range q.Messages {
		b.WriteString(m.Text + "\n")
	}
	text := visibleText(strings.TrimSpace(b.String()))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// SamplingMessage is a message of a Sampling: text only.
type SamplingMessage struct {
	Assistant bool
	Text      string
}

// Sampled is the model's answer.
type Sampled struct {
	Model, Text string
	Cut         bool // at the most tokens
}

// clientOptions are what the server may ask of us, and where its notices go.
func (s *Server) clientOptions() *sdk.ClientOptions {
	o := &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
		ToolListChangedHandler:      func(_ context.Context, r *sdk.ToolListChangedRequest) { go s.learn(r.Session, s.list) },
		PromptListChangedHandler:    func(_ context.Context, r *sdk.PromptListChangedRequest) { go s.learn(r.Session, s.listOffers) },
		ResourceListChangedHandler:  func(_ context.Context, r *sdk.ResourceListChangedRequest) { go s.learn(r.Session, s.listOffers) },
		LoggingMessageHandler:       s.logged,
		ProgressNotificationHandler: s.progressed,
		KeepAlive:                   keepAlive,
		KeepAliveFailureThreshold:   3,
	}
	if s.o.Elicit != nil {
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
		o.ElicitationHandler = s.elicited
	}
	if s.o.Sample != nil && (s.entry.Sampling == nil || *s.entry.Sampling) {
		o.CreateMessageHandler = s.sampled
	}
	if s.front != nil {
		s.frontOptions(o)
	}
	return o
}

func (s *Server) logged(_ context.Context, r *sdk.LoggingMessageRequest) {
	text, err := json.Marshal(r.Params.Data)
	if err != nil {
		return
	}
	line := fmt.Sprintf("%s: %s", r.Params.Level, clip(visibleText(string(text))))
	s.log.line(line)
	if s.o.Log != nil {
		s.o.Log(s.entry.Name, line)
	}
}

func (s *Server) progressed(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
	token, _ := r.Params.ProgressToken.(string)
	s.mu.Lock()
	show := s.progress[token]
	s.mu.Unlock()
	if show == nil {
		return
	}
	text := visibleText(r.Params.Message)
	if r.Params.Total > 0 {
		text = fmt.Sprintf("%.0f %% %s", 100*r.Params.Progress/r.Params.Total, text)
	}
	show(clip(text))
}

// whileItRuns gives what a server asks during a call a context that ends with the call: not every server takes back what it asked when the
// call is cancelled.
func whileItRuns(ctx context.Context, s *Server) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.progress) > 0 {
		s.asked = append(s.asked, end)
	}
	return ctx, end
}

func (s *Server) elicited(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	ctx, end := whileItRuns(ctx, s)
	defer end()
	q := Question{Server: s.entry.Name, Message: visibleText(r.Params.Message), URL: r.Params.URL}
	if r.Params.RequestedSchema != nil && q.URL == "" {
		var err error
		if q.Schema, err = json.Marshal(r.Params.RequestedSchema); err != nil {
			return nil, err
		}
	}
	reply, err := s.o.Elicit(ctx, q)
	if err != nil {
		return nil, err
	}
	return &sdk.ElicitResult{Action: reply.Action, Content: reply.Values}, nil
}

func (s *Server) sampled(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	ctx, end := whileItRuns(ctx, s)
	defer end()
	q := Sampling{Server: s.entry.Name, System: r.Params.SystemPrompt, Tokens: r.Params.MaxTokens}
	for _, m := range r.Params.Messages {
		text, ok := m.Content.(*sdk.TextContent)
		if !ok {
			return nil, fmt.Errorf("only texts can be sent to the model, not %T", m.Content)
		}
		q.Messages = append(q.Messages, SamplingMessage{Assistant: m.Role == "assistant", Text: text.Text})
	}
	a, err := s.o.Sample(ctx, q)
	if err != nil {
		return nil, err
	}
	stop := "endTurn"
	if a.Cut {
		stop = "maxTokens"
	}
	return &sdk.CreateMessageResult{Content: &sdk.TextContent{Text: a.Text}, Model: a.Model, Role: "assistant", StopReason: stop}, nil
}
