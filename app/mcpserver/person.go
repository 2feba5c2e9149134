package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
	"rein/guard"
	"rein/tool"
)

// Person asks the user of the client that made a call. A client that cannot ask leaves the request in the inbox, where
// `rein approve`, the page and other programs find it, and the call waits.
type Person struct {
	// Wait is how long a request waits in the inbox before it is denied; 0 means DefaultWait, below zero that it is denied
	// at once.
	Wait time.Duration

	mu      sync.Mutex
	clients map[string]*client // by the id of the call
}

// DefaultWait is the default of Person.Wait: most clients give up a call after a minute.
const DefaultWait = 50 * time.Second

// client is who made a call.
type client struct {
	session *sdk.ServerSession
	ask     chan *asked
	can     *sdk.ClientCapabilities
	over    <-chan struct{} // closed when the call is
}

// asked is a question to the user, or to the model, of a client.
type asked struct {
	form   sdk.InputRequest
	answer func(sdk.InputResponse) bool // takes the answer, nil for none; false: it is no answer to this
}

// answers reports whether the client can answer a question.
func (c *client) answers(form sdk.InputRequest) bool {
	switch form.(type) {
	case *sdk.ElicitParams:
		return c.can != nil && c.can.Elicitation != nil
	//lint:ignore SA1019 clients of older versions are asked so
	case *sdk.CreateMessageParams:
		//lint:ignore SA1019 as above
		return c.can != nil && c.can.Sampling != nil
	}
	return false
}

var errOver = errors.New("the call that asks this has ended")

// question asks the client, and returns its answer; nil: it gave none.
func (c *client) question(ctx context.Context, form sdk.InputRequest) (sdk.InputResponse, error) {
	given := make(chan sdk.InputResponse, 1)
	q := &asked{form: form, answer: func(reply sdk.InputResponse) bool {
		if _, elicited := reply.(*sdk.ElicitResult); reply != nil {
			if _, isForm := form.(*sdk.ElicitParams); isForm != elicited {
				return false
			}
		}
		given <- reply
		return true
	}}
	select {
	case c.ask <- q:
	case <-c.over:
		return nil, errOver
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case reply := <-given:
		return reply, nil
	case <-c.over:
		return nil, errOver
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (p *Person) join(call string, c *client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients == nil {
		p.clients = map[string]*client{}
	}
	p.clients[call] = c
}

func (p *Person) leave(call string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.clients, call)
}

// of returns the client to ask about a call. What is asked beside a call, such as a form of a tool server, goes to the client
// that is the only one with calls at work; nil: there is none, or more than one.
func (p *Person) of(call string) (c *client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c = p.clients[call]; c != nil {
		return c
	}
	for _, one := range p.clients {
		if c != nil && c.session != one.session {
			return nil
		}
		c = one
	}
	return c
}

// Ask asks through the client, or waits for an answer from elsewhere.
func (p *Person) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	if c, q := p.of(r.Call), form(r); c != nil && c.answers(q) {
		reply, err := c.question(ctx, q)
		if err != nil {
			return guard.Answer{}, err
		}
		e, _ := reply.(*sdk.ElicitResult)
		return answerOf(r, e), nil
	}
	wait := cmp.Or(p.Wait, DefaultWait)
	if wait < 0 {
		return guard.Answer{By: guard.ByPolicy("the server"), Words: "this client cannot ask its user for an approval, and the server does not wait for one"}, nil
	}
	select {
	case <-ctx.Done():
		return guard.Answer{}, context.Cause(ctx)
	case <-time.After(wait):
		return guard.Answer{By: guard.ByDeadline(), Words: fmt.Sprintf("this client cannot ask its user, and nobody approved the call elsewhere within %v", wait)}, nil
	}
}

// What the user may choose.
const (
	once    = "Approve this call"
	session = "Approve for this session"
	no      = "Deny"
)

// form is the question as a client shows it.
func form(r *harness.Request) *sdk.ElicitParams {
	message := strings.Join(r.Lines, "\n")
	if q := r.Case.Intent.Questions; q != nil {
		return &sdk.ElicitParams{Mode: "form", Message: strings.Join(guard.QuestionLines(q), "\n"), RequestedSchema: questionSchema(q)}
	}
	choices := []any{once}
	if scopeOf(r) {
		choices = append(choices, session)
	}
	return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: map[string]any{"type": "object", "required": []any{"answer"}, "properties": map[string]any{
		"answer": map[string]any{"type": "string", "title": "Answer", "enum": append(choices, no)},
		"words":  map[string]any{"type": "string", "title": "Words", "description": "for the model, when you deny"},
	}}}
}

// scopeOf reports whether the request offers an approval for the session.
func scopeOf(r *harness.Request) bool {
	for _, s := range r.Scopes {
		if s.Scope == guard.ForSession {
			return true
		}
	}
	return false
}

func questionSchema(q *tool.Questions) map[string]any {
	properties := map[string]any{}
	for i, one := range q.List {
		p := map[string]any{"type": "string", "title": one.Asks()}
		if len(one.Choices) > 0 && !one.Free {
			var labels []any
			for _, c := range one.Choices {
				labels = append(labels, c.Label)
			}
			p["enum"] = labels
		}
		properties[fmt.Sprintf("question_%d", i+1)] = p
	}
	return map[string]any{"type": "object", "properties": properties}
}

// answerOf reads the user's answer. Whatever is not a clear approval denies; only what is a clear denial is one of the user.
func answerOf(r *harness.Request, e *sdk.ElicitResult) guard.Answer {
	a := guard.Answer{By: guard.ByPerson(""), From: "mcp"}
	unanswered := guard.Answer{By: guard.ByPolicy("the client"), From: "mcp", Words: "the client's answer is none of those that were offered"}
	switch {
	case e == nil || e.Action == "cancel":
		unanswered.Words = "the user was not asked, or closed the question without an answer"
		return unanswered
	case e.Action == unfit:
		return unanswered
	case e.Action != "accept":
		return a
	}
	if q := r.Case.Intent.Questions; q != nil {
		a.Choice, a.Chosen = guard.Approved, &tool.Chosen{Answers: make([]tool.Answer, len(q.List))}
		for i, one := range q.List {
			text, _ := e.Content[fmt.Sprintf("question_%d", i+1)].(string)
			a.Chosen.Answers[i] = tool.Answer{Text: text}
			if text == "" && one.Given != nil {
				a.Chosen.Answers[i] = *one.Given
			}
			for _, c := range one.Choices {
				if c.Label == text {
					a.Chosen.Answers[i] = tool.Answer{Choices: []string{text}}
				}
			}
		}
		if q.Check(a.Chosen) != nil {
			return unanswered
		}
		return a
	}
	switch e.Content["answer"] {
	case once:
		a.Choice = guard.Approved
	case session:
		if scopeOf(r) {
			a.Choice, a.Scope = guard.Approved, guard.ForSession
		}
	case no:
		a.Words, _ = e.Content["words"].(string)
	default:
		return unanswered
	}
	return a
}
