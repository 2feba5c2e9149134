package ollama

import (
	"encoding/json"
	"io"

	"rein/kit/providers/wire"
	"rein/model"
)

// decoder reads the answer to one request, streamed as lines of JSON or whole.
type decoder struct {
	http *wire.HTTP
	sent *wire.Sent

	draft model.Draft
	stop  model.Stop
	usage model.Usage
}

// event is one line, or an answer that came whole.
type event struct {
	Message struct {
		Content  string `json:"content"`
		Thinking string `json:"thinking"`
		Calls    []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	Done   bool            `json:"done"`
	Reason string          `json:"done_reason"`
	Input  int64           `json:"prompt_eval_count"`
	Output int64           `json:"eval_count"`
	Error  json.RawMessage `json:"error"`
}

// Event implements wire.Decoder.
func (d *decoder) Event(_, data []byte, emit func(model.Chunk)) error {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return d.http.Garbled(data, err)
	}
	if len(e.Error) > 0 {
		return d.http.Fault(data)
	}
	if text := e.Message.Thinking; text != "" {
		emit(d.draft.Thinking([]byte(text)))
	}
	if text := e.Message.Content; text != "" {
		emit(d.draft.Text([]byte(text)))
	}
	for _, c := range e.Message.Calls {
		start := d.draft.Start(c.ID, d.sent.Name(c.Function.Name))
		emit(start)
		if args := c.Function.Arguments; len(args) > 0 && string(args) != "null" {
			emit(d.draft.Args(start.Call, args))
		}
		emit(d.draft.End(start.Call))
	}
	if !e.Done {
		return nil
	}
	d.stop, d.usage = model.StopEnd, model.Usage{Input: e.Input, Output: e.Output}
	if e.Reason == "length" {
		d.stop = model.StopLength
	}
	return io.EOF
}

// Done implements wire.Decoder.
func (d *decoder) Done(func(model.Chunk)) (model.Chunk, error) {
	if d.stop == "" {
		return model.Chunk{}, wire.ErrUnfinished
	}
	return d.draft.Done(d.http.Who.String(), d.stop, d.usage, nil), nil
}
