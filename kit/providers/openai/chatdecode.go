package openai

import (
	"bytes"
	"io"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// chatDecoder reads the answer to one chat completion, streamed or whole.
type chatDecoder struct {
	http *wire.HTTP
	sent *wire.Sent

	scan  jsontext.Scan
	draft model.Draft
	again again
	calls chatCalls
	extra extras

	stop    model.Stop // "" until the server reports why it stops
	ended   bool       // [DONE] came
	began   bool       // some choice came
	streams bool       // pieces came: what repeats them is left out
	usage   model.Usage
	fault   []byte
}

// Event implements wire.Decoder.
func (d *chatDecoder) Event(_, data []byte, emit func(model.Chunk)) error {
	if string(data) == "[DONE]" {
		d.ended = true
		return io.EOF
	}
	if len(data) == 0 || d.repeat(data, emit) {
		return nil
	}
	d.again = again{memo: d.again.memo}
	d.scan.Reset(data)
	for key := range d.scan.Fields() {
		switch string(key) {
		case "choices":
			for range d.scan.Items() {
				d.choice(emit)
			}
		case "usage":
			if d.scan.Kind() == '{' {
				d.again.other = true
				d.count(d.scan.Raw())
			}
		case "x_groq":
			d.again.other = true
			for key := range d.scan.Fields() {
				if string(key) == "usage" && d.scan.Kind() == '{' {
					d.count(d.scan.Raw())
				}
			}
		case "error":
			if d.scan.Kind() != 'n' {
				d.fault = append([]byte(nil), d.scan.Raw()...)
			}
		}
	}
	if err := d.scan.End(); err != nil {
		d.cut(data)
		return d.http.Garbled(data, err)
	}
	if d.fault != nil {
		if d.Recover(data) {
			return io.EOF
		}
		return d.http.Fault(append(append([]byte(`{"error":`), d.fault...), '}'))
	}
	d.remember()
	return nil
}

// count takes what the server counted, where it counted anything.
func (d *chatDecoder) count(raw []byte) {
	if u, ok := readUsage(raw); ok {
		d.usage = u
	}
}

// cut forgets that the answer ended when an event of it cannot be read to its end: calls and texts may be missing.
// Nonsense that is no object says nothing.
func (d *chatDecoder) cut(data []byte) {
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '{' {
		d.stop, d.ended = "", false
	}
}

func (d *chatDecoder) choice(emit func(model.Chunk)) {
	d.began = true
	blank := false
	var message []byte
	for key := range d.scan.Fields() {
		switch string(key) {
		case "delta":
			d.streams = d.delta(emit) || d.streams
		case "message":
			message = d.scan.Raw()
		case "finish_reason":
			if d.scan.Kind() != '"' {
				continue
			}
			d.again.other = true
			reason := string(d.scan.Str())
			blank = reason == ""
			d.finish(reason)
		case "error":
			if d.scan.Kind() == '{' {
				d.fault = append([]byte(nil), d.scan.Raw()...)
			}
		case "usage": // Moonshot
			d.again.other = true
			d.count(d.scan.Raw())
		}
	}
	if message != nil {
		d.message(message, emit)
		d.ended = d.ended || blank // Snowflake leaves the reason empty
	}
}

// message reads a message that is no piece. Where pieces come, as Perplexity sends them beside it, it only repeats them.
func (d *chatDecoder) message(raw []byte, emit func(model.Chunk)) {
	d.again.other = true
	if d.streams {
		return
	}
	outer := d.scan
	d.scan = jsontext.Scan{}
	d.scan.Reset(raw)
	d.delta(emit)
	d.scan = outer
}

// finish takes why the server stops; some fail by it and say no more.
func (d *chatDecoder) finish(reason string) {
	switch {
	case reason == "error":
		if d.fault == nil {
			d.fault = []byte(`{"message":"the answer ended in an error"}`)
		}
	case reason != "" && d.stop != model.StopRefusal:
		d.stop = chatStop(reason)
	}
}

func chatStop(reason string) model.Stop {
	switch reason {
	case "length", "max_tokens", "model_length":
		return model.StopLength
	case "content_filter", "refusal":
		return model.StopRefusal
	case "tool_calls", "function_call", "tool_use":
		return model.StopCalls
	}
	return model.StopEnd
}

// delta reads a piece of a message, or a whole one. It reports whether there was anything in it.
func (d *chatDecoder) delta(emit func(model.Chunk)) (any bool) {
	details, thought := "", false
	for key := range d.scan.Fields() {
		any = true
		switch string(key) {
		case "content":
			d.content(emit)
		case "refusal":
			if d.scan.Kind() != '"' {
				continue
			}
			d.again.other = true
			if text := d.scan.Str(); len(text) > 0 {
				d.stop = model.StopRefusal
				emit(d.draft.Text(text))
			}
		case "reasoning_content", "reasoning":
			d.again.other = d.again.other || d.scan.Kind() == '"'
			if text := d.scan.Str(); len(text) > 0 {
				thought = true
				d.extra.thought(string(key), text)
				emit(d.draft.Thinking(text))
			}
		case "reasoning_details":
			d.again.other = true
			for range d.scan.Items() {
				details += detailOf(&d.extra.details, d.scan.Raw())
			}
		case "thinking_blocks":
			d.again.other = true
			shown := ""
			for range d.scan.Items() {
				shown += detailOf(&d.extra.blocks, d.scan.Raw())
			}
			if details == "" {
				details = shown
			}
		case "role":
		case "tool_calls":
			for range d.scan.Items() {
				d.toolCall(emit)
			}
		case "function_call":
			if d.scan.Kind() == '{' {
				d.toolCall(emit)
			}
		default:
			name := string(key)
			d.again.other = d.extra.fields.keep(name, d.scan.Raw()) || d.again.other
		}
	}
	if details != "" && !thought {
		emit(d.draft.Thinking([]byte(details)))
	}
	return any
}

// content reads a text, or a list of parts as some servers send it.
func (d *chatDecoder) content(emit func(model.Chunk)) {
	if d.scan.Kind() != '[' {
		if d.scan.Kind() == '"' {
			d.again.pieces, d.again.text = d.again.pieces+1, true
		}
		text := d.scan.Str()
		d.again.at = d.scan.Last()
		d.text(text, emit)
		return
	}
	d.again.other = true
	for range d.scan.Items() {
		for key := range d.scan.Fields() {
			switch string(key) {
			case "text":
				d.text(d.scan.Str(), emit)
			case "thinking":
				d.thinkingParts(emit)
			}
		}
	}
}

func (d *chatDecoder) text(text []byte, emit func(model.Chunk)) {
	if len(text) > 0 {
		emit(d.draft.Text(text))
	}
}

func (d *chatDecoder) thinkingParts(emit func(model.Chunk)) {
	for range d.scan.Items() {
		for key := range d.scan.Fields() {
			if string(key) != "text" {
				continue
			}
			if text := d.scan.Str(); len(text) > 0 {
				d.extra.listed = true
				emit(d.draft.Thinking(text))
			}
		}
	}
}
