package openai

import (
	"encoding/json"
	"io"

	"rein/kit/providers/wire"
	"rein/model"
)

// cohereDecoder reads the answer to one request, streamed or whole.
type cohereDecoder struct {
	http *wire.HTTP
	sent *wire.Sent

	draft model.Draft
	call  int // the one that is being written

	began bool // message-start came
	stop  model.Stop
	usage model.Usage
}

// cohereEvent is any event, or an answer that came whole.
type cohereEvent struct {
	Type  string `json:"type"`
	Delta struct {
		Message struct {
			Content cohereContent `json:"content"`
			Plan    string        `json:"tool_plan"`
			Call    cohereCall    `json:"tool_calls"`
		} `json:"message"`
		Finish string      `json:"finish_reason"`
		Error  string      `json:"error"`
		Usage  cohereUsage `json:"usage"`
	} `json:"delta"`

	Message *struct {
		Content []cohereContent `json:"content"`
		Plan    string          `json:"tool_plan"`
		Calls   []cohereCall    `json:"tool_calls"`
	} `json:"message"`
	Finish string      `json:"finish_reason"`
	Usage  cohereUsage `json:"usage"`
}

type cohereContent struct {
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
}

type cohereCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type cohereUsage struct {
	Tokens struct {
		Input  float64 `json:"input_tokens"`
		Output float64 `json:"output_tokens"`
	} `json:"tokens"`
	Cached float64 `json:"cached_tokens"`
}

// Event implements wire.Decoder.
func (d *cohereDecoder) Event(_, data []byte, emit func(model.Chunk)) error {
	if string(data) == "[DONE]" {
		return io.EOF
	}
	var kind struct{ Type string }
	if err := json.Unmarshal(data, &kind); err != nil {
		return d.http.Garbled(data, err)
	}
	if kind.Type == "message-start" { // it has lists where the others have objects, and nothing in them
		if d.began {
			d.stop = ""
			return d.http.Twice()
		}
		d.began = true
		return nil
	}
	var e cohereEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return d.http.Garbled(data, err)
	}
	switch m := &e.Delta.Message; e.Type {
	case "error":
		return d.http.Fault(data)
	case "content-start", "content-delta":
		d.content(m.Content, emit)
	case "content-end":
		d.draft.Split()
	case "tool-plan-delta":
		d.content(cohereContent{Text: m.Plan}, emit)
	case "tool-call-start":
		d.begin(m.Call, emit)
	case "tool-call-delta":
		d.args(m.Call, emit)
	case "tool-call-end":
		d.end(emit)
	case "message-end":
		return d.finish(e.Delta.Finish, e.Delta.Error, e.Delta.Usage)
	case "":
		if e.Message == nil {
			return nil
		}
		d.content(cohereContent{Text: e.Message.Plan}, emit)
		for _, c := range e.Message.Content {
			d.content(c, emit)
		}
		for _, c := range e.Message.Calls {
			d.begin(c, emit)
			d.end(emit)
		}
		return d.finish(e.Finish, "", e.Usage)
	}
	return nil
}

func (d *cohereDecoder) content(c cohereContent, emit func(model.Chunk)) {
	if c.Thinking != "" {
		emit(d.draft.Thinking([]byte(c.Thinking)))
	}
	if c.Text != "" {
		emit(d.draft.Text([]byte(c.Text)))
	}
}

func (d *cohereDecoder) begin(c cohereCall, emit func(model.Chunk)) {
	start := d.draft.Start(c.ID, d.sent.Name(c.Function.Name))
	d.call = start.Call
	emit(start)
	d.args(c, emit)
}

func (d *cohereDecoder) args(c cohereCall, emit func(model.Chunk)) {
	if c.Function.Arguments != "" && d.call < d.draft.Calls() {
		emit(d.draft.Args(d.call, []byte(c.Function.Arguments)))
	}
}

func (d *cohereDecoder) end(emit func(model.Chunk)) {
	if d.call < d.draft.Calls() {
		emit(d.draft.End(d.call))
	}
}

// finish takes the reason to stop and the tokens.
func (d *cohereDecoder) finish(reason, text string, u cohereUsage) error {
	d.usage = model.Usage{Input: int64(u.Tokens.Input), Output: int64(u.Tokens.Output), CacheRead: int64(u.Cached)}
	switch reason {
	case "":
		return nil
	case "COMPLETE", "STOP_SEQUENCE", "TOOL_CALL":
		d.stop = model.StopEnd
	case "MAX_TOKENS":
		d.stop = model.StopLength
	case "ERROR", "TIMEOUT":
		fault, _ := json.Marshal(map[string]string{"message": "the provider ended the answer: " + reason + " " + text})
		return wire.Fault(d.http.Who.Provider, d.http.Key, 500, nil, fault)
	default: // ERROR_TOXIC, USER_CANCEL, …
		d.stop = model.StopRefusal
	}
	return nil
}

// Done implements wire.Decoder.
func (d *cohereDecoder) Done(func(model.Chunk)) (model.Chunk, error) {
	if d.stop == "" {
		return model.Chunk{}, wire.ErrUnfinished
	}
	return d.draft.Done(d.http.Who.String(), d.stop, d.usage, nil), nil
}
