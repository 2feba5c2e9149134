package gemini

import (
	"encoding/base64"
	"slices"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// unsigned replaces the signature of a call that another model made; the provider documents it.
const unsigned = "skip_thought_signature_validator"

// target is the model that messages are encoded for.
type target struct {
	to    model.Info
	signs bool
	sent  *wire.Sent
}

// encode returns a message as it is sent, with a comma before it.
func (t target) encode(m *model.Message) []byte {
	own := m.From == t.to.String()
	if m.Role == model.Assistant {
		out := []byte(`,{"role":"model","parts":`)
		if own && len(m.Raw) > 0 && m.Raw[0] == '[' {
			return append(append(out, m.Raw...), '}')
		}
		return append(t.parts(append(out, '['), m.Parts, own), ']', '}')
	}
	out := []byte(`,{"role":"user","parts":[`)
	parts := wire.Sendable(m.Parts, t.to, "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf", "text/plain")
	for _, p := range parts {
		switch {
		case p.Kind == model.ResultKind:
			out = t.result(out, p, model.Attached(parts, p.ID), own)
		case m.Role == model.Results: // is part of its result, or follows
		case p.Kind == model.TextKind:
			out = text(out, p.Text)
		case p.Attachment():
			out = named(out, p)
		}
	}
	if m.Role == model.Results && !t.signs {
		for _, p := range parts {
			if p.Attachment() {
				out = named(out, p)
			}
		}
	}
	return append(out, ']', '}')
}

func text(out []byte, s string) []byte {
	return append(jsontext.AppendField(append(jsontext.AppendComma(out), '{'), "text", s), '}')
}

func (t target) parts(out []byte, parts []model.Part, own bool) []byte {
	first := true
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			out = text(out, p.Text)
		case model.CallKind:
			out = append(call(append(jsontext.AppendComma(out), '{'), p, own, t.sent), '}')
			if first && t.signs {
				out = append(jsontext.AppendField(out, "thoughtSignature", unsigned), '}')
			} else {
				out = append(out, '}')
			}
			first = false
		}
	}
	return out
}

// call appends the field of a call without its closing brace.
func call(out []byte, p model.Part, own bool, sent *wire.Sent) []byte {
	out = append(jsontext.AppendKey(out, "functionCall"), '{')
	if own && p.ProviderID != "" {
		out = jsontext.AppendField(out, "id", p.ProviderID)
	}
	out = jsontext.AppendField(out, "name", sent.Wire(p.Name))
	return append(jsontext.AppendKey(out, "args"), sent.Object(&p)...)
}

// named appends an image or a document; a document's name, which the protocol does not carry, goes before it.
func named(out []byte, p model.Part) []byte {
	if p.Kind == model.DocumentKind && p.Name != "" {
		out = text(out, "The document "+p.Name+":")
	}
	return inline(out, p)
}

// inline appends the bytes of an image or a document.
func inline(out []byte, p model.Part) []byte {
	out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"inlineData":{`...), "mimeType", p.MediaType)
	return append(jsontext.AppendField(out, "data", base64.StdEncoding.EncodeToString(p.Data)), '}', '}')
}

// result appends what a call gave. Without ids the provider goes by name and order. Models from Gemini 3 on take what is
// attached inside the result; for those before it follows after all results.
func (t target) result(out []byte, p model.Part, attached []model.Part, own bool) []byte {
	out = append(jsontext.AppendComma(out), `{"functionResponse":{`...)
	if own && p.ProviderID != "" {
		out = jsontext.AppendField(out, "id", p.ProviderID)
	}
	out = jsontext.AppendField(out, "name", t.sent.Wire(p.Name))
	key := "output"
	if p.Failed {
		key = "error"
	}
	out = jsontext.AppendField(append(jsontext.AppendKey(out, "response"), '{'), key, p.WithTexts(attached))
	out = append(out, '}')
	if files := slices.DeleteFunc(attached, func(a model.Part) bool { return !a.Attachment() }); t.signs && len(files) > 0 {
		out = append(jsontext.AppendKey(out, "parts"), '[')
		for _, a := range files {
			out = inline(out, a)
		}
		out = append(out, ']')
	}
	return append(out, '}', '}')
}
