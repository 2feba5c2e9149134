package anthropic

import (
	"encoding/json"
	"io"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// decoder reads the answer to one request, streamed or whole.
type decoder struct {
	http *wire.HTTP
	sent *wire.Sent

	scan   jsontext.Scan
	draft  model.Draft
	memo   jsontext.Memo // of an event that held a piece of a call's arguments or of a text
	last   *block        // the block that the piece belonged to
	grows  string        // and the type of the piece
	blocks []*block
	open   map[int]*block // by index on the wire

	began bool // message_start came
	stop  model.Stop
	usage model.Usage
}

// event is the content of one event. The bytes are windows into it.
type event struct {
	kind    []byte
	index   int
	block   []byte // content_block
	message []byte
	usage   []byte
	failure []byte
	whole   [][]byte // content of an answer that is not streamed

	delta, piece []byte // the delta's type and its text
	citation     []byte
	at           jsontext.Span
	pieces       int
	stop         []byte
}

// Event implements wire.Decoder.
func (d *decoder) Event(_, data []byte, emit func(model.Chunk)) error {
	if len(data) == 0 || string(data) == "[DONE]" {
		return nil
	}
	if piece, ok := d.memo.Match(data); ok {
		d.add(d.last, d.grows, piece, emit)
		return nil
	}
	d.memo.Forget()
	d.scan.Reset(data)
	var e event
	d.read(&e)
	if err := d.scan.End(); err != nil {
		return d.http.Garbled(data, err)
	}
	return d.take(&e, data, emit)
}

func (d *decoder) take(e *event, data []byte, emit func(model.Chunk)) error {
	switch string(e.kind) {
	case "content_block_delta":
		d.piece(e, emit)
	case "content_block_start":
		d.begin(e.index, e.block, emit)
	case "content_block_stop":
		if b := d.open[e.index]; b != nil && b.call >= 0 {
			emit(d.draft.End(b.call))
		}
	case "message_start":
		if d.began {
			d.stop = ""
			return d.http.Twice()
		}
		d.began = true
		d.count(e.message)
	case "message_delta":
		d.readStop(e.stop)
		d.addUsage(e.usage)
	case "message_stop":
		return io.EOF
	case "message":
		d.message(e, emit)
		return io.EOF
	case "error":
		return d.http.Fault(data)
	case "ping":
	default:
		if e.failure != nil {
			return d.http.Fault(data)
		}
	}
	return nil
}

func (d *decoder) read(e *event) {
	for key := range d.scan.Fields() {
		switch string(key) {
		case "type":
			e.kind = d.scan.Str()
		case "index":
			e.index = d.scan.Int()
		case "delta":
			d.readDelta(e)
		case "content_block":
			e.block = d.scan.Raw()
		case "message":
			e.message = d.scan.Raw()
		case "usage":
			e.usage = d.scan.Raw()
		case "error":
			e.failure = d.scan.Raw()
		case "content":
			for range d.scan.Items() {
				e.whole = append(e.whole, d.scan.Raw())
			}
		case "stop_reason":
			e.stop = d.scan.Str()
		}
	}
}

func (d *decoder) readDelta(e *event) {
	for key := range d.scan.Fields() {
		switch string(key) {
		case "type":
			e.delta = d.scan.Str()
		case "partial_json", "text", "thinking", "signature", "content":
			e.piece = d.scan.Str()
			e.at = d.scan.Last()
			e.pieces++
		case "citation":
			e.citation = d.scan.Raw()
		case "stop_reason":
			e.stop = d.scan.Str()
		}
	}
}

func (d *decoder) readStop(reason []byte) {
	switch string(reason) {
	case "":
	case "max_tokens", "model_context_window_exceeded":
		d.stop = model.StopLength
	case "refusal":
		d.stop = model.StopRefusal
	case "pause_turn":
		d.stop = model.StopPause
	default:
		d.stop = model.StopEnd
	}
}

// message takes an answer that came whole.
func (d *decoder) message(e *event, emit func(model.Chunk)) {
	for i, raw := range e.whole {
		d.begin(i, raw, emit)
		if b := d.open[i]; b.call >= 0 {
			emit(d.draft.End(b.call))
		}
	}
	d.readStop(e.stop)
	d.addUsage(e.usage)
}

func (d *decoder) count(message []byte) {
	var m struct {
		Usage json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(message, &m) == nil {
		d.addUsage(m.Usage)
	}
}

// addUsage takes the counts of an event. They are totals; a later event may leave some out.
func (d *decoder) addUsage(raw []byte) {
	var u struct {
		Input  int64 `json:"input_tokens"`
		Write  int64 `json:"cache_creation_input_tokens"`
		Read   int64 `json:"cache_read_input_tokens"`
		Output int64 `json:"output_tokens"`
		Detail struct {
			Thinking int64 `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	}
	if raw == nil || json.Unmarshal(raw, &u) != nil {
		return
	}
	if all := u.Input + u.Write + u.Read; all > 0 {
		d.usage.Input, d.usage.CacheWrite, d.usage.CacheRead = all, u.Write, u.Read
	}
	d.usage.Output = max(d.usage.Output, u.Output)
	d.usage.Thinking = max(d.usage.Thinking, u.Detail.Thinking)
}

// Done implements wire.Decoder.
func (d *decoder) Done(func(model.Chunk)) (model.Chunk, error) {
	if d.stop == "" {
		return model.Chunk{}, wire.ErrUnfinished
	}
	done := d.draft.Done(d.http.Who.String(), d.stop, d.usage, d.raw())
	var err error
	done.Sources, err = d.sources()
	return done, err
}
