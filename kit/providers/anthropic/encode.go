package anthropic

import (
	"encoding/base64"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// encode returns a message as it is sent, with a comma before it. It ends in the three braces of its last block, its content
// and itself: body puts a mark before them.
func encode(m *model.Message, to model.Info, sent *wire.Sent) []byte {
	own := m.From == to.String()
	if m.Role == model.Assistant {
		out := []byte(`,{"role":"assistant","content":`)
		if own && len(m.Raw) > 0 && m.Raw[0] == '[' {
			return append(append(out, m.Raw...), '}')
		}
		return append(blocks(append(out, '['), m.Parts, own, sent), ']', '}')
	}
	out := []byte(`,{"role":"user","content":[`)
	parts := wire.Sendable(m.Parts, to, "image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/*")
	if m.Role == model.Results {
		return append(results(out, parts, own), ']', '}')
	}
	return append(blocks(out, parts, own, sent), ']', '}')
}

// blocks appends all parts except results. The provider refuses blank texts; a message of nothing else becomes the text
// "(nothing)".
func blocks(out []byte, parts []model.Part, own bool, sent *wire.Sent) []byte {
	began := len(out)
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			if strings.TrimSpace(p.Text) != "" {
				out = text(out, p.Text)
			}
		case model.ThinkingKind:
			if own && p.Signature != "" {
				out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"type":"thinking"`...), "thinking", p.Text)
				out = append(jsontext.AppendField(out, "signature", p.Signature), '}')
			}
		case model.CallKind:
			out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"type":"tool_use"`...), "id", p.WireID(own))
			out = jsontext.AppendField(out, "name", sent.Wire(p.Name))
			out = append(append(jsontext.AppendKey(out, "input"), sent.Object(&p)...), '}')
		case model.ImageKind, model.DocumentKind:
			out = file(out, p)
		}
	}
	if len(out) == began {
		return text(out, "(nothing)")
	}
	return out
}

func text(out []byte, s string) []byte {
	return append(jsontext.AppendField(append(jsontext.AppendComma(out), `{"type":"text"`...), "text", s), '}')
}

// file appends an image or a document. A document of text goes as text.
func file(out []byte, p model.Part) []byte {
	out = append(jsontext.AppendField(append(jsontext.AppendComma(out), '{'), "type", string(p.Kind)), `,"source":{`...)
	if p.Kind == model.DocumentKind && strings.HasPrefix(p.MediaType, "text/") {
		out = append(jsontext.AppendField(append(out, `"type":"text","media_type":"text/plain"`...), "data", string(p.Data)), '}')
	} else {
		out = jsontext.AppendField(append(out, `"type":"base64"`...), "media_type", p.MediaType)
		out = append(jsontext.AppendField(out, "data", base64.StdEncoding.EncodeToString(p.Data)), '}')
	}
	if p.Kind == model.DocumentKind && p.Name != "" {
		out = jsontext.AppendField(out, "title", p.Name)
	}
	return append(out, '}')
}

// results appends the results. What is attached to one is inside it; a failed one may hold only text, so what is
// attached to it follows after all results.
func results(out []byte, parts []model.Part, own bool) []byte {
	var after []model.Part
	for i := range parts {
		p := &parts[i]
		if p.Kind != model.ResultKind {
			continue
		}
		out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"type":"tool_result"`...), "tool_use_id", p.WireID(own))
		out = append(jsontext.AppendKey(out, "content"), '[')
		content := p.ResultText()
		if strings.TrimSpace(content) == "" {
			content = "(blank)"
		}
		out = text(out, content)
		for _, a := range model.Attached(parts, p.ID) {
			switch {
			case a.Kind == model.TextKind:
				out = text(out, a.Text)
			case p.Failed:
				after = append(after, a)
			default:
				out = file(out, a)
			}
		}
		out = append(out, ']')
		if p.Failed {
			out = append(out, `,"is_error":true`...)
		}
		out = append(out, '}')
	}
	for _, a := range after {
		out = file(out, a)
	}
	return out
}
