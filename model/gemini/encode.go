package gemini

import (
	"encoding/base64"

	"rein/internal/jsonwrite"
	"rein/model"
)

// unsigned stands for the signature of a call that another model made; the provider documents it.
const unsigned = "skip_thought_signature_validator"

// target is the model that messages are encoded for.
type target struct {
	from  string
	signs bool
	sent  *model.Sent
}

// encode returns a message as it is sent, with a comma before it.
func (t target) encode(m *model.Message) []byte {
	own := m.From == t.from
	if m.Role == model.Assistant {
		out := []byte(`,{"role":"model","parts":`)
		if own && len(m.Raw) > 0 && m.Raw[0] == '[' {
			return append(append(out, m.Raw...), '}')
		}
		return append(t.parts(append(out, '['), m.Parts, own), ']', '}')
	}
	out := []byte(`,{"role":"user","parts":[`)
	for _, p := range m.Parts {
		switch p.Kind {
		case model.TextKind:
			out = append(jsonwrite.Field(append(jsonwrite.Comma(out), '{'), "text", p.Text), '}')
		case model.ImageKind:
			out = image(out, p)
		case model.ResultKind:
			out = result(out, p, own, t.sent)
		}
	}
	return append(out, ']', '}')
}

func (t target) parts(out []byte, parts []model.Part, own bool) []byte {
	first := true
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			out = append(jsonwrite.Field(append(jsonwrite.Comma(out), '{'), "text", p.Text), '}')
		case model.CallKind:
			out = append(call(append(jsonwrite.Comma(out), '{'), p, own, t.sent), '}')
			if first && t.signs {
				out = append(jsonwrite.Field(out, "thoughtSignature", unsigned), '}')
			} else {
				out = append(out, '}')
			}
			first = false
		}
	}
	return out
}

// call appends the field of a call without its closing brace.
func call(out []byte, p model.Part, own bool, sent *model.Sent) []byte {
	out = append(jsonwrite.Key(out, "functionCall"), '{')
	if own && p.ProviderID != "" {
		out = jsonwrite.Field(out, "id", p.ProviderID)
	}
	out = jsonwrite.Field(out, "name", sent.Wire(p.Name))
	return append(jsonwrite.Key(out, "args"), sent.Object(&p)...)
}

func image(out []byte, p model.Part) []byte {
	out = jsonwrite.Field(append(jsonwrite.Comma(out), `{"inlineData":{`...), "mimeType", p.MediaType)
	return append(jsonwrite.Field(out, "data", base64.StdEncoding.EncodeToString(p.Data)), '}', '}')
}

// result appends what a call gave. Without ids the provider goes by name and order.
func result(out []byte, p model.Part, own bool, sent *model.Sent) []byte {
	out = append(jsonwrite.Comma(out), `{"functionResponse":{`...)
	if own && p.ProviderID != "" {
		out = jsonwrite.Field(out, "id", p.ProviderID)
	}
	out = jsonwrite.Field(out, "name", sent.Wire(p.Name))
	key := "output"
	if p.Failed {
		key = "error"
	}
	out = jsonwrite.Field(append(jsonwrite.Key(out, "response"), '{'), key, p.Said())
	return append(out, '}', '}', '}')
}
