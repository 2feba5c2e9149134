package openai

import (
	"bytes"
	"encoding/json"
	"slices"

	"rein/internal/jsontext"
	"rein/model"
)

// extras are what a server adds to the protocol and wants back as it came: thinking, and what belongs to calls.
type extras struct {
	returns []string // the fields that the server takes back
	field   string   // "reasoning_content" or "reasoning"
	text    bytes.Buffer
	details []*detail
	calls   bool   // a call has extra_content
	content []byte // extra_content of the message: a signature of Gemini's
	listed  bool   // thinking came as parts of the content, as Mistral sends it
}

// detail is one item of reasoning_details; pieces of it come one by one.
type detail struct {
	keys   []string
	values map[string]json.RawMessage
	grows  map[string]*bytes.Buffer // the texts that come in pieces
}

// growing are the fields of a detail whose pieces are put together.
var growing = []string{"text", "summary", "data"}

func (e *extras) any() bool {
	return e.text.Len() > 0 || len(e.details) > 0 || e.calls || e.content != nil || e.listed
}

// thought keeps thinking under the name that the server gave it.
func (e *extras) thought(field string, text []byte) {
	if e.field == "" {
		e.field = field
	}
	if e.field == field {
		e.text.Write(text)
	}
}

// detail takes an item of reasoning_details, one more or a piece of the last one, and returns what can be shown of it.
func (e *extras) detail(raw []byte) (shown string) {
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return ""
	}
	for _, key := range []string{"text", "summary"} {
		_ = json.Unmarshal(values[key], &shown) // another kind of value is not shown
	}
	if n := len(e.details); n > 0 && e.details[n-1].continuedBy(values) {
		e.details[n-1].add(values)
		return shown
	}
	d := &detail{values: make(map[string]json.RawMessage), grows: make(map[string]*bytes.Buffer)}
	d.add(values)
	e.details = append(e.details, d)
	return shown
}

// continuedBy reports whether the next item belongs to this one: same type and place, and not another id.
func (d *detail) continuedBy(next map[string]json.RawMessage) bool {
	other := func(key string) bool {
		a, b := d.values[key], next[key]
		return a != nil && b != nil && string(a) != "null" && string(b) != "null" && !bytes.Equal(a, b)
	}
	encrypted := bytes.Contains(next["type"], []byte("encrypted"))
	return !encrypted && !other("type") && !other("index") && !other("id") && next["type"] != nil
}

func (d *detail) add(values map[string]json.RawMessage) {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		v := values[k]
		if _, known := d.values[k]; !known {
			d.keys = append(d.keys, k)
			d.values[k] = v
		}
		var text string
		if slices.Contains(growing, k) && json.Unmarshal(v, &text) == nil {
			if d.grows[k] == nil {
				d.grows[k] = new(bytes.Buffer)
			}
			d.grows[k].WriteString(text)
		} else if string(v) != "null" {
			d.values[k] = v
		}
	}
}

func (d *detail) append(out []byte) []byte {
	out = append(out, '{')
	for _, k := range d.keys {
		out = append(jsontext.AppendComma(out), jsontext.AppendString(nil, k)...)
		out = append(out, ':')
		if text := d.grows[k]; text != nil {
			out = jsontext.AppendString(out, text.String())
			continue
		}
		out = append(out, d.values[k]...)
	}
	return append(out, '}')
}

// message returns the assistant's message with all that the server added to it.
func (e *extras) message(parts []model.Part, callExtra map[int][]byte, sent *model.Sent) json.RawMessage {
	out := e.parts(parts, callExtra, sent)
	if e.text.Len() > 0 && slices.Contains(e.returns, e.field) {
		out = jsontext.AppendField(out, e.field, e.text.String())
	}
	if len(e.details) > 0 && slices.Contains(e.returns, "reasoning_details") {
		out = append(jsontext.AppendKey(out, "reasoning_details"), '[')
		for _, d := range e.details {
			out = d.append(jsontext.AppendComma(out))
		}
		out = append(out, ']')
	}
	if e.content != nil {
		out = append(jsontext.AppendKey(out, "extra_content"), e.content...)
	}
	return append(out, '}')
}

// parts writes text and calls; a call with extras carries them.
func (e *extras) parts(parts []model.Part, callExtra map[int][]byte, sent *model.Sent) []byte {
	if len(callExtra) == 0 {
		return e.assistant(parts, sent)
	}
	var rest []model.Part
	calls, n := []byte{'['}, 0
	for _, p := range parts {
		if p.Kind != model.CallKind {
			rest = append(rest, p)
			continue
		}
		calls = chatCall(jsontext.AppendComma(calls), p, true, sent)
		if x := callExtra[n]; x != nil {
			calls = append(jsontext.AppendKey(calls, "extra_content"), x...)
		}
		calls = append(calls, '}')
		n++
	}
	out := e.assistant(rest, sent)
	return append(append(jsontext.AppendKey(out, "tool_calls"), calls...), ']')
}

// assistant writes the message with its thinking where it came: as parts of the content, or elsewhere.
func (e *extras) assistant(parts []model.Part, sent *model.Sent) []byte {
	if !e.listed {
		return chatAssistant(nil, parts, true, sent)
	}
	content := []byte{'['}
	for _, p := range parts {
		switch p.Kind {
		case model.ThinkingKind:
			content = append(jsontext.AppendComma(content), `{"type":"thinking","thinking":[{"type":"text"`...)
			content = append(jsontext.AppendField(content, "text", p.Text), '}', ']', '}')
		case model.TextKind:
			content = append(jsontext.AppendField(append(jsontext.AppendComma(content), `{"type":"text"`...), "text", p.Text), '}')
		}
	}
	out := append(jsontext.AppendKey([]byte(`{"role":"assistant"`), "content"), append(content, ']')...)
	return append(out, toolCalls(parts, true, sent)...)
}
