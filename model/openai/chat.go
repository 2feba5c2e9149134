// Package openai implements the two protocols of OpenAI: responses, and chat completions, which compatible servers have too.
package openai

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"strconv"

	"rein/internal/jsonwrite"
	"rein/model"
)

// Chat asks a model by the chat completions protocol. It must not be copied after its first use.
type Chat struct {
	model.HTTP
	Flavour Flavour
	tools   model.ToolCache
}

// Flavour describes how a server differs from the common protocol. The zero Flavour is that of compatible servers.
type Flavour struct {
	// NewFields: the server knows what only OpenAI's own does: max_completion_tokens, prompt_cache_key, streams without
	// padding.
	NewFields bool
	// Reasoning: effort goes into "reasoning":{"effort":…} as OpenRouter wants, not into "reasoning_effort".
	Reasoning bool
	// Cost: the server reports the price of a request when it is asked to, as OpenRouter does.
	Cost bool
	// Files: the server takes documents (PDF) in messages of the user. Others get a text instead, which
	// reports that a document was left out.
	Files bool
	// Profile names the rules for schemas of tools (see package schema); empty means "openai".
	Profile string
}

// Stream implements model.Model.
func (c *Chat) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return c.HTTP.Stream(ctx, func() model.Post {
		body, sent := c.body(r)
		return model.Post{
			Path:    "/chat/completions",
			Header:  bearer(c.Key),
			Body:    body,
			Sent:    sent,
			Decoder: &chatDecoder{http: &c.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

func bearer(key string) http.Header {
	if key == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + key}}
}

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (c *Chat) body(r *model.Request) (pieces [][]byte, sent *model.Sent) {
	head := jsonwrite.Field([]byte(`{`), "model", c.Who.Name)
	head = append(head, `,"stream":true,"stream_options":{"include_usage":true`...)
	if c.Flavour.NewFields {
		head = append(head, `,"include_obfuscation":false`...)
	}
	head = append(head, `},"messages":[`...)
	if r.System != "" {
		head = jsonwrite.Field(append(head, `{"role":"system"`...), "content", r.System)
		head = append(head, '}')
	}
	tools, sent := c.tools.Get(r.Tools, cmp.Or(c.Flavour.Profile, "openai"), encodeChatTools)
	to := chatEncoder{c.Who, sent, c.Flavour.Files}
	pieces = model.Pieces(head, r.Messages, "chat:"+c.Who.String()+sent.Key(), to.encode)
	return append(pieces, c.tail(r, tools, sent)...), sent
}

// tail returns what follows the messages: options first, then the tools, which may be large.
func (c *Chat) tail(r *model.Request, tools []byte, sent *model.Sent) [][]byte {
	most := "max_tokens"
	if c.Flavour.NewFields {
		most = "max_completion_tokens"
	}
	out := options([]byte{']'}, r, most)
	if r.Effort != "" && c.Flavour.Reasoning {
		out = append(jsonwrite.Field(append(jsonwrite.Key(out, "reasoning"), '{'), "effort", r.Effort), '}')
	} else if r.Effort != "" {
		out = jsonwrite.Field(out, "reasoning_effort", r.Effort)
	}
	if r.Session != "" && c.Flavour.NewFields {
		out = jsonwrite.Field(out, "prompt_cache_key", r.Session)
	}
	if c.Flavour.Cost {
		out = append(out, `,"usage":{"include":true}`...)
	}
	if tools == nil {
		return [][]byte{append(out, '}')}
	}
	out = appendChoice(out, r.Choice, sent, `{"type":"function","function":{"name":`, "}}")
	return [][]byte{append(out, `,"tools":`...), tools, {'}'}}
}

// appendChoice appends which tool must be called; before and after surround the name of a certain one.
func appendChoice(out []byte, choice string, sent *model.Sent, before, after string) []byte {
	switch choice = sent.Choice(choice); choice {
	case "":
		return out
	case "none", "required":
		return jsonwrite.Field(out, "tool_choice", choice)
	}
	out = append(jsonwrite.Key(out, "tool_choice"), before...)
	return append(jsonwrite.String(out, sent.Wire(choice)), after...)
}

// options appends the options that both protocols have; most is the name of the limit of an answer.
func options(out []byte, r *model.Request, most string) []byte {
	if r.MaxTokens > 0 {
		out = strconv.AppendInt(jsonwrite.Key(out, most), int64(r.MaxTokens), 10)
	}
	if r.Temperature != nil {
		out = strconv.AppendFloat(jsonwrite.Key(out, "temperature"), *r.Temperature, 'g', -1, 64)
	}
	return out
}

func encodeChatTools(tools []model.ToolSpec) []byte {
	return encodeTools(tools, `{"type":"function","function":{`, "}}")
}

// encodeTools writes the list of tools; before and after surround the fields of each.
func encodeTools(tools []model.ToolSpec, before, after string) []byte {
	out := []byte{'['}
	for _, t := range tools {
		out = jsonwrite.Field(append(jsonwrite.Comma(out), before...), "name", t.Name)
		out = jsonwrite.Field(out, "description", t.Description)
		out = append(append(jsonwrite.Key(out, "parameters"), t.Schema...), after...)
	}
	return append(out, ']')
}
