package openai

import (
	"context"
	"iter"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// Responses asks a model by the responses protocol, without letting the provider keep the conversation. It must not be
// copied after its first use.
type Responses struct {
	wire.HTTP
	tools wire.ToolCache
}

var responseNames = model.SamplingNames{Temperature: "temperature", TopP: "top_p", Extra: true}

// SamplingNames are the fields in which the protocol has a sampling.
func (a *Responses) SamplingNames() model.SamplingNames { return responseNames }

// Stream implements model.Model.
func (a *Responses) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return a.HTTP.Stream(ctx, func() wire.Post {
		effort, note := a.Who.Effort(r.Effort)
		body, sent := a.body(r, effort)
		return wire.Post{
			Refused: responseNames.Refuse(a.Who.Provider, r.Sampling),
			Notices: a.tools.First(note),
			Path:    "/responses",
			Header:  a.Bearer(),
			Body:    body,
			Sent:    sent,
			Decoder: &responseDecoder{http: &a.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

// thoughtless reports whether a model does not think: such a one refuses the options of those that do.
func thoughtless(who model.Info) bool {
	if who.Thinking != nil {
		return who.Thinking.Never
	}
	for _, start := range []string{"gpt-3", "gpt-4", "chatgpt-4", "ft:gpt-3", "ft:gpt-4"} {
		if strings.HasPrefix(who.Name, start) {
			return true
		}
	}
	return false
}

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (a *Responses) body(r *model.Request, effort string) (pieces [][]byte, sent *wire.Sent) {
	head := jsontext.AppendField([]byte{'{'}, "model", a.Who.Name)
	head = append(head, `,"stream":true,"store":false`...)
	var include []string
	if r.Search != nil {
		include = append(include, "web_search_call.action.sources")
	}
	if !thoughtless(a.Who) {
		include = append(include, "reasoning.encrypted_content")
		head = append(head, `,"reasoning":{"summary":"auto"`...)
		if effort != "" {
			head = jsontext.AppendField(head, "effort", effort)
		}
		head = append(head, '}')
	}
	if len(include) > 0 {
		head = jsontext.AppendStrings(head, "include", include)
	}
	if r.System != "" {
		head = jsontext.AppendField(head, "instructions", r.System)
	}
	head = append(head, `,"input":[`...)
	tools, sent := a.tools.Get(r.Tools, "openai", encodeResponseTools)
	if r.Search != nil {
		tools = searchTool(r.Search)
	}
	pieces = wire.Pieces(head, r.Messages, "responses:"+a.Who.String()+sent.Key(), func(m *model.Message) []byte { return encodeItems(m, a.Who, sent) })
	return append(pieces, a.tail(r, tools, sent)...), sent
}

func (a *Responses) tail(r *model.Request, tools []byte, sent *wire.Sent) [][]byte {
	out := options([]byte{']'}, r, "max_output_tokens", responseNames)
	if r.Session != "" {
		out = jsontext.AppendField(out, "prompt_cache_key", r.Session)
	}
	if tools == nil {
		return [][]byte{append(out, '}')}
	}
	out = appendChoice(out, r.Choice, sent, `{"type":"function","name":`, "}")
	return [][]byte{append(out, `,"tools":`...), tools, {'}'}}
}

// encodeResponseTools marks each tool as not strict: without this field the protocol takes it as strict.
func encodeResponseTools(tools []model.ToolSpec) []byte {
	return wire.EncodeTools(tools, `{"type":"function"`, `,"parameters":`, `,"strict":false}`)
}
