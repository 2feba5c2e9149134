package openai

import (
	"bytes"
	"encoding/json"
	"io"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// response is what we read of a whole response.
type response struct {
	Status string          `json:"status"`
	Error  json.RawMessage `json:"error"`
	Detail struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage json.RawMessage `json:"usage"`

	output [][]byte // the items, as they are
}

// response reads a response. Its items are passed over: most have been streamed, and they may be long.
func (d *responseDecoder) response(raw []byte) (r response, err error) {
	rest := []byte{'{'}
	d.scan.Reset(raw)
	for key := range d.scan.Fields() {
		switch field := string(key); field {
		case "output":
			for range d.scan.Items() {
				r.output = append(r.output, d.scan.Raw())
			}
		case "status", "error", "incomplete_details", "usage":
			rest = append(jsontext.AppendKey(rest, field), d.scan.Raw()...)
		}
	}
	if err := d.scan.End(); err != nil {
		return r, err
	}
	return r, json.Unmarshal(append(rest, '}'), &r)
}

// finish takes the response that ends the answer. Items that were never streamed are taken from it.
func (d *responseDecoder) finish(raw []byte, emit func(model.Chunk)) error {
	r, err := d.response(raw)
	if err != nil {
		return d.http.Garbled(raw, err)
	}
	if r.Status == "failed" || len(r.Error) > 0 && string(r.Error) != "null" {
		return d.http.Fault(append(append([]byte(`{"error":`), r.Error...), '}'))
	}
	for i, o := range r.output {
		if it := d.find(&responseEvent{place: i}); it == nil && len(d.items) <= i || it != nil && it.raw == nil {
			d.complete(i, o, emit)
		}
	}
	d.usage, _ = readUsage(r.Usage)
	switch {
	case d.refused || r.Detail.Reason == "content_filter":
		d.stop = model.StopRefusal
	case r.Status == "incomplete":
		d.stop = model.StopLength
	default:
		d.stop = model.StopEnd
	}
	return io.EOF
}

// Done implements wire.Decoder.
func (d *responseDecoder) Done(func(model.Chunk)) (model.Chunk, error) {
	if d.stop == "" {
		return model.Chunk{}, wire.ErrUnfinished
	}
	done := d.draft.Done(d.http.Who.String(), d.stop, d.usage, nil)
	done.Message.KeepRaw(d.raw(done.Message))
	done.Sources = d.sources()
	return done, nil
}

// raw returns the items as they go back, or nil when the parts say all of them.
func (d *responseDecoder) raw(m *model.Message) json.RawMessage {
	items, special := d.items, false
	for len(items) > 0 && items[len(items)-1].kind == "reasoning" {
		items = items[:len(items)-1] // thinking must be followed by what it led to
	}
	for _, it := range items {
		special = special || it.special()
	}
	if !special {
		return nil
	}
	calls := m.Calls()
	out := []byte{'['}
	for _, it := range items {
		if it.raw == nil {
			return nil
		}
		out = jsontext.AppendComma(out)
		if it.call >= 0 {
			out = d.callItem(out, it.raw, &calls[it.call])
			continue
		}
		out = append(out, it.raw...)
	}
	return append(out, ']')
}

// callItem appends a call as it came, but with an id and arguments that the provider takes: its own id may be one that it
// gave twice, and what was cut is no object.
func (d *responseDecoder) callItem(out, raw []byte, p *model.Part) []byte {
	d.scan.Reset(raw)
	out = append(out, '{')
	for key := range d.scan.Fields() {
		switch field := string(key); field {
		case "call_id":
			d.scan.Skip()
			out = jsontext.AppendField(out, field, p.WireID(true))
		case "arguments":
			d.scan.Skip()
			out = jsontext.AppendField(out, field, p.Object())
		default:
			out = append(jsontext.AppendKey(out, field), d.scan.Raw()...)
		}
	}
	return append(out, '}')
}

// special reports whether the item holds what a part cannot.
func (it *item) special() bool {
	switch it.kind {
	case "function_call":
		return false
	case "message":
		return bytes.Contains(it.raw, []byte(`"phase":`))
	}
	return true
}
