package bedrock

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// decoder reads the answer to one request, streamed or whole.
type decoder struct {
	http *wire.HTTP
	sent *wire.Sent

	draft model.Draft
	calls map[int]int // the call of the draft by the index of its block
	kept  []hidden

	began bool // messageStart came
	stop  model.Stop
	text  string // why the provider refused
	usage model.Usage
}

// hidden is thinking that only the provider can read. No part can say it.
type hidden struct {
	index  int // of its block
	before int // how many parts of the message come before it
	data   []byte
}

// event is the payload of any event.
type event struct {
	Index int `json:"contentBlockIndex"`
	Start struct {
		ToolUse *toolUse `json:"toolUse"`
	} `json:"start"`
	Delta struct {
		Text    string `json:"text"`
		ToolUse *struct {
			Input string `json:"input"`
		} `json:"toolUse"`
		Reasoning *struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
			Redacted  []byte `json:"redactedContent"`
		} `json:"reasoningContent"`
	} `json:"delta"`
	StopReason string `json:"stopReason"`
	Usage      *struct {
		Input  int64 `json:"inputTokens"`
		Output int64 `json:"outputTokens"`
		Read   int64 `json:"cacheReadInputTokens"`
		Write  int64 `json:"cacheWriteInputTokens"`
	} `json:"usage"`
	Output *struct {
		Message struct {
			Content []block `json:"content"`
		} `json:"message"`
	} `json:"output"`
}

type toolUse struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// block is one block of an answer that came whole.
type block struct {
	Text      string   `json:"text"`
	ToolUse   *toolUse `json:"toolUse"`
	Reasoning *struct {
		Text struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
		} `json:"reasoningText"`
		Redacted []byte `json:"redactedContent"`
	} `json:"reasoningContent"`
	Cited *struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"citationsContent"`
}

// Event implements wire.Decoder.
func (d *decoder) Event(kind, data []byte, emit func(model.Chunk)) error {
	if strings.HasSuffix(strings.ToLower(string(kind)), "exception") {
		return d.fault(string(kind), data)
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return d.http.Garbled(data, err)
	}
	switch {
	case string(kind) == "messageStart":
		if d.began {
			d.stop = ""
			return d.http.Twice()
		}
		d.began = true
	case e.Output != nil:
		for i, b := range e.Output.Message.Content {
			d.whole(i, b, emit)
		}
	case string(kind) == "contentBlockStart" && e.Start.ToolUse != nil:
		d.begin(e.Index, e.Start.ToolUse, emit)
	case string(kind) == "contentBlockDelta":
		d.piece(&e, emit)
	case string(kind) == "contentBlockStop":
		if call, ok := d.calls[e.Index]; ok {
			emit(d.draft.End(call))
		}
		d.draft.Split()
	}
	if u := e.Usage; u != nil {
		d.usage = model.Usage{Input: u.Input + u.Read + u.Write, CacheRead: u.Read, CacheWrite: u.Write, Output: u.Output}
	}
	if e.StopReason != "" {
		d.readStop(e.StopReason)
	}
	return nil
}

// The statuses of the errors that come inside a stream.
var statuses = [...]struct {
	name   string
	status int
}{{"throttling", 429}, {"serviceunavailable", 503}, {"validation", 400}, {"accessdenied", 403}, {"modeltimeout", 408}, {"", 500}}

// fault gives an error that came inside the stream.
func (d *decoder) fault(kind string, data []byte) error {
	e := d.http.Fault(data)
	for _, s := range statuses {
		if strings.HasPrefix(strings.ToLower(kind), s.name) {
			return wire.Fault(d.http.Who.Provider, d.http.Key, s.status, nil, data)
		}
	}
	return e
}

func (d *decoder) begin(index int, t *toolUse, emit func(model.Chunk)) {
	start := d.draft.Start(t.ID, d.sent.Name(t.Name))
	if d.calls == nil {
		d.calls = map[int]int{}
	}
	d.calls[index] = start.Call
	emit(start)
}

func (d *decoder) piece(e *event, emit func(model.Chunk)) {
	switch {
	case e.Delta.Text != "":
		emit(d.draft.Text([]byte(e.Delta.Text)))
	case e.Delta.ToolUse != nil:
		if call, ok := d.calls[e.Index]; ok && e.Delta.ToolUse.Input != "" {
			emit(d.draft.Args(call, []byte(e.Delta.ToolUse.Input)))
		}
	case e.Delta.Reasoning != nil:
		d.hide(e.Index, e.Delta.Reasoning.Redacted)
		d.reason(e.Delta.Reasoning.Text, e.Delta.Reasoning.Signature, emit)
	}
}

func (d *decoder) reason(text, signature string, emit func(model.Chunk)) {
	if text != "" {
		emit(d.draft.Thinking([]byte(text)))
	}
	if signature != "" {
		d.draft.Sign(signature)
	}
}

// hide keeps a piece of hidden thinking.
func (d *decoder) hide(index int, piece []byte) {
	if len(piece) == 0 {
		return
	}
	if n := len(d.kept); n == 0 || d.kept[n-1].index != index {
		parts := d.draft.Done("", model.StopEnd, model.Usage{}, nil).Message.Parts
		d.kept = append(d.kept, hidden{index: index, before: len(parts)})
	}
	h := &d.kept[len(d.kept)-1]
	h.data = append(h.data, piece...)
}

// raw returns the content as it goes back, or nil when the parts say all of it.
func (d *decoder) raw(parts []model.Part) json.RawMessage {
	if d.kept == nil {
		return nil
	}
	out, done := []byte{'['}, 0
	for _, h := range d.kept {
		out = written(out, parts[done:h.before], true, d.sent.Written())
		out = jsontext.AppendField(append(jsontext.AppendComma(out), `{"reasoningContent":{`...), "redactedContent", base64.StdEncoding.EncodeToString(h.data))
		out, done = append(out, "}}"...), h.before
	}
	return append(written(out, parts[done:], true, d.sent.Written()), ']')
}

// whole takes a block of an answer that came whole.
func (d *decoder) whole(index int, b block, emit func(model.Chunk)) {
	switch {
	case b.Text != "":
		emit(d.draft.Text([]byte(b.Text)))
	case b.Cited != nil:
		for _, c := range b.Cited.Content {
			if c.Text != "" {
				emit(d.draft.Text([]byte(c.Text)))
			}
		}
	case b.Reasoning != nil:
		d.hide(index, b.Reasoning.Redacted)
		d.reason(b.Reasoning.Text.Text, b.Reasoning.Text.Signature, emit)
	case b.ToolUse != nil:
		start := d.draft.Start(b.ToolUse.ID, d.sent.Name(b.ToolUse.Name))
		emit(start)
		if len(b.ToolUse.Input) > 0 {
			emit(d.draft.Args(start.Call, b.ToolUse.Input))
		}
		emit(d.draft.End(start.Call))
	}
	d.draft.Split()
}

func (d *decoder) readStop(reason string) {
	switch reason {
	case "end_turn", "tool_use", "stop_sequence":
		d.stop = model.StopEnd
	case "max_tokens", "model_context_window_exceeded":
		d.stop = model.StopLength
	default: // guardrail_intervened, content_filtered, malformed_model_output, …
		d.stop, d.text = model.StopRefusal, reason
	}
}

// Done implements wire.Decoder.
func (d *decoder) Done(emit func(model.Chunk)) (model.Chunk, error) {
	if d.stop == "" {
		return model.Chunk{}, wire.ErrUnfinished
	}
	if d.text != "" {
		emit(model.Chunk{Kind: model.Notice, Text: "the provider ended the answer: " + d.text})
	}
	done := d.draft.Done(d.http.Who.String(), d.stop, d.usage, nil)
	done.Message.KeepRaw(d.raw(done.Message.Parts))
	return done, nil
}
