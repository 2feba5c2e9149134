package anthropic

import (
	"bytes"
	"encoding/json"

	"rein/internal/jsontext"
	"rein/model"
)

// block is one content block of the answer. What the parts of a message cannot say of it is kept to be sent back.
type block struct {
	kind  string
	start []byte // as it began
	call  int    // which call of the draft; -1: none

	grown     map[string]*bytes.Buffer // field → what its pieces add up to
	citations [][]byte
}

// begin takes the start of a block, which may hold all of it.
func (d *decoder) begin(index int, raw []byte, emit func(model.Chunk)) {
	var head struct {
		Type, ID, Name            string
		Text, Thinking, Signature string
		Input                     json.RawMessage
	}
	_ = json.Unmarshal(raw, &head)
	b := &block{kind: head.Type, start: bytes.Clone(raw), call: -1}
	d.blocks = append(d.blocks, b)
	if d.open == nil {
		d.open = make(map[int]*block)
	}
	d.open[index] = b
	d.draft.Split()
	switch head.Type {
	case "tool_use":
		start := d.draft.Start(head.ID, d.sent.Name(head.Name))
		b.call = start.Call
		emit(start)
		if len(head.Input) > 0 && !emptyObject(head.Input) {
			emit(d.draft.Args(b.call, head.Input))
		}
	case "text", "thinking":
		if head.Text != "" {
			d.grow(b, "text_delta", []byte(head.Text), emit)
		}
		if head.Thinking != "" {
			d.grow(b, "thinking_delta", []byte(head.Thinking), emit)
		}
		if head.Signature != "" {
			d.grow(b, "signature_delta", []byte(head.Signature), emit)
		}
	}
}

func emptyObject(raw []byte) bool { return len(bytes.Trim(raw, "{} \t\r\n")) == 0 }

// piece takes a piece of a block.
func (d *decoder) piece(e *event, emit func(model.Chunk)) {
	b := d.open[e.index]
	switch {
	case b == nil:
		return
	case e.citation != nil:
		b.citations = append(b.citations, bytes.Clone(e.citation))
		return
	case e.pieces == 1:
		d.last, d.grows = b, string(e.delta)
		d.memo.Learn(&d.scan, e.at)
	}
	d.add(b, string(e.delta), e.piece, emit)
}

func (d *decoder) add(b *block, delta string, piece []byte, emit func(model.Chunk)) {
	if b.call < 0 || delta != "input_json_delta" {
		d.grow(b, delta, piece, emit)
		return
	}
	if len(piece) > 0 {
		emit(d.draft.Args(b.call, piece))
	}
}

// grow adds a piece to the field that its type is about, and emits what can be shown.
func (d *decoder) grow(b *block, delta string, piece []byte, emit func(model.Chunk)) {
	field := fieldOf(delta)
	if len(piece) == 0 || field == "" {
		return
	}
	if b.grown == nil {
		b.grown = make(map[string]*bytes.Buffer, 2)
	}
	if b.grown[field] == nil {
		b.grown[field] = new(bytes.Buffer)
	}
	b.grown[field].Write(piece)
	switch {
	case b.kind == "text" && field == "text":
		emit(d.draft.Text(piece))
	case b.kind == "thinking" && field == "thinking":
		emit(d.draft.Thinking(piece))
	case b.kind == "thinking" && field == "signature":
		d.draft.Sign(string(piece))
	}
}

// fieldOf returns the field that pieces of this type add up to.
func fieldOf(delta string) string {
	switch delta {
	case "text_delta":
		return "text"
	case "thinking_delta":
		return "thinking"
	case "signature_delta":
		return "signature"
	case "input_json_delta":
		return "input"
	case "compaction_delta":
		return "content"
	}
	return ""
}

// raw returns the content as it goes back, or nil when the parts say all of it: texts and calls only.
func (d *decoder) raw() json.RawMessage {
	special := false
	for _, b := range d.blocks {
		special = special || b.kind != "text" && b.kind != "tool_use" || len(b.citations) > 0
	}
	if !special {
		return nil
	}
	out := []byte{'['}
	for _, b := range d.blocks {
		if b.kind == "text" && b.blank() || b.kind == "thinking" && b.grown["signature"] == nil {
			continue // blank text is refused, and so is thinking that was cut before it was signed
		}
		out = b.append(jsontext.AppendComma(out), d)
	}
	if len(out) == 1 {
		return nil
	}
	return append(out, ']')
}

// blank reports whether a text has nothing that can be sent.
func (b *block) blank() bool {
	return b.grown["text"] == nil || len(bytes.TrimSpace(b.grown["text"].Bytes())) == 0
}

// append writes the block: its start, with the fields that came in pieces. The provider does not take back who called.
func (b *block) append(out []byte, d *decoder) []byte {
	d.scan.Reset(b.start)
	out = append(out, '{')
	for key := range d.scan.Fields() {
		field, value := string(key), d.scan.Raw()
		if field == "caller" || b.grown[field] != nil || field == "citations" && len(b.citations) > 0 || field == "input" && b.call >= 0 {
			continue
		}
		if field == "id" && b.call >= 0 {
			p := d.draft.Call(b.call)
			value = jsontext.AppendString(nil, p.WireID(true))
		}
		out = append(jsontext.AppendKey(out, field), value...)
	}
	for _, field := range []string{"text", "thinking", "signature", "content"} {
		if g := b.grown[field]; g != nil {
			out = jsontext.AppendField(out, field, g.String())
		}
	}
	if len(b.citations) > 0 {
		out = append(append(append(jsontext.AppendKey(out, "citations"), '['), bytes.Join(b.citations, []byte{','})...), ']')
	}
	if b.call >= 0 {
		p := model.Part{Args: d.draft.Written(b.call), Truncated: d.stop == model.StopLength}
		out = append(jsontext.AppendKey(out, "input"), p.Object()...)
	} else if g := b.grown["input"]; g != nil {
		p := model.Part{Args: g.String()}
		out = append(jsontext.AppendKey(out, "input"), p.Object()...)
	}
	return append(out, '}')
}
