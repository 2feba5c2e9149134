package modeltest_test

import (
	"testing"

	"rein/internal/modelserver"
	"rein/model"
	"rein/model/script"
)

// Every provider fills what its protocol reports: chat completions report all (the cost through OpenRouter), the messages
// protocol no cost, the others no writes to the cache either.
func TestUsage(t *testing.T) {
	s, err := script.Parse([]byte(`turns: [{text: hi, usage: {input: 100, cached: 60, cache_write: 30, output: 20, thinking: 15, cost: 0.0125}}]`))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]model.Usage{
		"chat":      {Input: 100, CacheRead: 60, CacheWrite: 30, Output: 20, Thinking: 15, Cost: 0.0125},
		"messages":  {Input: 100, CacheRead: 60, CacheWrite: 30, Output: 20, Thinking: 15},
		"responses": {Input: 100, CacheRead: 60, Output: 20, Thinking: 15},
		"gemini":    {Input: 100, CacheRead: 60, Output: 20, Thinking: 15},
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
