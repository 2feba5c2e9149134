package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"rein/model"
)

// messages is the protocol of Anthropic.
type messages struct{ q Quirks }

// content is one block of a message.
type content struct {
	Type      string
	Text      string
	ID        string
	Name      string
	Input     json.RawMessage
	CallID    string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Failed    bool            `json:"is_error"`
	Thinking  string
	Signature string
	Source    source
}

func (p messages) read(body []byte) (r request, err error) {
	var in struct {
		Stream    bool
		MaxTokens int `json:"max_tokens"`
		Messages  []struct {
			Role    string
			Content []content
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	if in.MaxTokens <= 0 {
		return r, refuse("max_tokens: field required")
	}
	if n := strings.Count(string(body), `"cache_control"`); n > 4 {
		return r, refuse("%d blocks with cache_control, at most 4", n)
	}
	r.stream = in.Stream
	for i, m := range in.Messages {
		list, err := p.message(m.Role, m.Content)
		if err != nil {
			return r, refuse("messages.%d: %v", i, err)
		}
		r.entries = append(r.entries, list...)
	}
	return r, nil
}

func (p messages) message(role string, blocks []content) ([]entry, error) {
	if len(blocks) == 0 {
		return nil, fmt.Errorf("content is empty")
	}
	own := entry{role: role}
	var list []entry
	for _, b := range blocks {
		switch b.Type {
		case "text", "image", "document":
			text, err := b.words()
			if err != nil {
				return nil, err
			}
			own.text += text
		case "thinking":
			if len(own.calls) > 0 || b.Signature == "" {
				return nil, fmt.Errorf("thinking after calls, or not signed")
			}
			own.thought += b.Signature
		case "tool_use":
			own.calls = append(own.calls, called{b.ID, b.Name, string(b.Input)})
		case "tool_result":
			if own.text != "" {
				return nil, fmt.Errorf("a result after a text")
			}
			text, err := b.result()
			if err != nil {
				return nil, err
			}
			list = append(list, entry{role: "result", text: text, failed: b.Failed, answers: b.CallID})
		default:
			return nil, fmt.Errorf("unknown block %q", b.Type)
		}
	}
	if own.text != "" || own.calls != nil || own.thought != "" {
		list = append(list, own)
	}
	return list, nil
}

func (p messages) stream(out *stream, a answer) {
	u := a.turn.Tokens(nil)
	out.event("message_start", fmt.Appendf(nil, `{"type":"message_start","message":{"id":"msg_%d","type":"message","role":"assistant","model":"scripted","content":[],"stop_reason":null,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":1}}}`, a.at, u.Input-u.CacheRead-u.CacheWrite, u.CacheRead, u.CacheWrite))
	out.event("ping", []byte(`{"type":"ping"}`))
	index := 0
	block := func(start string, deltas func(delta func(kind, field, value string))) {
		out.event("content_block_start", fmt.Appendf(nil, `{"type":"content_block_start","index":%d,"content_block":%s}`, index, start))
		deltas(func(kind, field, value string) {
			out.event("content_block_delta", fmt.Appendf(nil, `{"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":%s}}`, index, kind, field, quote(value)))
		})
		out.event("content_block_stop", fmt.Appendf(nil, `{"type":"content_block_stop","index":%d}`, index))
		index++
	}
	if a.turn.Think != "" {
		block(`{"type":"thinking","thinking":"","signature":""}`, func(delta func(kind, field, value string)) {
			for _, piece := range a.script.Pieces(a.turn.Think) {
				delta("thinking_delta", "thinking", piece)
			}
			delta("signature_delta", "signature", prove(a.at))
		})
	}
	if a.turn.Text != "" {
		block(`{"type":"text","text":""}`, func(delta func(kind, field, value string)) {
			for _, piece := range a.script.Pieces(a.turn.Text) {
				delta("text_delta", "text", piece)
			}
		})
	}
	for i, c := range a.turn.Calls {
		input := "{}"
		if p.q["whole-input"] {
			input = string(a.object(i))
		}
		start := fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":%s}`, quote(a.id(i, p.q, "toolu_")), quote(c.Name), input)
		block(start, func(delta func(kind, field, value string)) {
			delta("input_json_delta", "partial_json", "")
			if p.q["whole-input"] {
				return
			}
			for _, piece := range a.script.Pieces(a.args(i)) {
				delta("input_json_delta", "partial_json", piece)
			}
		})
	}
	out.event("message_delta", fmt.Appendf(nil, `{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}}`, p.reason(a), u.Output, u.Thinking))
	out.event("message_stop", []byte(`{"type":"message_stop"}`))
}

func (p messages) reason(a answer) string {
	switch a.turn.StopReason() {
	case model.StopLength:
		return "max_tokens"
	case model.StopRefusal:
		return "refusal"
	case model.StopPause:
		return "pause_turn"
	case model.StopCalls:
		return "tool_use"
	}
	return "end_turn"
}

func (p messages) whole(a answer) any {
	list := []any{}
	if a.turn.Think != "" {
		list = append(list, map[string]any{"type": "thinking", "thinking": a.turn.Think, "signature": prove(a.at)})
	}
	if a.turn.Text != "" {
		list = append(list, map[string]any{"type": "text", "text": a.turn.Text})
	}
	for i, c := range a.turn.Calls {
		list = append(list, map[string]any{"type": "tool_use", "id": a.id(i, p.q, "toolu_"), "name": c.Name, "input": a.object(i)})
	}
	u := a.turn.Tokens(nil)
	return map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "content": list, "stop_reason": p.reason(a),
		"usage": map[string]any{
			"input_tokens": u.Input - u.CacheRead - u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite,
			"output_tokens": u.Output, "output_tokens_details": map[string]int64{"thinking_tokens": u.Thinking},
		},
	}
}

func (p messages) fault(f fault) any {
	kind := "invalid_request_error"
	switch {
	case f.status == 529:
		kind = "overloaded_error"
	case f.status >= 500:
		kind = "api_error"
	case f.status == 429:
		kind = "rate_limit_error"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": f.text}}
}

// invoked is the same protocol in frames of Amazon: the address says the model and that the answer is a stream.
type invoked struct{ messages }

func (p invoked) read(body []byte) (r request, err error) {
	var in map[string]json.RawMessage
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	if in["model"] != nil || in["stream"] != nil || string(in["anthropic_version"]) != `"bedrock-2023-05-31"` {
		return r, refuse("a request has no model and no stream, and the version bedrock-2023-05-31")
	}
	r, err = p.messages.read(body)
	r.stream = true
	return r, err
}
