package anthropic

import (
	"encoding/base64"
	"strings"

	"rein/internal/jsonwrite"
	"rein/model"
)

// encode returns a message as it is sent, with a comma before it. It ends in the three braces of its last block, its content
// and itself: body puts a mark before them.
func encode(m *model.Message, from string, sent *model.Sent) []byte {
	own := m.From == from
	if m.Role == model.Assistant {
		out := []byte(`,{"role":"assistant","content":`)
		if own && len(m.Raw) > 0 && m.Raw[0] == '[' {
			return append(append(out, m.Raw...), '}')
		}
		return append(blocks(append(out, '['), m.Parts, own, sent), ']', '}')
	}
	out := []byte(`,{"role":"user","content":[`)
	if m.Role == model.Results {
		return append(results(out, m.Parts, own), ']', '}')
	}
	return append(blocks(out, m.Parts, own, sent), ']', '}')
}

// blocks appends what is no result. Blank texts are refused by the provider; a message of nothing else says so in words.
func blocks(out []byte, parts []model.Part, own bool, sent *model.Sent) []byte {
	began := len(out)
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			if strings.TrimSpace(p.Text) != "" {
				out = text(out, p.Text)
			}
		case model.ThinkingKind:
			if own && p.Signature != "" {
				out = jsonwrite.Field(append(jsonwrite.Comma(out), `{"type":"thinking"`...), "thinking", p.Text)
				out = append(jsonwrite.Field(out, "signature", p.Signature), '}')
			}
		case model.CallKind:
			out = jsonwrite.Field(append(jsonwrite.Comma(out), `{"type":"tool_use"`...), "id", p.WireID(own))
			out = jsonwrite.Field(out, "name", sent.Wire(p.Name))
			out = append(append(jsonwrite.Key(out, "input"), sent.Object(&p)...), '}')
		case model.ImageKind:
			out = image(out, p)
		}
	}
	if len(out) == began {
		return text(out, "(nothing)")
	}
	return out
}

func text(out []byte, s string) []byte {
	return append(jsonwrite.Field(append(jsonwrite.Comma(out), `{"type":"text"`...), "text", s), '}')
}

func image(out []byte, p model.Part) []byte {
	out = append(jsonwrite.Comma(out), `{"type":"image","source":{"type":"base64"`...)
	out = jsonwrite.Field(out, "media_type", p.MediaType)
	return append(jsonwrite.Field(out, "data", base64.StdEncoding.EncodeToString(p.Data)), '}', '}')
}

// results appends the results; images that belong to one stand inside it.
func results(out []byte, parts []model.Part, own bool) []byte {
	for i := range parts {
		p := &parts[i]
		if p.Kind != model.ResultKind {
			continue
		}
		out = jsonwrite.Field(append(jsonwrite.Comma(out), `{"type":"tool_result"`...), "tool_use_id", p.WireID(own))
		out = append(jsonwrite.Key(out, "content"), '[')
		said := p.Said()
		if strings.TrimSpace(said) == "" {
			said = "(blank)"
		}
		out = text(out, said)
		for _, q := range parts {
			if q.Kind == model.ImageKind && q.ID == p.ID {
				out = image(out, q)
			}
		}
		out = append(out, ']')
		if p.Failed {
			out = append(out, `,"is_error":true`...)
		}
		out = append(out, '}')
	}
	return out
}
