package modeltest_test

import (
	"strings"
	"testing"

	"rein/model"
	"rein/model/gemini"
)

// TestGeminiKnowsEveryEffort: the words of other providers mean what is nearest, and never that thinking is off.
func TestGeminiKnowsEveryEffort(t *testing.T) {
	for _, row := range []struct{ model, effort, want string }{
		{"gemini-2.5-pro", "none", `"thinkingBudget":0`},
		{"gemini-2.5-pro", "high", `"thinkingBudget":24576`},
		{"gemini-2.5-pro", "xhigh", `"thinkingBudget":24576`},
		{"gemini-3-pro", "minimal", `"thinkingLevel":"low"`},
		{"gemini-3-pro", "high", `"thinkingLevel":"high"`},
		{"gemini-3-pro", "xhigh", `"thinkingLevel":"high"`},
		{"gemini-3-pro", "max", `"thinkingLevel":"high"`},
	} {
		l := &listening{}
		h := model.HTTP{Who: model.Info{Provider: "test", Name: row.model}, Base: "http://recorded.invalid", Transport: l}
		_, _ = model.Ask(ctx, &gemini.Gemini{HTTP: h}, &model.Request{Messages: []*model.Message{model.UserText("hi")}, Effort: row.effort}) // a teapot answers
		if !strings.Contains(string(l.body), row.want) {
			t.Errorf("%s %s: sent %s, want %s in it", row.model, row.effort, l.body, row.want)
		}
	}
}
