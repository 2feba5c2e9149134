package openai

import (
	"slices"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// encodeItems returns a message as its items, each with a comma before it.
func encodeItems(m *model.Message, to model.Info, sent *wire.Sent) []byte {
	own := m.From == to.String()
	if own && m.Role == model.Assistant && len(m.Raw) > 2 && m.Raw[0] == '[' {
		return append([]byte{','}, m.Raw[1:len(m.Raw)-1]...)
	}
	parts := wire.Sendable(m.Parts, to, append(slices.Clone(images), "application/pdf")...)
	var out []byte
	if m.Role == model.User {
		out = append(jsontext.AppendKey(append(out, `,{"type":"message","role":"user"`...), "content"), '[')
		return append(inputParts(out, parts), ']', '}')
	}
	for i := range parts {
		switch p := &parts[i]; p.Kind {
		case model.TextKind:
			if m.Role == model.Assistant {
				out = append(out, `,{"type":"message","role":"assistant","content":[{"type":"output_text"`...)
				out = append(jsontext.AppendField(out, "text", p.Text), '}', ']', '}')
			}
		case model.CallKind:
			out = jsontext.AppendField(append(out, `,{"type":"function_call"`...), "call_id", p.WireID(own))
			out = jsontext.AppendField(out, "name", sent.Wire(p.Name))
			out = append(jsontext.AppendField(out, "arguments", sent.Object(p)), '}')
		case model.ResultKind:
			out = output(out, p, model.Attached(parts, p.ID), own)
		}
	}
	return out
}

// output appends what a call gave: a text, or a list when something is attached to it.
func output(out []byte, p *model.Part, attached []model.Part, own bool) []byte {
	out = jsontext.AppendField(append(out, `,{"type":"function_call_output"`...), "call_id", p.WireID(own))
	if len(attached) == 0 {
		return append(jsontext.AppendField(out, "output", p.ResultText()), '}')
	}
	list := append([]model.Part{model.Text(p.ResultText())}, attached...)
	return append(inputParts(append(jsontext.AppendKey(out, "output"), '['), list), ']', '}')
}

func inputParts(out []byte, parts []model.Part) []byte {
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			out = append(jsontext.AppendField(append(jsontext.AppendComma(out), `{"type":"input_text"`...), "text", p.Text), '}')
		case model.ImageKind:
			out = append(jsontext.AppendField(append(jsontext.AppendComma(out), `{"type":"input_image"`...), "image_url", dataURL(p)), '}')
		case model.DocumentKind:
			out = append(filed(append(jsontext.AppendComma(out), `{"type":"input_file"`...), p), '}')
		}
	}
	return out
}
