package gemini

import (
	"context"
	"encoding/base64"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// interactionsRevision is the version of the protocol that is spoken.
const interactionsRevision = "2026-05-20"

// Interactions asks a model by the interactions protocol of the Gemini API. The provider keeps nothing: each request has the whole
// conversation. It must not be copied after its first use.
type Interactions struct {
	wire.HTTP
	tools wire.ToolCache
}

var interactionNames = model.SamplingNames{Temperature: "temperature", TopP: "top_p", Seed: "seed", Stop: "stop_sequences"}

// SamplingNames are the fields in which the protocol has a sampling.
func (g *Interactions) SamplingNames() model.SamplingNames { return interactionNames }

// Stream implements model.Model.
func (g *Interactions) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return g.HTTP.Stream(ctx, func() wire.Post {
		header := http.Header{"Api-Revision": {interactionsRevision}}
		if g.Key != "" {
			header.Set("X-Goog-Api-Key", g.Key)
		}
		level, note := "", ""
		if r.Effort != "" {
			if level, note = g.Who.Effort(r.Effort); g.Who.Thinking == nil {
				level, _ = model.Info{Thinking: &model.Thinking{Efforts: []string{"minimal", "low", "medium", "high"}}}.Effort(r.Effort)
			}
		}
		body, sent := g.body(r, level)
		return wire.Post{
			Refused: interactionNames.Refuse(g.Who.Provider, r.Sampling),
			Notices: g.tools.First(note),
			Path:    "/v1beta/interactions",
			Header:  header,
			Body:    body,
			Sent:    sent,
			Decoder: &interactionDecoder{http: &g.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (g *Interactions) body(r *model.Request, level string) ([][]byte, *wire.Sent) {
	head := append(jsontext.AppendField([]byte{'{'}, "model", strings.TrimPrefix(g.Who.Name, "models/")), `,"store":false,"stream":true`...)
	if strings.TrimSpace(r.System) != "" {
		head = jsontext.AppendField(head, "system_instruction", r.System)
	}
	tools, sent := g.tools.Get(r.Tools, "gemini", encodeFunctions)
	if tools != nil {
		head = append(append(head, `,"tools":`...), tools...)
	}
	steps := stepEncoder{to: g.Who, signs: (&Gemini{HTTP: wire.HTTP{Who: g.Who}}).signs(), sent: sent}
	pieces := wire.Pieces(append(head, `,"input":[`...), r.Messages, "interactions:"+g.Who.String()+sent.Key(), steps.encode)
	return append(pieces, append(append([]byte{']'}, generation(r, level, tools != nil, sent)...), '}')), sent
}

func encodeFunctions(tools []model.ToolSpec) []byte {
	return wire.EncodeTools(tools, `{"type":"function"`, `,"parameters":`, "}")
}

// generation returns the options of the request, with a comma before them.
func generation(r *model.Request, level string, tools bool, sent *wire.Sent) []byte {
	out := []byte(`,"generation_config":{`)
	empty := len(out)
	if r.MaxTokens > 0 {
		out = strconv.AppendInt(jsontext.AppendKey(out, "max_output_tokens"), int64(r.MaxTokens), 10)
	}
	out = interactionNames.Append(out, r.Sampling)
	if level != "" {
		out = append(jsontext.AppendField(out, "thinking_level", level), `,"thinking_summaries":"auto"`...)
	}
	if choice := sent.Choice(r.Choice); tools && choice != "" {
		switch choice {
		case "none":
			out = jsontext.AppendField(out, "tool_choice", "none")
		case "required":
			out = jsontext.AppendField(out, "tool_choice", "any")
		default:
			out = append(jsontext.AppendKey(out, "tool_choice"), `{"allowed_tools":{"mode":"any","tools":["`+sent.Wire(choice)+`"]}}`...)
		}
	}
	if len(out) == empty {
		return nil
	}
	return append(out, '}')
}

// stepEncoder writes messages as steps of a conversation.
type stepEncoder struct {
	to    model.Info
	signs bool // the model refuses calls that no model of its kind signed
	sent  *wire.Sent
}

// encode returns the steps of a message, each with a comma before it.
func (s stepEncoder) encode(m *model.Message) (out []byte) {
	if m.Role == model.Assistant {
		return s.answer(m)
	}
	parts := wire.Sendable(m.Parts, s.to, "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf", "text/plain")
	content := []byte{'['}
	for _, p := range parts {
		switch {
		case p.Kind == model.ResultKind:
			out = s.result(out, p, model.Attached(parts, p.ID), m.From == s.to.String())
		case m.Role == model.Results: // is part of its result
		case p.Kind == model.TextKind:
			content = textBlock(content, p.Text)
		case p.Attachment():
			content = namedBlock(content, p)
		}
	}
	if len(content) > 1 || out == nil {
		out = append(append(append(out, `,{"type":"user_input","content":`...), content...), ']', '}')
	}
	return out
}

// answer returns the steps of an answer. Thinking goes back with its signature, to the model that made it.
func (s stepEncoder) answer(m *model.Message) (out []byte) {
	own := m.From == s.to.String()
	signed := false
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == model.ThinkingKind && own && p.Signature != "":
			out = append(jsontext.AppendField(append(out, `,{"type":"thought"`...), "signature", p.Signature), '}')
			signed = true
		case p.Kind == model.TextKind && p.Text != "":
			out = append(append(textBlock(append(out, `,{"type":"model_output","content":[`...), p.Text), ']'), '}')
		case p.Kind == model.CallKind:
			if s.signs && !signed {
				out = append(jsontext.AppendField(append(out, `,{"type":"thought"`...), "signature", unsigned), '}')
				signed = true
			}
			out = jsontext.AppendField(append(out, `,{"type":"function_call"`...), "id", stepID(p, own))
			out = jsontext.AppendField(out, "name", s.sent.Wire(p.Name))
			out = append(append(jsontext.AppendKey(out, "arguments"), s.sent.Object(p)...), '}')
		}
	}
	if out == nil {
		out = append(append(textBlock([]byte(`,{"type":"model_output","content":[`), ""), ']'), '}')
	}
	return out
}

// stepID is the id of a call: the provider's own, where it gave one.
func stepID(p *model.Part, own bool) string {
	if own && p.ProviderID != "" {
		return p.ProviderID
	}
	return p.ID
}

// result appends what a call gave, with what is attached to it.
func (s stepEncoder) result(out []byte, p model.Part, attached []model.Part, own bool) []byte {
	out = jsontext.AppendField(append(out, `,{"type":"function_result"`...), "call_id", stepID(&p, own))
	out = jsontext.AppendField(out, "name", s.sent.Wire(p.Name))
	if p.Failed {
		out = append(out, `,"is_error":true`...)
	}
	out = textBlock(append(jsontext.AppendKey(out, "result"), '['), p.WithTexts(attached))
	for _, a := range attached {
		if a.Attachment() {
			out = mediaBlock(out, a)
		}
	}
	return append(out, ']', '}')
}

func textBlock(out []byte, text string) []byte {
	return append(jsontext.AppendField(append(jsontext.AppendComma(out), `{"type":"text"`...), "text", text), '}')
}

// namedBlock appends an image or a document; a document's name, which the protocol does not carry, goes before it.
func namedBlock(out []byte, p model.Part) []byte {
	if p.Kind == model.DocumentKind && p.Name != "" {
		out = textBlock(out, "The document "+p.Name+":")
	}
	return mediaBlock(out, p)
}

func mediaBlock(out []byte, p model.Part) []byte {
	kind := "image"
	if p.Kind == model.DocumentKind {
		kind = "document"
	}
	out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"type":"`+kind+`"`...), "mime_type", p.MediaType)
	return append(jsontext.AppendField(out, "data", base64.StdEncoding.EncodeToString(p.Data)), '}')
}
