package openai

import (
	"encoding/base64"

	"rein/internal/jsonwrite"
	"rein/model"
)

// encodeChat returns a message as it is sent, with a comma before it. from is the model that it is sent to: what this one
// wrote itself goes back as it came.
func encodeChat(m *model.Message, from string, sent *model.Sent) []byte {
	own := m.From == from
	switch m.Role {
	case model.Results:
		return encodeChatResults(m, own)
	case model.Assistant:
		if own && len(m.Raw) > 0 && m.Raw[0] == '{' {
			return append([]byte{','}, m.Raw...)
		}
		return append(chatAssistant([]byte{','}, m.Parts, own, sent), '}')
	}
	out := append(jsonwrite.Key([]byte(`,{"role":"user"`), "content"), userContent(m.Parts)...)
	return append(out, '}')
}

// userContent returns one text as a string, and anything else as a list.
func userContent(parts []model.Part) []byte {
	if len(parts) == 1 && parts[0].Kind == model.TextKind {
		return jsonwrite.String(nil, parts[0].Text)
	}
	out := []byte{'['}
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			out = append(jsonwrite.Field(append(jsonwrite.Comma(out), `{"type":"text"`...), "text", p.Text), '}')
		case model.ImageKind:
			out = append(jsonwrite.Comma(out), `{"type":"image_url","image_url":{`...)
			out = append(jsonwrite.Field(out, "url", dataURL(p)), '}', '}')
		}
	}
	return append(out, ']')
}

func dataURL(p model.Part) string {
	return "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// chatAssistant appends an assistant's message without its closing brace, so that more fields may follow.
func chatAssistant(out []byte, parts []model.Part, own bool, sent *model.Sent) []byte {
	text, calls := "", 0
	for _, p := range parts {
		switch p.Kind {
		case model.TextKind:
			text += p.Text
		case model.CallKind:
			calls++
		}
	}
	out = append(out, `{"role":"assistant"`...)
	if text == "" && calls > 0 {
		out = append(jsonwrite.Key(out, "content"), "null"...)
	} else {
		out = jsonwrite.Field(out, "content", text)
	}
	if calls == 0 {
		return out
	}
	out = append(jsonwrite.Key(out, "tool_calls"), '[')
	for _, p := range parts {
		if p.Kind == model.CallKind {
			out = append(chatCall(jsonwrite.Comma(out), p, own, sent), '}')
		}
	}
	return append(out, ']')
}

// chatCall appends a call without its closing brace.
func chatCall(out []byte, p model.Part, own bool, sent *model.Sent) []byte {
	out = jsonwrite.Field(append(out, '{'), "id", p.WireID(own))
	out = append(out, `,"type":"function","function":{`...)
	out = jsonwrite.Field(out, "name", sent.Wire(p.Name))
	return append(jsonwrite.Field(out, "arguments", sent.Object(&p)), '}')
}

// encodeChatResults returns one message for each result. Images may not stand in these: the user shows them after all.
func encodeChatResults(m *model.Message, own bool) []byte {
	var out []byte
	var images []model.Part
	for _, p := range m.Parts {
		switch p.Kind {
		case model.ResultKind:
			out = jsonwrite.Field(append(out, `,{"role":"tool"`...), "tool_call_id", p.WireID(own))
			out = append(jsonwrite.Field(out, "content", p.Said()), '}')
		case model.ImageKind:
			images = append(images, p)
		}
	}
	if len(images) == 0 {
		return out
	}
	images = append([]model.Part{model.Text("The images of the results above:")}, images...)
	out = append(jsonwrite.Key(append(out, `,{"role":"user"`...), "content"), userContent(images)...)
	return append(out, '}')
}
