// Package bedrock implements the Converse protocol of Amazon Bedrock. It finds the keys, signs the requests
// (SigningTransport), and reads the event streams as server-sent events.
package bedrock

import (
	"context"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// Converse asks a model by the Converse protocol. A key is a bearer key of Bedrock; without one the transport signs. It must
// not be copied after its first use.
type Converse struct {
	wire.HTTP
	tools wire.ToolCache
}

var samplingNames = model.SamplingNames{Temperature: "temperature", TopP: "topP", Stop: "stopSequences"}

// SamplingNames are the fields in which the protocol has a sampling.
func (c *Converse) SamplingNames() model.SamplingNames { return samplingNames }

// Stream implements model.Model.
func (c *Converse) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return c.HTTP.Stream(ctx, func() wire.Post {
		extra, note := c.thinking(r)
		body, sent := c.body(r, extra)
		header := c.Bearer()
		return wire.Post{
			Refused: samplingNames.Refuse(c.Who.Provider, r.Sampling),
			Notices: c.tools.First(note),
			Path:    "/model/" + escaped(c.Who.Name) + "/converse-stream",
			Header:  header, Body: body, Sent: sent,
			Decoder: &decoder{http: &c.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

// escaped writes the id of a model for a path: also a colon, which url.PathEscape leaves, because the signature is over %3A.
func escaped(name string) string { return strings.ReplaceAll(url.PathEscape(name), ":", "%3A") }

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (c *Converse) body(r *model.Request, extra string) ([][]byte, *wire.Sent) {
	tools, sent := c.tools.Get(r.Tools, "bedrock", encodeTools)
	if tools == nil {
		tools = gone(r.Messages, sent)
	}
	key := "bedrock:" + c.Who.String() + sent.Key()
	caches := cachesOf(c.Who.Name)
	pieces := wire.Pieces([]byte(`{"messages":[`), r.Messages, key, func(m *model.Message) []byte { return encode(m, c.Who, sent) })
	if caches && len(r.Messages) > 0 {
		last := pieces[len(pieces)-1]
		pieces[len(pieces)-1] = append(last[:len(last)-2:len(last)-2], `,{"cachePoint":{"type":"default"}}]}`...)
	}
	out := []byte{']'}
	if strings.TrimSpace(r.System) != "" {
		out = append(jsontext.AppendField(append(out, `,"system":[{`...), "text", r.System), '}')
		if caches {
			out = append(out, `,{"cachePoint":{"type":"default"}}`...)
		}
		out = append(out, ']')
	}
	out = append(out, inference(r)...)
	if tools == nil {
		return append(pieces, append(append(out, extra...), '}')), sent
	}
	out = append(out, `,"toolConfig":{"tools":`...)
	end := append([]byte(choice(r.Choice, sent)), '}')
	return append(pieces, out, tools, append(append(end, extra...), '}')), sent
}

// gone returns tools for the calls of a history without tools: the provider refuses calls of no tool.
func gone(messages []*model.Message, sent *wire.Sent) []byte {
	var all []model.ToolSpec
	for _, m := range messages {
		for _, p := range m.Parts {
			name := sent.Wire(p.Name)
			if p.Kind == model.CallKind && !slices.ContainsFunc(all, func(t model.ToolSpec) bool { return t.Name == name }) {
				all = append(all, model.ToolSpec{Name: name, Description: "not available any more", Schema: []byte(`{"type":"object"}`)})
			}
		}
	}
	if all == nil {
		return nil
	}
	return encodeTools(all)
}

// inference returns the limits of the answer.
func inference(r *model.Request) []byte {
	out := []byte(`,"inferenceConfig":{`)
	began := len(out)
	if r.MaxTokens > 0 {
		out = strconv.AppendInt(jsontext.AppendKey(out, "maxTokens"), int64(r.MaxTokens), 10)
	}
	if out = samplingNames.Append(out, r.Sampling); len(out) == began {
		return nil
	}
	return append(out, '}')
}

// choice returns which tool must be called. The protocol has no word for none: the tools stay, because the history may have
// calls of them.
func choice(tool string, sent *wire.Sent) string {
	switch tool = sent.Choice(tool); tool {
	case "", "none":
		return ""
	case "required":
		return `,"toolChoice":{"any":{}}`
	}
	return `,"toolChoice":{"tool":{"name":"` + sent.Wire(tool) + `"}}`
}

// cachesOf reports whether a model takes marks up to which the request is kept for the next one; others refuse them.
func cachesOf(name string) bool {
	for _, family := range []string{"anthropic.claude-3-7", "anthropic.claude-sonnet-4", "anthropic.claude-opus-4", "anthropic.claude-haiku-4", "anthropic.claude-sonnet-5", "anthropic.claude-opus-5", "amazon.nova"} {
		if strings.Contains(name, family) {
			return true
		}
	}
	return false
}

// thinking returns the fields for an effort, or nothing, and a note where the model takes another one. Only the models of
// Anthropic are asked: the fields of others differ.
func (c *Converse) thinking(r *model.Request) (fields, note string) {
	tokens := map[string]int{"minimal": 1024, "low": 4096, "medium": 10000, "high": 24000, "xhigh": 31000, "max": 31000}[r.Effort]
	if tokens == 0 || !strings.Contains(c.Who.Name, "anthropic.claude") {
		return "", ""
	}
	if t := c.Who.Thinking; t != nil && !t.Budget {
		effort, note := c.Who.Effort(r.Effort)
		if effort == "" {
			return "", note
		}
		return `,"additionalModelRequestFields":{"thinking":{"type":"adaptive"},"output_config":{"effort":"` + effort + `"}}`, note
	}
	if most := r.MaxTokens; most > 0 {
		tokens = min(tokens, most-1024)
	}
	if tokens < 1024 {
		return "", ""
	}
	return `,"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(tokens) + `}}`, ""
}

func encodeTools(tools []model.ToolSpec) []byte {
	out := []byte{'['}
	for _, t := range tools {
		out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"toolSpec":{`...), "name", t.Name)
		if t.Description != "" {
			out = jsontext.AppendField(out, "description", t.Description)
		}
		out = append(append(append(jsontext.AppendKey(out, "inputSchema"), `{"json":`...), t.Schema...), "}}}"...)
	}
	return append(out, ']')
}
