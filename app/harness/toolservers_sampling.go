package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"rein/kit/mcp"
	"rein/model"
	"rein/tool"
)

// mostSampled bounds the answer of one request of a server to the model, in tokens; mostShown is what the user sees of it, in bytes.
const (
	mostSampled = 8000
	mostShown   = 1000
)

// samplingPermission is what the user said about requests of one server to the model. The user is asked once in a session.
type samplingPermission struct {
	mu      sync.Mutex
	asked   bool
	allowed bool
}

// sample asks the session's model in the name of a server, when the user allows that.
func (s *ToolServers) sample(ctx context.Context, q mcp.Sampling) (mcp.Sampled, error) {
	if s.Model == nil || s.Mask == nil {
		return mcp.Sampled{}, errors.New("there is no model")
	}
	if err := s.mayUseModel(ctx, q); err != nil {
		return mcp.Sampled{}, err
	}
	r := &model.Request{System: s.Mask(q.System), MaxTokens: mostSampled}
	if q.Tokens > 0 {
		r.MaxTokens = int(min(q.Tokens, mostSampled))
	}
	for _, m := range q.Messages {
		text := s.Mask(m.Text)
		if m.Assistant {
			r.Messages = append(r.Messages, &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(text)}})
		} else {
			r.Messages = append(r.Messages, model.UserText(text))
		}
	}
	name, done, err := s.Model(ctx, q.Server, r)
	if err != nil {
		return mcp.Sampled{}, err
	}
	return mcp.Sampled{Model: name, Text: done.Message.Text(), Cut: done.Stop == model.StopLength}, nil
}

// mayUseModel asks the user, the first time. Without an answer the server may not, and the user is asked again the next time.
func (s *ToolServers) mayUseModel(ctx context.Context, q mcp.Sampling) error {
	s.mu.Lock()
	p := s.sampling[q.Server]
	if p == nil {
		p = &samplingPermission{}
		s.sampling[q.Server] = p
	}
	s.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked && s.Ask != nil {
		const yes = "Yes, in this session"
		answer, err := s.Ask(ctx, &tool.Questions{From: "the tool server " + q.Server, List: []tool.Question{{
			Text:    fmt.Sprintf("May the tool server %q ask the model for itself? It costs tokens of this session. The first request:\n%s", q.Server, q.Shown(mostShown)),
			Choices: []tool.Choice{{Label: yes}, {Label: "No"}}}}})
		if err != nil {
			return err
		}
		if answer != nil && len(answer.Answers) == 1 {
			p.asked = true
			p.allowed = len(answer.Answers[0].Choices) == 1 && answer.Answers[0].Choices[0] == yes
		}
	}
	if !p.allowed {
		return errors.New("the user does not allow this server to ask the model")
	}
	return nil
}
