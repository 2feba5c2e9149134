package modeltest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/model"
)

// TestEffortsAreSentAsTheModelTakesThem: a word that the model does not take is replaced by the nearest, and the user
// reads which.
func TestEffortsAreSentAsTheModelTakesThem(t *testing.T) {
	words := func(all ...string) *model.Thinking { return &model.Thinking{Efforts: all} }
	budget := &model.Thinking{Budget: true, Min: 128, Max: 32768}
	switched := &model.Thinking{Switch: true}
	moonshot := func(h wire.HTTP) model.Model { return &openai.Chat{HTTP: h, Flavour: openai.Flavour{Switch: true}} }
	router := func(h wire.HTTP) model.Model { return &openai.Chat{HTTP: h, Flavour: openai.Flavour{Reasoning: true}} }
	for _, row := range []struct {
		model    string
		open     func(wire.HTTP) model.Model
		thinking *model.Thinking
		effort   string
		want     string // part of the request; with a ! before it: not part of it
		noted    bool
	}{
		{"gemini-2.5-pro", opener("gemini"), nil, "none", `"thinkingBudget":0`, false},
		{"gemini-2.5-pro", opener("gemini"), budget, "none", `"thinkingBudget":128`, false},
		{"gemini-2.5-pro", opener("gemini"), budget, "xhigh", `"thinkingBudget":24576`, false},
		{"gemini-2.5-flash", opener("gemini"), &model.Thinking{Budget: true, Switch: true, Min: 512, Max: 24576}, "none", `"thinkingBudget":0`, false},
		{"gemini-3-pro", opener("gemini"), nil, "minimal", `"thinkingLevel":"low"`, false},
		{"gemini-3-pro", opener("gemini"), nil, "max", `"thinkingLevel":"high"`, false},
		{"gemini-3-pro", opener("gemini"), words("low", "high"), "medium", `"thinkingLevel":"low"`, true},
		{"gemini-2.0-flash", opener("gemini"), &model.Thinking{Never: true}, "high", `!thinkingConfig`, true},
		{"gpt-5.2", opener("chat"), words("none", "low", "medium", "high", "xhigh"), "minimal", `"reasoning_effort":"low"`, true},
		{"gpt-4.1", opener("chat"), &model.Thinking{Never: true}, "high", `!effort`, true},
		{"anything", opener("chat"), nil, "high", `"reasoning_effort":"high"`, false},
		{"kimi", moonshot, switched, "none", `"thinking":{"type":"disabled"}`, false},
		{"kimi", moonshot, switched, "low", `"thinking":{"type":"enabled"}`, false},
		{"deepseek-v4", moonshot, &model.Thinking{Switch: true, Efforts: []string{"high", "max"}}, "low", `"reasoning_effort":"high"`, true},
		{"claude", router, budget, "low", `"reasoning":{"effort":"low"}`, false},
		{"gpt-5", router, words("minimal", "low", "medium", "high"), "max", `"reasoning":{"effort":"high"}`, true},
		{"o3", opener("responses"), words("low", "medium", "high"), "none", `"reasoning":{"summary":"auto","effort":"low"}`, true},
		{"o3", opener("responses"), words("low", "medium", "high"), "", `"reasoning":{"summary":"auto"}`, false},
		{"new-and-thoughtless", opener("responses"), &model.Thinking{Never: true}, "high", `!reasoning`, true},
		{"qwen3", opener("ollama"), switched, "none", `"think":false`, false},
		{"qwen3", opener("ollama"), switched, "high", `"think":true`, false},
		{"gpt-oss", opener("ollama"), words("low", "medium", "high"), "max", `"think":"high"`, true},
		{"llama3", opener("ollama"), nil, "high", `!think`, false},
		{"command-a-reasoning", opener("cohere"), nil, "low", `"thinking":{"type":"enabled","token_budget":4096}`, false},
		{"command-a-reasoning", opener("cohere"), switched, "none", `"thinking":{"type":"disabled"}`, false},
		{"command-a-reasoning", opener("cohere"), switched, "high", `"thinking":{"type":"enabled"}`, false},
		{"command-r7b", opener("cohere"), nil, "high", `!thinking`, false},
		{"command-r7b", opener("cohere"), &model.Thinking{Never: true}, "high", `!thinking`, true},
		{"claude-opus-4-8", opener("messages"), words("low", "medium", "high", "xhigh", "max"), "minimal", `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}`, true},
		{"claude-opus-4-6", opener("messages"), words("low", "medium", "high", "max"), "high", `"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`, false},
		{"claude-sonnet-4-5", opener("messages"), &model.Thinking{Budget: true, Switch: true, Min: 1024, Max: 63999}, "medium", `"thinking":{"type":"enabled","budget_tokens":10000}`, false},
		{"claude-opus-4-5", opener("messages"), nil, "none", `!thinking`, false},
		{"claude-3-5-sonnet", opener("messages"), &model.Thinking{Never: true}, "high", `!thinking`, true},
	} {
		t.Run(row.model+" "+row.effort, func(t *testing.T) {
			l := &listening{}
			h := wire.HTTP{Who: model.Info{Provider: "test", Name: row.model, Thinking: row.thinking}, Base: "http://recorded.invalid", Transport: l}
			var notices []string
			for c := range row.open(h).Stream(ctx, &model.Request{Messages: []*model.Message{model.UserText("hi")}, Effort: row.effort}) { // a teapot answers
				if c.Kind == model.Notice {
					notices = append(notices, c.Text)
				}
			}
			if !json.Valid(l.body) {
				t.Errorf("sent no JSON: %s", l.body)
			}
			part, absent := strings.CutPrefix(row.want, "!")
			if strings.Contains(string(l.body), part) == absent {
				t.Errorf("sent %s, want %s in it", l.body, row.want)
			}
			if noted := slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, row.effort) }); noted != row.noted {
				t.Errorf("notices %q", notices)
			}
		})
	}
}
