package openai

import (
	"bytes"
	"encoding/json"
	"io"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// responseDecoder reads the answer to one request of the responses protocol, streamed or whole.
type responseDecoder struct {
	http *wire.HTTP
	sent *wire.Sent

	scan  jsontext.Scan
	draft model.Draft
	items []*item
	byKey map[string]*item // by the item's id, for servers that tell no place

	began   bool
	stop    model.Stop
	refused bool
	usage   model.Usage
}

// item is one item of the answer's output.
type item struct {
	place int
	call  int  // which call of the draft; -1: none
	wrote bool // some of its text or arguments has come
	kind  string
	raw   []byte // as it is when it has come whole
}

// responseEvent is the content of one event. The bytes are windows into it.
type responseEvent struct {
	kind     []byte
	place    int // output_index; -1: none
	id       []byte
	delta    []byte
	text     []byte // of a .done: all of it
	item     []byte
	response []byte
	output   bool // it has output of its own: where it also has no type, it is a response itself
}

// Event implements wire.Decoder.
func (d *responseDecoder) Event(kind, data []byte, emit func(model.Chunk)) error {
	if len(data) == 0 {
		return nil
	}
	if string(data) == "[DONE]" {
		return io.EOF
	}
	d.scan.Reset(data)
	e := responseEvent{place: -1, kind: kind}
	d.read(&e)
	if err := d.scan.End(); err != nil {
		return d.http.Garbled(data, err)
	}
	if e.output && len(e.kind) == 0 {
		return d.finish(data, emit)
	}
	return d.take(&e, data, emit)
}

func (d *responseDecoder) read(e *responseEvent) {
	for key := range d.scan.Fields() {
		switch string(key) {
		case "type":
			e.kind = d.scan.Str()
		case "output_index":
			e.place = d.scan.Int()
		case "item_id":
			e.id = d.scan.Str()
		case "delta":
			e.delta = d.scan.Str()
		case "arguments", "text":
			e.text = d.scan.Str()
		case "item":
			e.item = d.scan.Raw()
		case "response":
			e.response = d.scan.Raw()
		case "output":
			e.output = d.scan.Kind() == '['
		case "error":
			if d.scan.Kind() == '{' && len(e.kind) == 0 {
				e.kind = []byte("error")
			}
		}
	}
}

func (d *responseDecoder) take(e *responseEvent, data []byte, emit func(model.Chunk)) error {
	switch string(e.kind) {
	case "response.function_call_arguments.delta":
		if it := d.find(e); it != nil && it.call >= 0 && len(e.delta) > 0 {
			it.wrote = true
			emit(d.draft.Args(it.call, e.delta))
		}
	case "response.output_text.delta", "response.refusal.delta":
		d.refused = d.refused || string(e.kind) == "response.refusal.delta"
		if len(e.delta) > 0 {
			d.wrote(e)
			emit(d.draft.Text(e.delta))
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if len(e.delta) > 0 {
			d.wrote(e)
			emit(d.draft.Thinking(e.delta))
		}
	case "response.reasoning_summary_part.added":
		d.draft.Split()
	case "response.output_item.added":
		d.add(e.place, e.item, emit)
	case "response.function_call_arguments.done":
		d.fill(d.find(e), e.text, emit)
	case "response.output_item.done":
		d.complete(e.place, e.item, emit)
	case "response.completed", "response.incomplete", "response.failed":
		if e.response == nil && e.output {
			e.response = data
		}
		return d.finish(e.response, emit)
	case "response.created":
		if d.began {
			d.stop = ""
			return d.http.Twice()
		}
		d.began = true
	case "error":
		return d.http.Fault(data)
	}
	return nil
}

func (d *responseDecoder) wrote(e *responseEvent) {
	if it := d.find(e); it != nil {
		it.wrote = true
	}
}

// find returns the item that an event is about, or nil.
func (d *responseDecoder) find(e *responseEvent) *item {
	if e.place >= 0 {
		for i := len(d.items) - 1; i >= 0; i-- {
			if d.items[i].place == e.place {
				return d.items[i]
			}
		}
		return nil
	}
	return d.byKey[string(e.id)]
}

// outputItem is what we read of an item that begins, or that was not streamed.
type outputItem struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	CallID  string `json:"call_id"`
	Name    string `json:"name"`
	Content []struct {
		Type, Text, Refusal string
	} `json:"content"`
	Summary []struct{ Text string } `json:"summary"`
}

// add begins an item.
func (d *responseDecoder) add(place int, raw []byte, emit func(model.Chunk)) *item {
	var o outputItem
	_ = json.Unmarshal(raw, &o)
	it := &item{place: place, call: -1}
	d.items = append(d.items, it)
	if o.ID != "" {
		if d.byKey == nil {
			d.byKey = make(map[string]*item)
		}
		d.byKey[o.ID] = it
	}
	d.draft.Split()
	if o.Type == "function_call" {
		start := d.draft.Start(o.CallID, d.sent.Name(o.Name))
		it.call = start.Call
		emit(start)
	}
	return it
}

// fill gives a call its arguments when no piece of them came before.
func (d *responseDecoder) fill(it *item, args []byte, emit func(model.Chunk)) {
	if it == nil || it.call < 0 || it.wrote || len(args) == 0 {
		return
	}
	it.wrote = true
	emit(d.draft.Args(it.call, args))
}

// complete ends an item. What the server sends only now is emitted now.
func (d *responseDecoder) complete(place int, raw []byte, emit func(model.Chunk)) {
	head := d.head(raw)
	it := d.find(&responseEvent{place: place, id: head.id})
	if it == nil {
		it = d.add(place, raw, emit)
	}
	it.kind, it.raw = string(head.kind), bytes.Clone(raw)
	switch {
	case it.call >= 0:
		if !it.wrote {
			d.fill(it, arguments(head.arguments), emit)
		}
		emit(d.draft.End(it.call))
	case !it.wrote:
		d.late(it, emit)
	case bytes.Contains(raw, []byte(`"type":"refusal"`)):
		d.refused = true
	}
}

// itemHead is what is read of every item. The bytes are windows into it.
type itemHead struct{ kind, id, arguments []byte }

// head reads an item in one pass: its arguments may be long.
func (d *responseDecoder) head(raw []byte) (h itemHead) {
	d.scan.Reset(raw)
	for key := range d.scan.Fields() {
		switch string(key) {
		case "type":
			h.kind = d.scan.Str()
		case "id":
			h.id = d.scan.Str()
		case "arguments":
			h.arguments = d.scan.Raw()
		}
	}
	return h
}

// late emits what an item holds of which no piece was streamed.
func (d *responseDecoder) late(it *item, emit func(model.Chunk)) {
	var o outputItem
	_ = json.Unmarshal(it.raw, &o)
	for _, c := range o.Content {
		d.refused = d.refused || c.Type == "refusal"
		switch text := c.Text + c.Refusal; {
		case text == "":
		case o.Type == "message":
			emit(d.draft.Text([]byte(text)))
		case o.Type == "reasoning":
			emit(d.draft.Thinking([]byte(text)))
		}
	}
	for _, s := range o.Summary {
		if s.Text != "" {
			emit(d.draft.Thinking([]byte(s.Text)))
		}
	}
}

// arguments reads a string, or takes an object as it is.
func arguments(raw json.RawMessage) []byte {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []byte(s)
	}
	return raw
}
