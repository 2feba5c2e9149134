package modeltest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/model"
)

// answerOf lets an adapter read a body, and returns what came of it in one line: pieces of the parts, then the stop.
func answerOf(open func(wire.HTTP) model.Model, transport http.RoundTripper) (model.Chunk, string) {
	h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: "http://recorded.invalid", Key: "top-secret"}
	h.Transport = transport
	done, err := model.Ask(ctx, open(h), &model.Request{Messages: []*model.Message{model.UserText("x")}})
	if e, ok := errors.AsType[*model.Error](err); ok {
		return done, fmt.Sprintf("error %s: %s", e.Kind, e.Text)
	}
	if err != nil {
		return done, err.Error()
	}
	var words []string
	for _, p := range done.Message.Parts {
		switch p.Kind {
		case model.CallKind:
			words = append(words, fmt.Sprintf("%s[%s]%s", p.Name, p.ProviderID, p.Args))
		case model.ThinkingKind:
			words = append(words, "("+p.Text+")"+p.Signature)
		default:
			words = append(words, p.Text)
		}
	}
	return done, strings.Join(append(words, string(done.Stop)), " | ")
}

// events makes a stream of data lines.
func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

func delta(fields string) string { return `{"choices":[{"index":0,"delta":{` + fields + `}}]}` }

const stopped = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

func TestChatStreams(t *testing.T) {
	rows := []struct{ name, body, want string }{
		{"the old function_call", events(delta(`"function_call":{"name":"f","arguments":"{\"a\""}`), delta(`"function_call":{"arguments":":1}"}`), stopped), `f[]{"a":1} | calls`},
		{"a server that cannot read its model's call", events(`{"error":{"message":"Failed to call a function","code":"tool_use_failed","failed_generation":"<function=f>{}</function>","status_code":400}}`), "<function=f>{}</function> | malformed"},
		{"an error as a text", events(delta(`"content":"a"`), `{"error":"model runner has stopped"}`), "error server: model runner has stopped"},
		{"an error with a number", events(`{"error":{"code":429,"message":"slow down"}}`), "error rate: slow down"},
		{"a bare error", "{\"error\":{\"message\":\"busy\",\"type\":\"overloaded_error\"}}\n", "error overloaded: busy"},
		{"an error of the choice", events(delta(`"content":"a"`), `{"choices":[{"index":0,"delta":{},"error":{"code":502,"message":"upstream broke"},"finish_reason":"error"}]}`), "error server: upstream broke"},
		{"an end by error", events(delta(`"content":"a"`), `{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`), "error server: the answer ended in an error"},
		{"an error after the end", events(delta(`"content":"a"`), stopped, `{"error":{"message":"late","code":500}}`), "error server: late"},
		{"nonsense after the end", events(delta(`"content":"a"`), stopped, `DONE`), "a | end"},
		{"an empty error is none", events(`{"error":null,"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`), "a | end"},
		{"no finish_reason but [DONE]", events(delta(`"content":"a"`), "[DONE]"), "a | end"},
		{"no finish_reason and no [DONE]", events(delta(`"content":"a"`)), "error network: the stream ended before the answer was whole"},
		{"an event that was cut after its finish_reason", "data: " + `{"choices":[{"index":0,"finish_reason":"tool_calls","delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"`, `error garbage: JSON ends early: {"choices":[{"index":0,"finish_reason":"tool_calls","delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","a`},
		{"an event that was cut after the end", events(delta(`"content":"a"`), stopped) + "data: " + `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}`, `error garbage: JSON ends early: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}`},
		{"nothing but [DONE]", events("[DONE]"), "error garbage: the answer has no choice"},
		{"nothing", "", "error network: the stream ended before the answer was whole"},
		{"HTML", "<html><body>Welcome to the WiFi</body></html>", "error wrong_protocol: the address http://recorded.invalid answered with a web page: <html><body>Welcome to the WiFi</body></html>"},
		{"no JSON", events("oops"), "error garbage: JSON: no value at byte 0: oops"},
		{"a character cut between two pieces", events(delta(`"content":"a\ud83d"`), delta(`"content":"\ude00b"`), stopped), "a😀b | end"},
		{"half a character", events(delta(`"content":"a\ud83d!"`), stopped), "a\uFFFD! | end"},
		{"arguments that are absent first", events(delta(`"tool_calls":[{"index":0,"id":"c1","function":{"name":"f"}}]`), delta(`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`), delta(`"tool_calls":null`), stopped), "f[c1]{} | calls"},
		{"the name comes late", events(delta(`"tool_calls":[{"index":0,"id":"c1","function":{"arguments":""}}]`), delta(`"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]`), stopped), "f[c1]{} | calls"},
		{"a call of nothing is none", events(delta(`"content":"a","tool_calls":[{"index":0,"function":{"arguments":null}}]`), stopped), "a | end"},
		{"pieces of two calls in turns", events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}},{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}]`), delta(`"tool_calls":[{"index":1,"function":{"arguments":"}"}}]`), delta(`"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]`), stopped), `f[a]{"x":1} | g[b]{} | calls`},
		{"text and calls in one delta", events(delta(`"role":"assistant","content":"go","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`), stopped), "go | f[a]{} | calls"},
		{"an id after arguments with escapes", events(delta(`"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":\"\\n\"}"},"id":"\u0061b"}]`), stopped), `f[ab]{"a":"\n"} | calls`},
		{"a refusal in words", events(delta(`"refusal":"I can't"`), stopped), "I can't | refusal"},
		{"thinking as a list of parts", events(delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]`), stopped), "(hm) | a | end"},
		{"thinking only in the details", events(delta(`"reasoning_details":[{"type":"reasoning.summary","summary":"h"},{"type":"reasoning.text","text":"m"}]`), delta(`"content":"a"`), stopped), "(hm) | a | end"},
		{"thinking twice", events(delta(`"reasoning_details":[{"type":"reasoning.text","text":"hm"}],"reasoning":"hm"`), delta(`"content":"a"`), stopped), "(hm) | a | end"},
		{"equal envelopes after another event", events(delta(`"content":"a"`), delta(`"content":"b"`), delta(`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]`), delta(`"tool_calls":[{"index":0,"function":{"arguments":"}"}}]`), delta(`"content":"d"`), delta(`"content":"e\"\\"`), stopped), `ab | f[c]{} | de"\ | calls`},
		{"a message that repeats the pieces beside it", events(`{"choices":[{"index":0,"message":{"role":"assistant","content":"1"},"delta":{"role":"assistant","content":"1"}}]}`,
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"1 2"},"delta":{"role":"assistant","content":" 2"}}]}`,
			`{"choices":[{"index":0,"delta":{},"message":{"role":"assistant","content":"1 2","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`), "1 2 | end"},
		{"a message after the pieces", events(delta(`"content":"a"`), `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`), "a | end"},
		{"a message beside an empty piece", events(`{"choices":[{"index":0,"delta":null,"message":{"content":"a"},"finish_reason":"stop"}]}`), "a | end"},
		{"an event with white space before it that was cut after the end", events(delta(`"content":"a"`), stopped) + "data: \t" + `{"choices":[{"delta":{"tool_calls":[{"index":0`, "error garbage: JSON ends early: \t" + `{"choices":[{"delta":{"tool_calls":[{"index":0`},
		{"thinking in blocks and beside them", events(delta(`"reasoning_content":"hm","thinking_blocks":[{"type":"thinking","thinking":"hm","signature":null}]`), delta(`"content":"a"`), stopped), "(hm) | a | end"},
		{"thinking in blocks alone", events(delta(`"thinking_blocks":[{"type":"thinking","thinking":"hm"}]`), delta(`"content":"a"`), stopped), "(hm) | a | end"},
		{"other choices are the same answer", events(`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, delta(`"content":"a"`), stopped), "a | end"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, got := answerOf(protocols[0].open, replay{"text/event-stream", []byte(row.body)}); got != row.want {
				t.Errorf("\ngot  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestOtherStreams(t *testing.T) {
	rows := []struct{ name, protocol, body, want string }{
		{"an error event", "messages", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", "error overloaded: Overloaded"},
		{"an error of another shape", "messages", events(`{"error":{"message":"nope","type":"invalid_request_error"}}`), "error bad_request: nope"},
		{"a whole message", "messages", events(`{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{"n":12345678901234567890}}],"stop_reason":"tool_use"}`), `(hm)s | a | f[t]{"n":12345678901234567890} | calls`},
		{"the context is full", "messages", events(`{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}`, `{"type":"message_stop"}`), "length"},
		{"pause", "messages", events(`{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}`, `{"type":"message_stop"}`), "pause"},
		{"a prompt that is blocked", "gemini", events(`{"promptFeedback":{"blockReason":"SAFETY"}}`), "The provider refused the prompt: SAFETY  | refusal"},
		{"a call that could not be read", "gemini", events(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(default_api.f(x=1))"}]}`), "Malformed function call: print(default_api.f(x=1)) | malformed"},
		{"a filter of the operator", "gemini", events(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"MODEL_ARMOR"}]}`), "aThe provider ended the answer: MODEL_ARMOR | refusal"},
		{"a reason of tomorrow", "gemini", events(`{"candidates":[{"finishReason":"ON_STRIKE","finishMessage":"No answers today."}]}`), "No answers today. | refusal"},
		{"other reasons", "gemini", events(`{"candidates":[{"finishReason":"OTHER"}]}`), "The provider ended the answer: OTHER | refusal"},
		{"a list instead of a stream", "gemini", `[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}]`, "a | f[]{} | calls"},
		{"partial arguments without their end", "gemini", events(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}`, `{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true}],"willContinue":true}}]}}]}`, `{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0].b","stringValue":"y"},{"jsonPath":"$['c d']","numberValue":12345678901234567890}]}}]},"finishReason":"STOP"}]}`), `f[]{"a":[{"b":"xy"}],"c d":12345678901234567890} | calls`},
		{"partial arguments that were cut", "gemini", events(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.a","stringValue":"x"}],"willContinue":true}}]},"finishReason":"MAX_TOKENS"}]}`), `f[]{"a":"x" | length`},
		{"an error with advice", "gemini", events(`{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x","retryDelay":"34.07s"}]}}`), "error rate: quota"},
		{"a response that failed", "responses", events(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"},"output":[]}}`), "error server: oops"},
		{"an error event of responses", "responses", events(`{"type":"error","code":"rate_limit_exceeded","message":"slow","param":null}`), "error rate: slow"},
		{"only items that are done", "responses", events(`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}}`, `{"type":"response.completed","response":{"status":"completed","output":[]}}`), "f[c]{} | calls"},
		{"only the whole response", "responses", events(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""}]}}`), "a | f[c]{} | calls"},
		{"no places, only ids", "responses", events(`{"type":"response.output_item.added","item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""}}`, `{"type":"response.function_call_arguments.delta","item_id":"fc","delta":"{}"}`, `{"type":"response.output_item.done","item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}}`, `{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}]}}`), "f[c]{} | calls"},
		{"output that is no response", "responses", events(`{"type":"response.shell_call_output_content.done","output_index":0,"output":[{"stdout":"x","stderr":"","outcome":{"type":"exit","exit_code":0}}]}`, `{"type":"response.output_text.delta","output_index":1,"delta":"a"}`, `{"type":"response.completed","response":{"status":"completed","output":[]}}`), "a | end"},
		{"a whole response as the last event", "responses", "event: response.completed\ndata: " + `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]}` + "\n\n", "a | end"},
		{"a second answer of responses", "responses", events(`{"type":"response.created","response":{}}`, `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}}`, `{"type":"response.created","response":{}}`), "error garbage: a second answer begins inside the stream"},
		{"a second message", "messages", events(`{"type":"message_start","message":{"id":"1"}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`, `{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`,
			`{"type":"message_start","message":{"id":"2"}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"u","name":"f","input":{}}}`, `{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`), "error garbage: a second answer begins inside the stream"},
		{"a second message of Converse", "converse", "event: messageStart\ndata: {}\n\nevent: messageStop\ndata: {\"stopReason\":\"end_turn\"}\n\nevent: messageStart\ndata: {}\n\n", "error garbage: a second answer begins inside the stream"},
		{"a second message of Cohere", "cohere", events(`{"type":"message-start"}`, `{"type":"content-delta","delta":{"message":{"content":{"text":"a"}}}}`, `{"type":"message-start"}`), "error garbage: a second answer begins inside the stream"},
		{"citations of Converse", "converse", `{"output":{"message":{"content":[{"text":"It says "},{"citationsContent":{"content":[{"text":"a"},{"text":"b"}],"citations":[{"title":"t"}]}}]}},"stopReason":"end_turn"}`, "It says  | ab | end"},
		{"a refusal", "responses", events(`{"type":"response.refusal.delta","output_index":0,"delta":"no"}`, `{"type":"response.completed","response":{"status":"completed"}}`), "no | refusal"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, got := answerOf(opener(row.protocol), replay{"text/event-stream", []byte(row.body)}); got != row.want {
				t.Errorf("\ngot  %s\nwant %s", got, row.want)
			}
		})
	}
}

// A whole message may come without a reason to stop. A piece of a stream may not.
func TestAnEmptyReason(t *testing.T) {
	const message = `{"role":"assistant","content":"a","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for body, want := range map[string]string{
		`{"choices":[{"finish_reason":"","index":0,"message":` + message + `}]}`:   "a | f[c]{} | calls",
		`{"choices":[{"finish_reason":"","index":0,"delta":` + message + `}]}`:     "error network: the stream ended before the answer was whole",
		`{"choices":[{"finish_reason":null,"index":0,"message":` + message + `}]}`: "error network: the stream ended before the answer was whole",
		`{"choices":[{"finish_reason":"","index":0,"message":` + message + `}]`:    `error garbage: JSON ends early: {"choices":[{"finish_reason":"","index":0,"message":{"role":"assistant","content":"a","tool_calls":[{"id":"c","type":"fu`,
	} {
		if _, got := answerOf(opener("chat"), replay{"application/json", []byte(body)}); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", body, got, want)
		}
	}
}

// Streams of Ollama are lines of JSON.
func TestOllamaStreams(t *testing.T) {
	const part, end = `{"message":{"role":"assistant","content":"a","thinking":"hm"},"done":false}` + "\n", `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}` + "\n"
	const call = `{"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"f","arguments":{"b":1,"a":2}}},{"function":{"name":"g","arguments":null}}]},"done":false}` + "\n"
	for _, row := range []struct{ name, kind, body, want string }{
		{"thinking and text", "application/x-ndjson", part + end, "(hm) | a | end"},
		{"calls keep the order of their keys", "application/x-ndjson; charset=utf-8", call + end, `f[c1]{"b":1,"a":2} | g[]{} | calls`},
		{"cut at the limit", "application/x-ndjson", part + strings.Replace(end, "stop", "length", 1), "(hm) | a | length"},
		{"an error in the middle", "application/x-ndjson", part + `{"error":"model runner has unexpectedly stopped"}` + "\n", "error server: model runner has unexpectedly stopped"},
		{"no last line", "application/x-ndjson", call, "error network: the stream ended before the answer was whole"},
		{"a line that was cut", "application/x-ndjson", part + call[:100], "error garbage: unexpected end of JSON input: " + call[:100]},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, got := answerOf(opener("ollama"), replay{row.kind, []byte(row.body)}); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// Streams of Cohere, with what its documents show besides the usual events.
func TestCohereStreams(t *testing.T) {
	const start = `{"type":"message-start","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}`
	ends := func(reason string) string {
		return `{"type":"message-end","delta":{"finish_reason":"` + reason + `","usage":{"tokens":{"input_tokens":1,"output_tokens":2}}}}`
	}
	const call = `{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"c","type":"function","function":{"name":"f","arguments":""}}}}}`
	args := func(text string) string {
		return `{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":` + text + `}}}}}`
	}
	for _, row := range []struct{ name, body, want string }{
		{"citations are left out", events(start, `{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"a"}}}}`,
			`{"type":"citation-start","index":0,"delta":{"message":{"citations":{"start":0,"end":1,"text":"a","sources":[{"type":"tool","id":"f:0"}]}}}}`, `{"type":"citation-end","index":0}`, ends("COMPLETE"), "[DONE]"), "a | end"},
		{"a plan and a call", events(start, `{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I look."}}}`, call, args(`"{\"a\""`), args(`":1}"`), `{"type":"tool-call-end","index":0}`, ends("TOOL_CALL")), `I look. | f[c]{"a":1} | calls`},
		{"a call that was cut", events(start, call, args(`"{\"a\""`), ends("MAX_TOKENS")), `f[c]{"a" | length`},
		{"arguments without a call", events(start, args(`"{}"`), `{"type":"tool-call-end","index":0}`, ends("COMPLETE")), "end"},
		{"an error at the end", events(start, `{"type":"message-end","delta":{"finish_reason":"ERROR","error":"out of memory"}}`), "error server: the provider ended the answer: ERROR out of memory"},
		{"too slow", events(start, ends("TIMEOUT")), "error server: the provider ended the answer: TIMEOUT"},
		{"refused", events(start, ends("ERROR_TOXIC")), "refusal"},
		{"no end", events(start, call, args(`"{}"`), `{"type":"tool-call-end","index":0}`), "error network: the stream ended before the answer was whole"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, got := answerOf(opener("cohere"), replay{"text/event-stream", []byte(row.body)}); strings.TrimSpace(got) != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// What is not of the protocol comes from a wrong address: trying again does not help, and the user sees what came.
func TestAWebPageIsNoAnswer(t *testing.T) {
	for _, p := range protocols {
		for _, row := range []struct{ name, kind, body, want string }{
			{"a web page", "text/html; charset=utf-8", "<html>Welcome to the WiFi", "a web page: <html>Welcome to the WiFi"},
			{"words", "text/plain", "It works!", "It works!"},
			{"other JSON", "application/json", `{"detail":"use /v1"}`, `{"detail":"use /v1"}`},
			{"a list of models", "application/json; charset=utf-8", `{"object":"list","data":[{"id":"m"}]}`, `{"object":"list","data":[{"id":"m"}]}`},
		} {
			want := "error wrong_protocol: the address http://recorded.invalid answered with " + row.want
			if _, got := answerOf(p.open, replay{row.kind, []byte(row.body)}); got != want {
				t.Errorf("%s, %s:\ngot  %s\nwant %s", p.name, row.name, got, want)
			}
		}
		if _, got := answerOf(p.open, replay{"text/plain", nil}); got != "error network: the stream ended before the answer was whole" {
			t.Errorf("%s, nothing: %s", p.name, got)
		}
	}
}

func opener(name string) func(wire.HTTP) model.Model {
	if name == "openrouter" {
		return openRouter
	}
	for _, p := range protocols {
		if p.name == name {
			return p.open
		}
	}
	panic(name)
}

// openRouter opens a server that takes back the details of thinking.
func openRouter(h wire.HTTP) model.Model {
	return &openai.Chat{HTTP: h, Flavour: openai.Flavour{Returns: []string{"reasoning", "reasoning_details"}}}
}

// What parts cannot say goes back as it came, where the server takes it.
func TestRawGoesBack(t *testing.T) {
	rows := []struct{ name, protocol, body, want string }{
		{"texts and calls need no raw form", "messages", events(`{"type":"message","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"tool_use"}`), ``},
		{"unknown blocks, hidden thinking, more fields", "messages", events(
			`{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"EmwK"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"srv","name":"web_search","input":{}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","content":[{"n":12345678901234567890}]}}`,
			`{"type":"content_block_start","index":3,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}`,
			`{"type":"content_block_delta","index":3,"delta":{"type":"citations_delta","citation":{"url":"u"}}}`,
			`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t","name":"f","input":{},"caller":{"type":"direct"}}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`),
			`[{"type":"redacted_thinking","data":"EmwK"},{"type":"server_tool_use","id":"srv","name":"web_search","input":{"q":1}},{"type":"web_search_tool_result","content":[{"n":12345678901234567890}]},{"type":"text","text":"x","citations":[{"url":"u"}]},{"type":"tool_use","id":"t","name":"f","input":{}}]`},
		{"thinking that was not signed does not", "messages", events(`{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"a"}],"stop_reason":"end_turn"}`), `[{"type":"text","text":"a"}]`},
		{"signatures on calls and on empty texts", "gemini", events(`{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"},{"functionCall":{"name":"f","args":{"n":12345678901234567890}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"g"}},{"text":"","thoughtSignature":"ZW5k"},{"executableCode":{"code":"1"}}]},"finishReason":"STOP"}]}`),
			`[{"text":"ab"},{"functionCall":{"name":"f","args":{"n":12345678901234567890}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"g","args":{}}},{"text":"","thoughtSignature":"ZW5k"},{"executableCode":{"code":"1"}}]`},
		{"signed details, in pieces", "openrouter", events(
			delta(`"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","format":"x","index":0}]`), delta(`"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0}]`),
			delta(`"reasoning_details":[{"type":"reasoning.text","signature":"sig","index":0}]`), delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"zzz","id":"r1","index":1}]`), delta(`"content":"c"`), stopped),
			`{"role":"assistant","content":"c","reasoning":"ab","reasoning_details":[{"format":"x","index":0,"text":"ab","type":"reasoning.text","signature":"sig"},{"data":"zzz","id":"r1","index":1,"type":"reasoning.encrypted"}]}`},
		{"a signature on a call", "chat", events(delta(`"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}},{"index":1,"id":"d","type":"function","function":{"name":"g","arguments":"{}"}}]`), stopped),
			`{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}},{"id":"d","type":"function","function":{"name":"g","arguments":"{}"}}]}`},
		{"thinking as parts of the content", "chat", events(delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}]`), delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"m"}]}]`), delta(`"content":"a"`), delta(`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]`), stopped),
			`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`},
		{"a signature on a text", "chat", events(delta(`"content":"a"`), delta(`"content":"","extra_content":{"google":{"thought_signature":"s"}}`), stopped),
			`{"role":"assistant","content":"a","extra_content":{"google":{"thought_signature":"s"}}}`},
		{"a compaction by the provider", "messages", events(`{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"what was"}}`, `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"a"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`),
			`[{"type":"compaction","content":"what was"},{"type":"text","text":"a"}]`},
		{"hidden thinking of Converse, streamed", "converse", bedrockEvents("messageStart", `{"role":"assistant"}`,
			"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"hm"}}}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"s"}}}`, "contentBlockStop", `{"contentBlockIndex":0}`,
			"contentBlockDelta", `{"contentBlockIndex":1,"delta":{"reasoningContent":{"redactedContent":"AAEC"}}}`, "contentBlockDelta", `{"contentBlockIndex":1,"delta":{"reasoningContent":{"redactedContent":"AwQF"}}}`, "contentBlockStop", `{"contentBlockIndex":1}`,
			"contentBlockStart", `{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}`, "contentBlockStop", `{"contentBlockIndex":2}`, "messageStop", `{"stopReason":"tool_use"}`),
			`[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}},{"reasoningContent":{"redactedContent":"AAECAwQF"}},{"toolUse":{"toolUseId":"t","name":"f","input":{}}}]`},
		{"hidden thinking of Converse, whole", "converse", `{"output":{"message":{"content":[{"reasoningContent":{"redactedContent":"AAEC"}},{"text":"a"}]}},"stopReason":"end_turn"}`,
			`[{"reasoningContent":{"redactedContent":"AAEC"}},{"text":"a"}]`},
		{"blocks of thinking that a gateway signed", "chat", events(delta(`"reasoning_content":"h","thinking_blocks":[{"type":"thinking","thinking":"h","signature":null}]`), delta(`"reasoning_content":"m","thinking_blocks":[{"type":"thinking","thinking":"m","signature":""}]`), delta(`"reasoning_content":"","thinking_blocks":[{"type":"thinking","thinking":"","signature":"s1"}]`),
			delta(`"thinking_blocks":[{"type":"redacted_thinking","data":"x"}]`), delta(`"thinking_blocks":[{"type":"thinking","thinking":"more","signature":"s2"}]`), delta(`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]`), stopped),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"reasoning_content":"hm","thinking_blocks":[{"signature":"s1","thinking":"hm","type":"thinking"},{"data":"x","type":"redacted_thinking"},{"signature":"s2","thinking":"more","type":"thinking"}]}`},
		{"blocks of thinking that nobody signed", "chat", events(delta(`"thinking_blocks":[{"type":"thinking","thinking":"h"}]`), delta(`"content":"a"`), stopped), `{"role":"assistant","content":"a"}`},
		{"details of thinking that a gateway signed", "chat", events(delta(`"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]`), delta(`"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0}]`), delta(`"content":"a"`), stopped),
			`{"role":"assistant","content":"a","reasoning_details":[{"index":0,"text":"hm","type":"reasoning.text","signature":"s"}]}`},
		{"a call that a gateway signed", "chat", events(delta(`"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}","provider_specific_fields":{"thought_signature":"s"}},"provider_specific_fields":{"thought_signature":"s"}}],"provider_specific_fields":{"thought_signatures":["s"]},"annotations":[{"title":"signature"}]`), stopped),
			`{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}","provider_specific_fields":{"thought_signature":"s"}},"provider_specific_fields":{"thought_signature":"s"}}],"provider_specific_fields":{"thought_signatures":["s"]}}`},
		{"a message that a gateway signed", "chat", events(delta(`"reasoning_text":"hm","reasoning_opaque":"x"`), delta(`"content":"a"`), stopped), `{"role":"assistant","content":"a","reasoning_opaque":"x"}`},
		{"thinking in words", "responses", events(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","id":"rs","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"a"}]}]}}`),
			`[{"type":"reasoning","id":"rs","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"a"}]}]`},
		{"thinking that the server does not take back", "chat", events(delta(`"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}]`), delta(`"content":"c"`), stopped), `{"role":"assistant","content":"c"}`},
		{"thinking that most servers take back", "chat", events(delta(`"reasoning_content":"a"`), delta(`"content":"c"`), stopped), `{"role":"assistant","content":"c","reasoning_content":"a"}`},
		{"items of thinking", "responses", events(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","id":"rs","encrypted_content":"e","summary":[]},{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""},{"type":"reasoning","id":"rs2","encrypted_content":"e","summary":[]}]}}`),
			`[{"type":"reasoning","id":"rs","encrypted_content":"e","summary":[]},{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}]`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			done, line := answerOf(opener(row.protocol), replay{"text/event-stream", []byte(row.body)})
			if done.Message == nil {
				t.Fatal(line)
			}
			if string(done.Message.Raw) != row.want {
				t.Errorf("\ngot  %s\nwant %s", done.Message.Raw, row.want)
			}
		})
	}
}

// Whatever a server sends: no panic, one end, and a message that can be written to a journal and sent back.
func FuzzStreams(f *testing.F) {
	f.Add(byte(0), events(delta(`"content":"a\ud83d"`), delta(`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]`), stopped, "[DONE]"))
	f.Add(byte(0), events(delta(`"reasoning":"a","reasoning_details":[{"type":"t","text":"x","\"":1}]`), stopped))
	f.Add(byte(1), events(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f"}}`, `{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{"}`, `{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning"}]}}`))
	f.Add(byte(2), events(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"a","signature":"s"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"x"}}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`))
	f.Add(byte(3), events(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.a[0].b","stringValue":"x"}],"willContinue":true},"thoughtSignature":"s"}]},"finishReason":"STOP"}]}`))
	f.Fuzz(func(t *testing.T, protocol byte, body string) {
		p := protocols[int(protocol)%len(protocols)]
		done, _ := answerOf(p.open, replay{"text/event-stream", []byte(body)})
		if done.Message == nil {
			return
		}
		if _, err := json.Marshal(done.Message); err != nil {
			t.Fatal(err)
		}
		var results []model.Part
		for _, c := range done.Message.Calls() {
			results = append(results, model.Result(c.ID, "ok", false))
		}
		history := []*model.Message{model.UserText("x"), done.Message, model.Answer(done.Message, results...), model.UserText("y")}
		legal, _ := model.Repair(history)
		for _, q := range protocols {
			if sent := bodyOf(t, q.open, legal); !json.Valid(sent) {
				t.Fatalf("%s then %s sends no JSON: %s", p.name, q.name, sent)
			}
		}
	})
}

// bedrockEvents makes a stream of events with their types.
func bedrockEvents(typed ...string) string {
	var out strings.Builder
	for i := 0; i < len(typed); i += 2 {
		fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", typed[i], typed[i+1])
	}
	return out.String()
}

// An answer in one piece that was cut is no answer, wherever the cut is and whatever is before it: none of its calls may run.
func TestACutDocumentIsNoAnswer(t *testing.T) {
	for protocol, body := range map[string]string{
		"chat":      `{"id":"x","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"go","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
		"responses": `{"id":"x","status":"completed","output":[{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{\"a\":1}"}],"usage":{"input_tokens":1,"output_tokens":1}}`,
		"messages":  `{"stop_reason":"tool_use","type":"message","content":[{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"usage":{"input_tokens":1,"output_tokens":1}}`,
		"cohere":    `{"finish_reason":"TOOL_CALL","message":{"role":"assistant","tool_plan":"go","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"usage":{"tokens":{"input_tokens":1}}}`,
		"converse":  `{"stopReason":"tool_use","output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{"a":1}}}]}},"usage":{"inputTokens":1,"outputTokens":1}}`,
		"ollama":    `{"message":{"role":"assistant","content":"go","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":true,"done_reason":"stop","eval_count":1}`,
		"gemini":    `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]}}],"usageMetadata":{"promptTokenCount":1}}`,
	} {
		for _, before := range []string{"", " ", "\r\n\t", "\ufeff", "\ufeff\n"} {
			cutEverywhere(t, protocol, before, body)
		}
	}
}

func cutEverywhere(t *testing.T, protocol, before, body string) {
	open := opener(protocol)
	if _, got := answerOf(open, replay{"application/json", []byte(before + body + "\n")}); !strings.HasSuffix(got, "| calls") {
		t.Fatalf("%s, whole after %q: %s", protocol, before, got)
	}
	for i := range len(body) {
		for _, kind := range []string{"application/json", "text/plain"} {
			if done, got := answerOf(open, replay{kind, []byte(before + body[:i])}); !strings.HasPrefix(got, "error") || done.Message != nil {
				t.Fatalf("%s, %s, after %q, cut at byte %d: %s", protocol, kind, before, i, got)
			}
		}
	}
}
