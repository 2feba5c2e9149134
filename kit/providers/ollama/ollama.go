// Package ollama implements the own chat protocol of Ollama. Unlike its compatible protocol it carries the context window, so
// a long request is not cut off without an error.
package ollama

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// Chat asks a model by the chat protocol of Ollama. The model is served with the context window of HTTP.Who; 0 leaves that of
// the server. It must not be copied after its first use.
type Chat struct {
	wire.HTTP
	tools wire.ToolCache
}

var samplingNames = model.SamplingNames{Temperature: "temperature", TopP: "top_p", Seed: "seed", Stop: "stop", Extra: true}

// SamplingNames are the fields in which the protocol has a sampling.
func (c *Chat) SamplingNames() model.SamplingNames { return samplingNames }

// Stream implements model.Model.
func (c *Chat) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return c.HTTP.Stream(ctx, func() wire.Post {
		think, note := c.think(r.Effort)
		body, sent := c.body(r, think)
		return wire.Post{
			Refused: samplingNames.Refuse(c.Who.Provider, r.Sampling),
			Notices: c.tools.First(note),
			Path:    "/api/chat",
			Header:  c.Bearer(),
			Body:    body,
			Sent:    sent,
			Decoder: &decoder{http: &c.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

// levels are the words for thinking that the protocol has. Models with a switch take true and false.
var levels = []string{"low", "medium", "high"}

// think returns the field for an effort, with a comma before it. A model that is not known to think gets none, because the
// server would refuse the request.
func (c *Chat) think(effort string) (field, note string) {
	t := c.Who.Thinking
	switch {
	case effort == "" || t == nil:
		return "", ""
	case t.Switch && effort == "none":
		return `,"think":false`, ""
	case t.Switch && len(t.Efforts) == 0:
		return `,"think":true`, ""
	}
	effort, note = c.Who.Effort(effort)
	if !slices.Contains(levels, effort) {
		return "", note
	}
	return `,"think":"` + effort + `"`, note
}

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows. The
// server is asked to report a request that is too long, not to cut it. A tool cannot be demanded; to forbid all, none are sent.
func (c *Chat) body(r *model.Request, think string) ([][]byte, *wire.Sent) {
	head := append(jsontext.AppendField([]byte(`{`), "model", c.Who.Name), `,"stream":true,"truncate":false,"shift":false,"messages":[`...)
	if r.System != "" {
		head = append(jsontext.AppendField(append(head, `{"role":"system"`...), "content", r.System), '}')
	}
	tools, sent := c.tools.Get(r.Tools, "ollama", encodeTools)
	pieces := wire.Pieces(head, r.Messages, "ollama:"+c.Who.String()+sent.Key(), func(m *model.Message) []byte { return encode(m, c.Who, sent) })
	out := append(append([]byte{']'}, options(c.Who.Context, r)...), think...)
	if tools == nil || sent.Choice(r.Choice) == "none" {
		return append(pieces, append(out, '}')), sent
	}
	return append(pieces, append(out, `,"tools":`...), tools, []byte{'}'}), sent
}

// options returns how the model is served and what bounds the answer.
func options(window int, r *model.Request) []byte {
	out := []byte(`,"options":{`)
	began := len(out)
	if window > 0 {
		out = strconv.AppendInt(jsontext.AppendKey(out, "num_ctx"), int64(window), 10)
	}
	if r.MaxTokens > 0 {
		out = strconv.AppendInt(jsontext.AppendKey(out, "num_predict"), int64(r.MaxTokens), 10)
	}
	out = samplingNames.Append(out, r.Sampling)
	if len(out) == began {
		return nil
	}
	return append(out, '}')
}

func encodeTools(tools []model.ToolSpec) []byte {
	return wire.EncodeTools(tools, `{"type":"function","function":{`, `,"parameters":`, "}}")
}
