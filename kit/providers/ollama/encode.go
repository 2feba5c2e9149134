package ollama

import (
	"encoding/base64"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// encode returns a message as it is sent, with a comma before it.
func encode(m *model.Message, to model.Info, sent *wire.Sent) []byte {
	own := m.From == to.String()
	if m.Role == model.Assistant {
		return assistant(m, own, sent)
	}
	parts := wire.Sendable(m.Parts, to, "image/png", "image/jpeg", "image/webp")
	if m.Role == model.Results {
		return results(parts, own, sent)
	}
	return user(nil, parts)
}

// assistant returns an answer. Thinking goes back only to the model that thought it.
func assistant(m *model.Message, own bool, sent *wire.Sent) []byte {
	out := jsontext.AppendField([]byte(`,{"role":"assistant"`), "content", m.Text())
	var calls []byte
	thinking := ""
	for _, p := range m.Parts {
		switch {
		case p.Kind == model.ThinkingKind && own:
			thinking += p.Text
		case p.Kind == model.CallKind:
			calls = jsontext.AppendField(append(jsontext.AppendComma(calls), '{'), "id", p.WireID(own))
			calls = jsontext.AppendField(append(calls, `,"function":{`...), "name", sent.Wire(p.Name))
			calls = append(append(jsontext.AppendKey(calls, "arguments"), sent.Object(&p)...), "}}"...)
		}
	}
	if thinking != "" {
		out = jsontext.AppendField(out, "thinking", thinking)
	}
	if calls != nil {
		out = append(append(append(out, `,"tool_calls":[`...), calls...), ']')
	}
	return append(out, '}')
}

// user appends a message of the user: its texts, and its images beside them.
func user(out []byte, parts []model.Part) []byte {
	var texts []string
	images := []byte{'['}
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			texts = append(texts, p.Text)
		case model.ImageKind:
			images = jsontext.AppendString(jsontext.AppendComma(images), base64.StdEncoding.EncodeToString(p.Data))
		}
	}
	out = jsontext.AppendField(append(out, `,{"role":"user"`...), "content", strings.Join(texts, "\n\n"))
	if len(images) > 1 {
		out = append(append(jsontext.AppendKey(out, "images"), images...), ']')
	}
	return append(out, '}')
}

// results returns one message for each result. Images follow in a message of the user.
func results(parts []model.Part, own bool, sent *wire.Sent) []byte {
	var out []byte
	attached := []model.Part{model.Text("The images of the tool results above, in their order:")}
	for _, p := range parts {
		switch {
		case p.Kind == model.ResultKind:
			out = jsontext.AppendField(append(out, `,{"role":"tool"`...), "tool_name", sent.Wire(p.Name))
			out = jsontext.AppendField(out, "tool_call_id", p.WireID(own))
			out = append(jsontext.AppendField(out, "content", p.WithTexts(model.Attached(parts, p.ID))), '}')
		case p.Attachment():
			attached = append(attached, p)
		}
	}
	if len(attached) == 1 {
		return out
	}
	return user(out, attached)
}
