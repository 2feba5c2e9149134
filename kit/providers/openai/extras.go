package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// extras are what a server adds to the protocol and wants back as it came: thinking, and what belongs to calls.
type extras struct {
	returns []string // the fields that the server takes back
	field   string   // "reasoning_content" or "reasoning"
	text    bytes.Buffer
	details []*detail // reasoning_details, as OpenRouter sends them
	blocks  []*detail // thinking_blocks, as LiteLLM sends those of Claude
	fields  fields    // of the message: signatures
	calls   map[int]*callFields
	listed  bool // thinking came as parts of the content, as Mistral sends it
}

// fields are fields that go back as they came, in their order.
type fields struct {
	keys   []string
	values [][]byte
}

// callFields are the fields of a call, and of the function in it.
type callFields struct{ outer, inner fields }

func (f *fields) set(key string, raw []byte) {
	value := bytes.Clone(raw)
	if i := slices.Index(f.keys, key); i >= 0 {
		f.values[i] = value
		return
	}
	f.keys, f.values = append(f.keys, key), append(f.values, value)
}

// keep keeps a field that no protocol names if it holds a signature: whoever signs wants it back.
func (f *fields) keep(key string, raw []byte) (kept bool) {
	signed := key == "extra_content" || strings.HasSuffix(key, "_opaque") || strings.Contains(key, "signature") ||
		bytes.Contains(raw, []byte(`signature":`)) || bytes.Contains(raw, []byte(`signatures":`))
	if kept = signed && len(raw) > 2 && string(raw) != "null"; kept {
		f.set(key, raw)
	}
	return kept
}

func (f *fields) append(out []byte) []byte {
	for i, key := range f.keys {
		out = append(jsontext.AppendKey(out, key), f.values[i]...)
	}
	return out
}

// call keeps the fields of a piece of a call.
func (e *extras) call(n int, piece callFields) {
	if len(piece.outer.keys)+len(piece.inner.keys) == 0 {
		return
	}
	if e.calls == nil {
		e.calls = make(map[int]*callFields)
	}
	all := e.calls[n]
	if all == nil {
		all = &callFields{}
		e.calls[n] = all
	}
	for i, key := range piece.outer.keys {
		all.outer.set(key, piece.outer.values[i])
	}
	for i, key := range piece.inner.keys {
		all.inner.set(key, piece.inner.values[i])
	}
}

// detail is one item of reasoning_details or thinking_blocks; pieces of it come one by one.
type detail struct {
	keys   []string
	values map[string]json.RawMessage
	grows  map[string]*bytes.Buffer // the texts that come in pieces
}

// growing are the fields of a detail whose pieces are put together.
var growing = []string{"text", "summary", "data", "thinking"}

func (e *extras) any() bool {
	return e.text.Len() > 0 || len(e.details)+len(e.blocks)+len(e.fields.keys)+len(e.calls) > 0 || e.listed
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

// detail takes an item of a list, one more or a piece of the last one, and returns what can be shown of it.
func detailOf(list *[]*detail, raw []byte) (shown string) {
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return ""
	}
	for _, key := range []string{"text", "summary", "thinking"} {
		_ = json.Unmarshal(values[key], &shown) // another kind of value is not shown
	}
	if n := len(*list); n > 0 && (*list)[n-1].continuedBy(values) {
		(*list)[n-1].add(values)
		return shown
	}
	d := &detail{values: make(map[string]json.RawMessage), grows: make(map[string]*bytes.Buffer)}
	d.add(values)
	*list = append(*list, d)
	return shown
}

// blank are values that say nothing.
func blank(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" || string(v) == `""` }

// signed reports whether the provider will know the item again.
func (d *detail) signed() bool { return !blank(d.values["signature"]) || !blank(d.values["data"]) }

// continuedBy reports whether the next item belongs to this one: same type and place, not another id, and no thinking after a signature.
func (d *detail) continuedBy(next map[string]json.RawMessage) bool {
	other := func(key string) bool {
		a, b := d.values[key], next[key]
		return a != nil && b != nil && string(a) != "null" && string(b) != "null" && !bytes.Equal(a, b)
	}
	encrypted := bytes.Contains(next["type"], []byte("encrypted")) || bytes.Contains(next["type"], []byte("redacted"))
	return !encrypted && (blank(next["thinking"]) || !d.signed()) && !other("type") && !other("index") && !other("id") && next["type"] != nil
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
		} else if !blank(v) {
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

// message returns the assistant's message with all that the server added to it. What it signed goes back in any case.
func (e *extras) message(parts []model.Part, sent *wire.Sent) json.RawMessage {
	out := e.parts(parts, sent)
	if e.text.Len() > 0 && slices.Contains(e.returns, e.field) {
		out = jsontext.AppendField(out, e.field, e.text.String())
	}
	if slices.Contains(e.returns, "reasoning_details") || slices.ContainsFunc(e.details, (*detail).signed) {
		out = list(out, "reasoning_details", e.details)
	}
	if slices.ContainsFunc(e.blocks, (*detail).signed) {
		out = list(out, "thinking_blocks", e.blocks)
	}
	return append(e.fields.append(out), '}')
}

func list(out []byte, key string, items []*detail) []byte {
	if len(items) == 0 {
		return out
	}
	out = append(jsontext.AppendKey(out, key), '[')
	for _, d := range items {
		out = d.append(jsontext.AppendComma(out))
	}
	return append(out, ']')
}

// parts writes text and calls; a call with extras carries them.
func (e *extras) parts(parts []model.Part, sent *wire.Sent) []byte {
	if len(e.calls) == 0 {
		return e.assistant(parts, sent)
	}
	var rest []model.Part
	calls, n := []byte{'['}, 0
	for _, p := range parts {
		if p.Kind != model.CallKind {
			rest = append(rest, p)
			continue
		}
		x := e.calls[n]
		if x == nil {
			x = &callFields{}
		}
		calls = chatCall(jsontext.AppendComma(calls), p, true, sent, &x.inner)
		calls = append(x.outer.append(calls), '}')
		n++
	}
	out := e.assistant(rest, sent)
	return append(append(jsontext.AppendKey(out, "tool_calls"), calls...), ']')
}

// assistant writes the message with its thinking where it came: as parts of the content, or elsewhere.
func (e *extras) assistant(parts []model.Part, sent *wire.Sent) []byte {
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
