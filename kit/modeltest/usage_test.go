package modeltest_test

import (
	"testing"

	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// Every provider fills what its protocol reports: chat completions report all (the cost through OpenRouter), the messages
// protocol no cost, the others no writes to the cache either.
func TestUsage(t *testing.T) {
	s, err := script.Parse([]byte(`turns: [{text: hi, usage: {input: 100, cached: 60, cache_write: 30, output: 20, thinking: 15, cost: 0.0125}}]`))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]model.Usage{
		"chat":         {Input: 100, CacheRead: 60, CacheWrite: 30, Output: 20, Thinking: 15, Cost: 0.0125},
		"messages":     {Input: 100, CacheRead: 60, CacheWrite: 30, Output: 20, Thinking: 15},
		"responses":    {Input: 100, CacheRead: 60, Output: 20, Thinking: 15},
		"gemini":       {Input: 100, CacheRead: 60, Output: 20, Thinking: 15},
		"interactions": {Input: 100, CacheRead: 60, Output: 20, Thinking: 15},
		"cohere":       {Input: 100, CacheRead: 60, Output: 20},
		"ollama":       {Input: 100, Output: 20},
		"invoke":       {Input: 100, CacheRead: 60, CacheWrite: 30, Output: 20, Thinking: 15},
		"converse":     {Input: 100, CacheRead: 60, CacheWrite: 30, Output: 20},
	}
	for _, p := range protocols {
		for _, whole := range []bool{false, true} {
			m := serve(t, p.open, &modelserver.Server{Script: s, Quirks: modelserver.Quirks{"json": whole}})
			done, err := model.Ask(ctx, m, &model.Request{Messages: []*model.Message{model.UserText("x")}})
			if err != nil || done.Usage != rows[p.name] {
				t.Errorf("%s: got %+v, %v, want %+v", p.name, done.Usage, err, rows[p.name])
			}
		}
	}
}

// Servers count in their own ways.
func TestUsageOfServers(t *testing.T) {
	for _, row := range []struct {
		name, protocol, usage string
		want                  model.Usage
	}{
		{"thinking is part of the output", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":30,"total_tokens":40,"completion_tokens_details":{"reasoning_tokens":20}}`, model.Usage{Input: 10, Output: 30, Thinking: 20}},
		{"thinking is left out of the output", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":40,"completion_tokens_details":{"reasoning_tokens":20}}`, model.Usage{Input: 10, Output: 30, Thinking: 20}},
		{"only the total has the thinking", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":40}`, model.Usage{Input: 10, Output: 30}},
		{"writes to the cache", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":5}}`, model.Usage{Input: 10, Output: 1, CacheRead: 4, CacheWrite: 5}},
		{"Mistral", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11,"num_cached_tokens":8}`, model.Usage{Input: 10, Output: 1, CacheRead: 8}},
		{"Moonshot", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11,"cached_tokens":8}`, model.Usage{Input: 10, Output: 1, CacheRead: 8}},
		{"Moonshot, in the choice", "chat", `"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":10,"completion_tokens":1,"cached_tokens":8}}]`, model.Usage{Input: 10, Output: 1, CacheRead: 8}},
		{"DeepSeek", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_cache_hit_tokens":8}`, model.Usage{Input: 10, Output: 1, CacheRead: 8}},
		{"Groq", "chat", `"x_groq":{"id":"r","usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11}}`, model.Usage{Input: 10, Output: 1}},
		{"a price in an object", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":1,"cost":{"usd":0.5,"credits":3}}`, model.Usage{Input: 10, Output: 1, Cost: 0.5}},
		{"a count that is not a number", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":"none"},"completion_tokens_details":7}`, model.Usage{Input: 10, Output: 1}},
		{"a price that is none", "chat", `"usage":{"prompt_tokens":10,"completion_tokens":1,"cost":"free"}`, model.Usage{Input: 10, Output: 1}},
		{"responses", "responses", `{"input_tokens":10,"output_tokens":3,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":5},"output_tokens_details":{"reasoning_tokens":2}}`, model.Usage{Input: 10, Output: 3, CacheRead: 4, CacheWrite: 5, Thinking: 2}},
		{"Anthropic", "messages", `{"input_tokens":1,"cache_creation_input_tokens":4,"cache_read_input_tokens":5,"output_tokens":9,"output_tokens_details":{"thinking_tokens":7}}`, model.Usage{Input: 10, CacheRead: 5, CacheWrite: 4, Output: 9, Thinking: 7}},
	} {
		body := map[string]string{
			"chat":      events(delta(`"content":"a"`), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],`+row.usage+`}`, "[DONE]"),
			"responses": events(`{"type":"response.completed","response":{"status":"completed","output":[],"usage":` + row.usage + `}}`),
			"messages":  events(`{"type":"message","content":[],"stop_reason":"end_turn","usage":` + row.usage + `}`),
		}[row.protocol]
		done, got := answerOf(opener(row.protocol), replay{"text/event-stream", []byte(body)})
		if done.Usage != row.want {
			t.Errorf("%s: %+v, want %+v (%s)", row.name, done.Usage, row.want, got)
		}
	}
}
