package modeltest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"rein/kit/providers/bedrock"
)

// reading is what an answer holds.
type reading struct {
	text, thinking, stop, failed      string
	calls                             []string // names with arguments
	input, output, read, write, spent int64    // tokens
}

// differs names the first difference; "" when there is none. Blanks do not count, and a price of tokens that is not given.
func (r reading) differs(got reading) string {
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for _, row := range [][3]string{
		{"error", fmt.Sprint(r.failed != ""), fmt.Sprint(got.failed != "")},
		{"calls", fmt.Sprint(r.calls), fmt.Sprint(got.calls)},
		{"stop", r.stop, got.stop},
		{"text", bare(r.text), bare(got.text)},
		{"thinking", bare(r.thinking), bare(got.thinking)},
		{"input", fmt.Sprint(r.input), fmt.Sprint(got.input)},
		{"output", fmt.Sprint(r.output), fmt.Sprint(got.output)},
		{"cache read", fmt.Sprint(r.read), fmt.Sprint(got.read)},
		{"cache write", fmt.Sprint(r.write), fmt.Sprint(got.write)},
		{"spent", fmt.Sprint(r.spent), fmt.Sprint(got.spent)},
	} {
		if row[0] == "stop" && row[1] == "refused" && row[2] != "end" && row[2] != "calls" {
			return "" // rein's words for it are its own
		}
		if row[0] == "stop" && row[1] == "" {
			continue
		}
		if row[1] != row[2] {
			short := func(s string) string { return s[:min(len(s), 150)] }
			return fmt.Sprintf("%s: want %s, got %s %s", row[0], short(row[1]), short(row[2]), short(got.failed))
		}
		if row[0] == "error" && row[1] == "true" {
			return ""
		}
	}
	return ""
}

// tree is a value of JSON.
type tree map[string]any

func (v tree) sub(name string) tree   { t, _ := v[name].(map[string]any); return t }
func (v tree) str(name string) string { s, _ := v[name].(string); return s }
func (v tree) num(names ...string) int64 {
	for _, name := range names {
		if n, ok := v[name].(float64); ok && n != 0 {
			return int64(n)
		}
	}
	return 0
}
func (v tree) list(name string) (all []tree) {
	items, _ := v[name].([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

// expected reads an answer whole, without care for anything but what is right.
func expected(e exchange) reading {
	var refused struct {
		Error struct {
			Generation string `json:"failed_generation"`
		}
	}
	if at := strings.Index(e.answer, `{"error"`); at >= 0 && json.NewDecoder(strings.NewReader(e.answer[at:])).Decode(&refused) == nil && refused.Error.Generation != "" {
		return reading{text: refused.Error.Generation}
	}
	if e.status >= 400 {
		return reading{failed: fmt.Sprint(e.status)}
	}
	var events []tree
	switch {
	case e.protocol == "converse" && strings.HasSuffix(e.url.Path, "-stream"):
		for in := bytes.NewReader([]byte(e.answer)); ; {
			f, err := bedrock.ReadFrame(in)
			if err == io.EOF || err != nil {
				break
			}
			var v tree
			_ = json.Unmarshal(f.Payload, &v)
			events = append(events, tree{f.Headers[":event-type"]: map[string]any(v)})
		}
	default:
		var one tree
		if json.Unmarshal([]byte(e.answer), &one) == nil {
			events = []tree{one}
			break
		}
		for line := range strings.Lines(e.answer) {
			var v tree
			if data, ok := strings.CutPrefix(line, "data:"); ok && json.Unmarshal([]byte(data), &v) == nil {
				events = append(events, v)
			}
		}
	}
	var r reading
	for _, v := range events {
		if v["error"] != nil {
			return reading{failed: "error"}
		}
	}
	if len(events) == 0 || e.protocol == "chat" && len(events) == 1 && events[0]["choices"] == nil {
		return reading{failed: "no answer"}
	}
	map[string]func([]tree, *reading){"chat": readChat, "responses": readResponses, "messages": readMessages, "gemini": readGemini, "converse": readConverse, "cohere": readCohere}[e.protocol](events, &r)
	return r
}

func readChat(events []tree, r *reading) {
	type call struct{ name, args string }
	var calls []*call
	at := map[string]*call{}
	for _, v := range events {
		u := v.sub("usage")
		if u == nil {
			u = v.sub("x_groq").sub("usage")
		}
		if u != nil && u.num("prompt_tokens", "completion_tokens") > 0 {
			in := u.sub("prompt_tokens_details")
			r.input, r.output = u.num("prompt_tokens"), max(u.num("completion_tokens"), u.num("total_tokens")-u.num("prompt_tokens"))
			r.read, r.write = max(in.num("cached_tokens"), u.num("prompt_cache_hit_tokens", "num_cached_tokens")), in.num("cache_write_tokens")
			r.spent = u.sub("completion_tokens_details").num("reasoning_tokens")
		}
		for _, c := range v.list("choices") {
			if c.num("index") != 0 {
				continue
			}
			for _, name := range []string{"delta", "message"} {
				m := c.sub(name)
				r.text += m.str("content") + m.str("refusal")
				for _, p := range m.list("content") {
					r.text += p.str("text")
					for _, inner := range p.list("thinking") {
						r.thinking += inner.str("text")
					}
				}
				think := cmp.Or(m.str("reasoning_content"), m.str("reasoning"))
				for _, d := range m.list("reasoning_details") {
					if m.str("reasoning_content")+m.str("reasoning") == "" {
						think += d.str("text") + d.str("summary")
					}
				}
				r.thinking += think
				for i, t := range m.list("tool_calls") {
					key := fmt.Sprint(t["index"])
					if t["index"] == nil {
						key = fmt.Sprint("whole", i, t["id"])
					}
					f := t.sub("function")
					if at[key] == nil {
						at[key] = &call{}
						calls = append(calls, at[key])
					}
					at[key].name += f.str("name")
					if f.sub("arguments") != nil {
						b, _ := json.Marshal(f["arguments"])
						at[key].args = string(b)
					} else {
						at[key].args += f.str("arguments")
					}
				}
			}
		}
	}
	for _, c := range calls {
		r.calls = append(r.calls, c.name+canonical(c.args))
	}
}

func readResponses(events []tree, r *reading) {
	whole := events[len(events)-1]
	for _, v := range events {
		if kind := v.str("type"); kind == "response.completed" || kind == "response.incomplete" || kind == "response.failed" {
			whole = v.sub("response")
		}
	}
	if whole["error"] != nil {
		r.failed = "error"
		return
	}
	u := whole.sub("usage")
	r.input, r.output, r.read = u.num("input_tokens"), u.num("output_tokens"), u.sub("input_tokens_details").num("cached_tokens")
	r.write, r.spent = u.sub("input_tokens_details").num("cache_write_tokens"), u.sub("output_tokens_details").num("reasoning_tokens")
	items := whole.list("output")
	if len(items) == 0 { // some servers leave the list of the last event empty
		for _, v := range events {
			if v.str("type") == "response.output_item.done" {
				items = append(items, v.sub("item"))
			}
		}
	}
	for _, item := range items {
		switch item.str("type") {
		case "message":
			for _, c := range item.list("content") {
				r.text += c.str("text") + c.str("refusal")
			}
		case "reasoning":
			for _, c := range append(item.list("summary"), item.list("content")...) {
				r.thinking += c.str("text")
			}
		case "function_call":
			r.calls = append(r.calls, item.str("name")+canonical(item.str("arguments")))
		}
	}
}

func readMessages(events []tree, r *reading) {
	var names, args []string
	block := func(b tree) {
		r.text, r.thinking = r.text+b.str("text"), r.thinking+b.str("thinking")
		if b.str("type") == "tool_use" {
			input := ""
			if in := b.sub("input"); len(in) > 0 {
				text, _ := json.Marshal(in)
				input = string(text)
			}
			names, args = append(names, b.str("name")), append(args, input)
		}
	}
	open := ""
	for _, v := range events {
		for _, b := range v.list("content") {
			block(b)
		}
		if b := v.sub("content_block"); b != nil {
			open = b.str("type")
			block(b)
		}
		d := v.sub("delta")
		r.text, r.thinking = r.text+d.str("text"), r.thinking+d.str("thinking")
		if open == "tool_use" {
			args[len(args)-1] += d.str("partial_json")
		}
		for _, u := range []tree{v.sub("message").sub("usage"), v.sub("usage")} {
			if u == nil {
				continue
			}
			if _, all := u["input_tokens"].(float64); all {
				r.read, r.write = u.num("cache_read_input_tokens"), u.num("cache_creation_input_tokens")
				r.input = u.num("input_tokens") + r.read + r.write
			}
			r.output, r.spent = max(r.output, u.num("output_tokens")), max(r.spent, u.sub("output_tokens_details").num("thinking_tokens"))
		}
	}
	for i := range names {
		r.calls = append(r.calls, names[i]+canonical(args[i]))
	}
}

func readGemini(events []tree, r *reading) {
	for _, v := range events {
		if u := v.sub("usageMetadata"); u != nil {
			r.input, r.read, r.spent = u.num("promptTokenCount")+u.num("toolUsePromptTokenCount"), u.num("cachedContentTokenCount"), u.num("thoughtsTokenCount")
			r.output = u.num("candidatesTokenCount") + r.spent
		}
		if v.sub("promptFeedback").str("blockReason") != "" {
			r.stop = "refused"
		}
		for i, c := range v.list("candidates") {
			if i > 0 {
				break
			}
			if why := c.str("finishReason"); why != "" && why != "STOP" && why != "MAX_TOKENS" {
				r.stop = "refused"
			}
			for _, p := range c.sub("content").list("parts") {
				switch f := p.sub("functionCall"); {
				case f != nil:
					b, _ := json.Marshal(f["args"])
					if f["args"] == nil {
						b = []byte("{}")
					}
					r.calls = append(r.calls, f.str("name")+canonical(string(b)))
				case p["thought"] == true:
					r.thinking += p.str("text")
				default:
					r.text += p.str("text")
				}
			}
		}
	}
}

func readConverse(events []tree, r *reading) {
	var names, args []string
	usage := func(u tree) {
		if u != nil {
			r.read, r.write = u.num("cacheReadInputTokens"), u.num("cacheWriteInputTokens")
			r.input, r.output = u.num("inputTokens")+r.read+r.write, u.num("outputTokens")
		}
	}
	for _, v := range events {
		usage(v.sub("usage"))
		usage(v.sub("metadata").sub("usage"))
		for _, b := range v.sub("output").sub("message").list("content") {
			r.text += b.str("text")
			r.thinking += b.sub("reasoningContent").sub("reasoningText").str("text")
			if u := b.sub("toolUse"); u != nil {
				text, _ := json.Marshal(u["input"])
				names, args = append(names, u.str("name")), append(args, string(text))
			}
		}
		if u := v.sub("contentBlockStart").sub("start").sub("toolUse"); u != nil {
			names, args = append(names, u.str("name")), append(args, "")
		}
		d := v.sub("contentBlockDelta").sub("delta")
		r.text, r.thinking = r.text+d.str("text"), r.thinking+d.sub("reasoningContent").str("text")
		if len(args) > 0 {
			args[len(args)-1] += d.sub("toolUse").str("input")
		}
	}
	for i := range names {
		r.calls = append(r.calls, names[i]+canonical(args[i]))
	}
}

func readCohere(events []tree, r *reading) {
	for _, v := range events {
		u := v.sub("usage")
		r.input, r.output = u.sub("tokens").num("input_tokens"), u.sub("tokens").num("output_tokens")
		r.read = u.num("cached_tokens")
		m := v.sub("message")
		r.text += m.str("tool_plan")
		for _, c := range m.list("content") {
			r.text, r.thinking = r.text+c.str("text"), r.thinking+c.str("thinking")
		}
		for _, c := range m.list("tool_calls") {
			f := c.sub("function")
			r.calls = append(r.calls, f.str("name")+canonical(f.str("arguments")))
		}
	}
}
