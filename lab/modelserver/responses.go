package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"rein/model"
)

// responses is the responses protocol of OpenAI.
type responses struct{ q Quirks }

func (p responses) read(body []byte) (r request, err error) {
	var in struct {
		Stream bool
		Store  *bool
		Input  []struct {
			Type, Role, Name string
			Content, Output  json.RawMessage
			Arguments        string
			CallID           string `json:"call_id"`
			Encrypted        string `json:"encrypted_content"`
		}
		Tools []struct {
			Type   string
			Strict *bool
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	if in.Store == nil || *in.Store {
		return r, refuse("this server keeps nothing: store must be false")
	}
	for _, t := range in.Tools {
		if t.Type == "function" && (t.Strict == nil || *t.Strict) {
			return r, refuse("a strict tool with a schema that is not made for it")
		}
	}
	r.stream = in.Stream
	for i, item := range in.Input {
		switch item.Type {
		case "message":
			text, err := openaiContent(item.Content)
			if err != nil {
				return r, refuse("input[%d]: %v", i, err)
			}
			if item.Role != "developer" && item.Role != "system" { // those are instructions
				r.entries = append(r.entries, entry{role: item.Role, text: text})
			}
		case "reasoning":
			if i+1 == len(in.Input) || in.Input[i+1].Type != "message" && in.Input[i+1].Type != "function_call" {
				return r, refuse("a reasoning item without its required following item")
			}
			r.entries = append(r.entries, entry{role: "assistant", thought: item.Encrypted})
		case "function_call":
			r.entries = append(r.entries, entry{role: "assistant", calls: []called{{item.CallID, item.Name, item.Arguments}}})
		case "function_call_output":
			text, err := openaiContent(item.Output)
			if err != nil {
				return r, refuse("input[%d]: %v", i, err)
			}
			r.entries = append(r.entries, entry{role: "result", text: text, answers: item.CallID})
		default:
			return r, refuse("unknown item %q", item.Type)
		}
	}
	return r, nil
}

// outputItem is an item of the answer: as it begins, as it ends, and what is streamed between.
type outputItem struct {
	start, done string
	deltas      func(index int)
}

func (p responses) stream(out *stream, a answer) {
	n := 0
	event := func(kind, fields string) {
		n++
		out.event(kind, fmt.Appendf(nil, `{"type":%q,"sequence_number":%d,%s}`, kind, n, fields))
	}
	event("response.created", `"response":{"id":"resp_1","status":"in_progress","output":[]}`)
	var done []string
	for i, item := range p.items(a, event) {
		event("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, i, item.start))
		item.deltas(i)
		event("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, i, item.done))
		done = append(done, item.done)
	}
	kind := "response.completed"
	if a.turn.StopReason() == model.StopLength {
		kind = "response.incomplete"
	}
	event(kind, `"response":`+p.response(a, done))
}

// items returns the output; event streams what is between an item's start and end.
func (p responses) items(a answer, event func(kind, fields string)) []outputItem {
	var items []outputItem
	pieces := func(kind, id, text string) func(int) {
		return func(index int) {
			for _, piece := range a.script.Pieces(text) {
				event(kind, fmt.Sprintf(`"item_id":%q,"output_index":%d,"content_index":0,"delta":%s,"obfuscation":"x8s"`, id, index, quote(piece)))
			}
		}
	}
	if a.turn.Think != "" {
		items = append(items, outputItem{
			start:  fmt.Sprintf(`{"id":"rs_%d","type":"reasoning","summary":[]}`, a.at),
			done:   fmt.Sprintf(`{"id":"rs_%d","type":"reasoning","encrypted_content":%q,"summary":[{"type":"summary_text","text":%s}]}`, a.at, prove(a.at), quote(a.turn.Think)),
			deltas: pieces("response.reasoning_summary_text.delta", fmt.Sprintf("rs_%d", a.at), a.turn.Think),
		})
	}
	if a.turn.Text != "" {
		items = append(items, outputItem{
			start:  fmt.Sprintf(`{"id":"msg_%d","type":"message","status":"in_progress","role":"assistant","content":[]}`, a.at),
			done:   fmt.Sprintf(`{"id":"msg_%d","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":%s,"annotations":[]}]}`, a.at, quote(a.turn.Text)),
			deltas: pieces("response.output_text.delta", fmt.Sprintf("msg_%d", a.at), a.turn.Text),
		})
	}
	for i := range a.turn.Calls {
		items = append(items, p.call(a, i, pieces, event))
	}
	return items
}

func (p responses) call(a answer, i int, pieces func(kind, id, text string) func(int), event func(kind, fields string)) outputItem {
	id := fmt.Sprintf("fc_%d_%d", a.at, i)
	name, namespace := a.turn.Calls[i].Name, ""
	if space, bare, ok := strings.Cut(name, "."); ok { // a tool of a namespace
		name, namespace = bare, `,"namespace":`+quote(space)
	}
	item := func(args string) string {
		return fmt.Sprintf(`{"id":%q,"type":"function_call","status":"completed","call_id":%s,"name":%s%s,"arguments":%s}`, id, quote(a.id(i, p.q, "call_")), quote(name), namespace, quote(args))
	}
	stream := pieces("response.function_call_arguments.delta", id, a.args(i))
	return outputItem{
		start: item(""),
		done:  item(a.args(i)),
		deltas: func(index int) {
			if !p.q["only-done"] {
				stream(index)
			}
			event("response.function_call_arguments.done", fmt.Sprintf(`"item_id":%q,"output_index":%d,"arguments":%s`, id, index, quote(a.args(i))))
		},
	}
}

func (p responses) response(a answer, items []string) string {
	status, detail := "completed", "null"
	switch a.turn.StopReason() {
	case model.StopLength:
		status, detail = "incomplete", `{"reason":"max_output_tokens"}`
	case model.StopRefusal:
		status, detail = "incomplete", `{"reason":"content_filter"}`
	}
	list := "["
	for i, item := range items {
		if i > 0 {
			list += ","
		}
		list += item
	}
	u := a.turn.Tokens(nil)
	return fmt.Sprintf(`{"id":"resp_1","object":"response","status":%q,"error":null,"incomplete_details":%s,"output":%s],"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}}`,
		status, detail, list, u.Input, u.CacheRead, u.Output, u.Thinking, u.Input+u.Output)
}

func (p responses) whole(a answer) any {
	var items []string
	for _, item := range p.items(a, nil) {
		items = append(items, item.done)
	}
	return json.RawMessage(p.response(a, items))
}

func (p responses) fault(f fault) any { return chat{}.fault(f) }
