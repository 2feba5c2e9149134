package bedrock

import (
	"encoding/base64"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// The media types that the protocol carries, with its names for them.
var formats = [...][2]string{{"image/png", "png"}, {"image/jpeg", "jpeg"}, {"image/gif", "gif"}, {"image/webp", "webp"}, {"application/pdf", "pdf"}}

func formatOf(mediaType string) string {
	for _, f := range formats {
		if f[0] == mediaType {
			return f[1]
		}
	}
	return ""
}

// encode returns a message as it is sent, with a comma before it.
func encode(m *model.Message, to model.Info, sent *wire.Sent) []byte {
	own := m.From == to.String()
	if m.Role == model.Assistant {
		if own && len(m.Raw) > 0 && m.Raw[0] == '[' {
			return append(append([]byte(`,{"role":"assistant","content":`), m.Raw...), '}')
		}
		return append(blocks([]byte(`,{"role":"assistant","content":[`), m.Parts, own, sent), "]}"...)
	}
	out := []byte(`,{"role":"user","content":[`)
	types := make([]string, len(formats))
	for i, f := range formats {
		types[i] = f[0]
	}
	parts := wire.Sendable(m.Parts, to, types...)
	if m.Role == model.Results {
		return append(results(out, parts, own), "]}"...)
	}
	return append(blocks(out, parts, own, sent), "]}"...)
}

// blocks appends all parts except results. A message of nothing becomes "(nothing)": the provider refuses blank texts.
func blocks(out []byte, parts []model.Part, own bool, sent *wire.Sent) []byte {
	began := len(out)
	if out = written(out, parts, own, sent); len(out) == began {
		return text(out, "(nothing)")
	}
	return out
}

// written appends all parts except results and blank texts.
func written(out []byte, parts []model.Part, own bool, sent *wire.Sent) []byte {
	described := false
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			if strings.TrimSpace(p.Text) != "" {
				out, described = text(out, p.Text), true
			}
		case model.ThinkingKind:
			if own && p.Signature != "" {
				out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"reasoningContent":{"reasoningText":{`...), "text", p.Text)
				out = append(jsontext.AppendField(out, "signature", p.Signature), "}}}"...)
			}
		case model.CallKind:
			out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"toolUse":{`...), "toolUseId", p.WireID(own))
			out = jsontext.AppendField(out, "name", sent.Wire(p.Name))
			out = append(append(jsontext.AppendKey(out, "input"), sent.Object(&p)...), "}}"...)
		case model.ImageKind, model.DocumentKind:
			if p.Kind == model.DocumentKind && !described {
				out, described = text(out, "Read the document."), true // a document needs a text beside it
			}
			out = file(out, p)
		}
	}
	return out
}

func text(out []byte, s string) []byte {
	return append(jsontext.AppendField(append(jsontext.AppendComma(out), '{'), "text", s), '}')
}

// file appends an image or a document.
func file(out []byte, p model.Part) []byte {
	out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"`+string(p.Kind)+`":{`...), "format", formatOf(p.MediaType))
	if p.Kind == model.DocumentKind {
		out = jsontext.AppendField(out, "name", plainName(p.Name))
	}
	out = jsontext.AppendField(append(out, `,"source":{`...), "bytes", base64.StdEncoding.EncodeToString(p.Data))
	return append(out, "}}}"...)
}

// plainName returns a name with the characters that the provider takes for a document.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '(' || r == ')' {
			return r
		}
		return ' '
	}, name)
	if name = strings.Join(strings.Fields(name), " "); name == "" {
		return "document"
	}
	return name[:min(len(name), 200)]
}

// results appends the results, with what is attached to them.
func results(out []byte, parts []model.Part, own bool) []byte {
	for i := range parts {
		p := &parts[i]
		if p.Kind != model.ResultKind {
			continue
		}
		out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"toolResult":{`...), "toolUseId", p.WireID(own))
		out = append(jsontext.AppendKey(out, "content"), '[')
		content := p.ResultText()
		if strings.TrimSpace(content) == "" {
			content = "(blank)"
		}
		out = text(out, content)
		for _, a := range model.Attached(parts, p.ID) {
			if a.Kind == model.TextKind {
				out = text(out, a.Text)
			} else {
				out = file(out, a)
			}
		}
		status := "success"
		if p.Failed {
			status = "error"
		}
		out = append(jsontext.AppendField(append(out, ']'), "status", status), "}}"...)
	}
	return out
}
