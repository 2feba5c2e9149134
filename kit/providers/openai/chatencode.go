package openai

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// chatEncoder writes messages for one model: what this one wrote itself goes back as it came.
type chatEncoder struct {
	to    model.Info
	sent  *wire.Sent
	files bool // the server takes documents
}

// encode returns a message as it is sent, with a comma before it.
func (e chatEncoder) encode(m *model.Message) []byte {
	own := m.From == e.to.String()
	if m.Role == model.Assistant {
		if own && len(m.Raw) > 0 && m.Raw[0] == '{' {
			return append([]byte{','}, m.Raw...)
		}
		return append(chatAssistant([]byte{','}, m.Parts, own, e.sent), '}')
	}
	types := images
	if e.files {
		types = append(slices.Clone(images), "application/pdf")
	}
	parts := wire.Sendable(m.Parts, e.to, types...)
	if m.Role == model.Results {
		return chatResults(parts, own)
	}
	return userMessage(nil, parts)
}

// images are the media types of images that OpenAI takes.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// userMessage appends a message of the user. Texts alone are one string, which every server takes; anything else is a list.
func userMessage(out []byte, parts []model.Part) []byte {
	out = jsontext.AppendKey(append(out, `,{"role":"user"`...), "content")
	var texts []string
	list := []byte{'['}
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			texts = append(texts, p.Text)
			list = append(jsontext.AppendField(append(jsontext.AppendComma(list), `{"type":"text"`...), "text", p.Text), '}')
		case model.ImageKind:
			list = append(jsontext.AppendComma(list), `{"type":"image_url","image_url":{`...)
			list = append(jsontext.AppendField(list, "url", dataURL(p)), '}', '}')
		case model.DocumentKind:
			list = append(jsontext.AppendComma(list), `{"type":"file","file":{`...)
			list = append(filed(list, p), '}', '}')
		}
	}
	if len(texts) == len(parts) {
		return append(jsontext.AppendString(out, strings.Join(texts, "\n\n")), '}')
	}
	return append(append(out, list...), ']', '}')
}

// filed appends a document's name and bytes; a name is demanded.
func filed(out []byte, p model.Part) []byte {
	out = jsontext.AppendField(out, "filename", cmp.Or(p.Name, "document.pdf"))
	return jsontext.AppendField(out, "file_data", dataURL(p))
}

func dataURL(p model.Part) string {
	return "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// chatAssistant appends an assistant's message without its closing brace, so that more fields may follow.
func chatAssistant(out []byte, parts []model.Part, own bool, sent *wire.Sent) []byte {
	text := ""
	for _, p := range parts {
		if p.Kind == model.TextKind {
			text += p.Text
		}
	}
	calls := toolCalls(parts, own, sent)
	out = append(out, `{"role":"assistant"`...)
	if text == "" && calls != nil {
		out = append(jsontext.AppendKey(out, "content"), "null"...)
	} else {
		out = jsontext.AppendField(out, "content", text)
	}
	return append(out, calls...)
}

// toolCalls returns the field of the calls, with a comma before it, or nil where there are none.
func toolCalls(parts []model.Part, own bool, sent *wire.Sent) []byte {
	var out []byte
	for _, p := range parts {
		if p.Kind != model.CallKind {
			continue
		}
		if out == nil {
			out = []byte(`,"tool_calls":[`)
		}
		out = append(chatCall(jsontext.AppendComma(out), p, own, sent, nil), '}')
	}
	if out == nil {
		return nil
	}
	return append(out, ']')
}

// chatCall appends a call without its closing brace; more are fields of its function, or nil.
func chatCall(out []byte, p model.Part, own bool, sent *wire.Sent, more *fields) []byte {
	out = jsontext.AppendField(append(out, '{'), "id", p.WireID(own))
	out = append(out, `,"type":"function","function":{`...)
	out = jsontext.AppendField(out, "name", sent.Wire(p.Name))
	out = jsontext.AppendField(out, "arguments", sent.Object(&p))
	if more != nil {
		out = more.append(out)
	}
	return append(out, '}')
}

// chatResults returns one message for each result. These take only text: images and documents follow in a message of the
// user, after the last result.
func chatResults(parts []model.Part, own bool) []byte {
	var out []byte
	var attached []model.Part
	for _, p := range parts {
		switch {
		case p.Kind == model.ResultKind:
			out = jsontext.AppendField(append(out, `,{"role":"tool"`...), "tool_call_id", p.WireID(own))
			out = append(jsontext.AppendField(out, "content", p.WithTexts(model.Attached(parts, p.ID))), '}')
		case p.Attachment():
			attached = append(attached, p)
		}
	}
	if len(attached) == 0 {
		return out
	}
	intro := model.Text("The images and documents of the tool results above, in their order:")
	return userMessage(out, append([]model.Part{intro}, attached...))
}
