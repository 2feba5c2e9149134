package openai

import (
	"context"
	"iter"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// Cohere asks a model by the chat protocol of Cohere (v2). Its requests are similar to those of chat completions, its streams
// are not. It must not be copied after its first use.
type Cohere struct {
	wire.HTTP
	tools wire.ToolCache
}

var cohereNames = model.SamplingNames{Temperature: "temperature", TopP: "p", Seed: "seed", Stop: "stop_sequences", Extra: true}

// SamplingNames are the fields in which the protocol has a sampling.
func (c *Cohere) SamplingNames() model.SamplingNames { return cohereNames }

// Stream implements model.Model.
func (c *Cohere) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return c.HTTP.Stream(ctx, func() wire.Post {
		thinking, note := c.thinking(r.Effort)
		body, sent := c.body(r, thinking)
		return wire.Post{
			Refused: cohereNames.Refuse(c.Who.Provider, r.Sampling),
			Notices: c.tools.First(note),
			Path:    "/v2/chat",
			Header:  c.Bearer(),
			Body:    body,
			Sent:    sent,
			Decoder: &cohereDecoder{http: &c.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

// cohereBudgets are the tokens of thinking for the weaker efforts. The stronger ones have no limit of their own.
var cohereBudgets = map[string]string{"minimal": "1024", "low": "4096", "medium": "10000"}

// thinking returns the field for an effort, with a comma before it, and a note where the model does not take it.
func (c *Cohere) thinking(effort string) (field, note string) {
	if t := c.Who.Thinking; effort != "" && (t == nil || !t.Switch && !t.Budget) {
		if t == nil && !strings.Contains(c.Who.Name, "reasoning") {
			return "", ""
		}
		effort, note = c.Who.Effort(effort)
	}
	switch {
	case effort == "":
		return "", note
	case effort == "none":
		return `,"thinking":{"type":"disabled"}`, note
	case cohereBudgets[effort] != "":
		return `,"thinking":{"type":"enabled","token_budget":` + cohereBudgets[effort] + `}`, note
	}
	return `,"thinking":{"type":"enabled"}`, note
}

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (c *Cohere) body(r *model.Request, thinking string) ([][]byte, *wire.Sent) {
	head := append(jsontext.AppendField([]byte(`{`), "model", c.Who.Name), `,"stream":true,"messages":[`...)
	if r.System != "" {
		head = append(jsontext.AppendField(append(head, `{"role":"system"`...), "content", r.System), '}')
	}
	tools, sent := c.tools.Get(r.Tools, "cohere", encodeChatTools)
	pieces := wire.Pieces(head, r.Messages, "cohere:"+c.Who.String()+sent.Key(), func(m *model.Message) []byte { return cohereMessage(m, c.Who, sent) })
	out := append(options([]byte{']'}, r, "max_tokens", cohereNames), thinking...)
	if tools == nil {
		return append(pieces, append(out, '}')), sent
	}
	switch sent.Choice(r.Choice) {
	case "":
	case "none":
		out = append(out, `,"tool_choice":"NONE"`...)
	default: // the protocol cannot name one tool
		out = append(out, `,"tool_choice":"REQUIRED"`...)
	}
	return append(pieces, append(out, `,"tools":`...), tools, []byte{'}'}), sent
}

// cohereMessage returns a message as it is sent, with a comma before it. The text of an answer with calls is its plan.
func cohereMessage(m *model.Message, to model.Info, sent *wire.Sent) []byte {
	own := m.From == to.String()
	switch m.Role {
	case model.Results:
		return chatResults(wire.Sendable(m.Parts, to, images...), own)
	case model.User:
		return userMessage(nil, wire.Sendable(m.Parts, to, images...))
	}
	out := []byte(`,{"role":"assistant"`)
	list := []byte{'['}
	calls := toolCalls(m.Parts, own, sent)
	for _, p := range m.Parts {
		switch {
		case p.Kind == model.ThinkingKind && own:
			list = append(jsontext.AppendField(append(jsontext.AppendComma(list), `{"type":"thinking"`...), "thinking", p.Text), '}')
		case p.Kind == model.TextKind && calls == nil && p.Text != "":
			list = append(jsontext.AppendField(append(jsontext.AppendComma(list), `{"type":"text"`...), "text", p.Text), '}')
		}
	}
	switch plan := m.Text(); {
	case calls != nil && plan != "":
		out = jsontext.AppendField(out, "tool_plan", plan)
	case len(list) == 1 && calls == nil:
		out = jsontext.AppendField(out, "content", "")
	}
	if len(list) > 1 {
		out = append(append(jsontext.AppendKey(out, "content"), list...), ']')
	}
	return append(append(out, calls...), '}')
}
