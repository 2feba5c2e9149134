// Package openai implements the two protocols of OpenAI: responses, and chat completions, which compatible servers have too.
// It also has the protocol of Cohere, whose requests are written in the same way, and gets tokens for
// Azure's models.
package openai

import (
	"cmp"
	"context"
	"iter"
	"strconv"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// Chat asks a model by the chat completions protocol. It must not be copied after its first use.
type Chat struct {
	wire.HTTP
	Flavour Flavour
	tools   wire.ToolCache
}

// Flavour describes how a server differs from the common protocol. The zero Flavour is that of compatible servers.
type Flavour struct {
	// NewFields: the server knows what only OpenAI's own does: max_completion_tokens, prompt_cache_key, streams without
	// padding.
	NewFields bool
	// NoStreamOptions: the server refuses "stream_options", and reports usage without being asked, as Mistral does.
	NoStreamOptions bool
	// Reasoning: effort goes into "reasoning":{"effort":…} as OpenRouter wants, not into "reasoning_effort".
	Reasoning bool
	// Cost: the server reports the price of a request when it is asked to, as OpenRouter does.
	Cost bool
	// Files: the server takes documents (PDF) in messages of the user. Others get a text instead, which
	// reports that a document was left out.
	Files bool
	// Switch: thinking is switched by "thinking":{"type":"enabled"} or "disabled", as DeepSeek, Moonshot and Z.ai want, where
	// the model takes no effort.
	Switch bool
	// Returns names the fields with thinking that the server takes back in messages of the assistant: "reasoning_content",
	// "reasoning", "reasoning_details". Nil means "reasoning_content".
	Returns []string
	// Profile names the rules for schemas of tools (see package schema); empty means "openai".
	Profile string
}

var chatNames = model.SamplingNames{Temperature: "temperature", TopP: "top_p", Seed: "seed", Stop: "stop", Extra: true}

// SamplingNames are the fields in which the protocol has a sampling.
func (c *Chat) SamplingNames() model.SamplingNames { return chatNames }

// Stream implements model.Model.
func (c *Chat) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return c.HTTP.Stream(ctx, func() wire.Post {
		thinking, note := c.thinking(r.Effort)
		body, sent := c.body(r, thinking)
		return wire.Post{
			Refused: chatNames.Refuse(c.Who.Provider, r.Sampling),
			Notices: c.tools.First(note),
			Path:    "/chat/completions",
			Header:  c.Bearer(),
			Body:    body,
			Sent:    sent,
			Decoder: &chatDecoder{http: &c.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}, extra: extras{returns: c.returns()}},
		}
	})
}

// thinking returns the fields for an effort, with a comma before them, and a note where the model takes another one.
// OpenRouter translates every word for models that take tokens.
func (c *Chat) thinking(effort string) (fields []byte, note string) {
	t := c.Who.Thinking
	turned := effort != "" && t != nil && (t.Switch || t.Budget)
	if turned && c.Flavour.Switch && (len(t.Efforts) == 0 || effort == "none") {
		kind := "enabled"
		if effort == "none" {
			kind = "disabled"
		}
		return append(jsontext.AppendField([]byte(`,"thinking":{`), "type", kind), '}'), ""
	}
	if !turned || !c.Flavour.Reasoning || len(t.Efforts) > 0 {
		effort, note = c.Who.Effort(effort)
	}
	switch {
	case effort == "":
		return nil, note
	case c.Flavour.Reasoning:
		return append(jsontext.AppendField([]byte(`,"reasoning":{`), "effort", effort), '}'), note
	}
	return append([]byte{','}, jsontext.AppendField(nil, "reasoning_effort", effort)...), note
}

func (c *Chat) returns() []string {
	if c.Flavour.Returns == nil {
		return []string{"reasoning_content"}
	}
	return c.Flavour.Returns
}

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (c *Chat) body(r *model.Request, thinking []byte) (pieces [][]byte, sent *wire.Sent) {
	head := jsontext.AppendField([]byte(`{`), "model", c.Who.Name)
	head = append(head, `,"stream":true`...)
	switch {
	case c.Flavour.NoStreamOptions:
	case c.Flavour.NewFields:
		head = append(head, `,"stream_options":{"include_usage":true,"include_obfuscation":false}`...)
	default:
		head = append(head, `,"stream_options":{"include_usage":true}`...)
	}
	head = append(head, `,"messages":[`...)
	if r.System != "" {
		head = jsontext.AppendField(append(head, `{"role":"system"`...), "content", r.System)
		head = append(head, '}')
	}
	tools, sent := c.tools.Get(r.Tools, cmp.Or(c.Flavour.Profile, "openai"), encodeChatTools)
	to := chatEncoder{c.Who, sent, c.Flavour.Files}
	pieces = wire.Pieces(head, r.Messages, "chat:"+c.Who.String()+sent.Key(), to.encode)
	return append(pieces, c.tail(r, thinking, tools, sent)...), sent
}

// tail returns what follows the messages: options first, then the tools, which may be large.
func (c *Chat) tail(r *model.Request, thinking []byte, tools []byte, sent *wire.Sent) [][]byte {
	most := "max_tokens"
	if c.Flavour.NewFields {
		most = "max_completion_tokens"
	}
	out := append(options([]byte{']'}, r, most, chatNames), thinking...)
	if r.Session != "" && c.Flavour.NewFields {
		out = jsontext.AppendField(out, "prompt_cache_key", r.Session)
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
func appendChoice(out []byte, choice string, sent *wire.Sent, before, after string) []byte {
	switch choice = sent.Choice(choice); choice {
	case "":
		return out
	case "none", "required":
		return jsontext.AppendField(out, "tool_choice", choice)
	}
	out = append(jsontext.AppendKey(out, "tool_choice"), before...)
	return append(jsontext.AppendString(out, sent.Wire(choice)), after...)
}

// options appends the options that both protocols have; most is the name of the limit of an answer.
func options(out []byte, r *model.Request, most string, names model.SamplingNames) []byte {
	if r.MaxTokens > 0 {
		out = strconv.AppendInt(jsontext.AppendKey(out, most), int64(r.MaxTokens), 10)
	}
	return names.Append(out, r.Sampling)
}

func encodeChatTools(tools []model.ToolSpec) []byte {
	return wire.EncodeTools(tools, `{"type":"function","function":{`, `,"parameters":`, "}}")
}
