package harness

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"rein/event"
	"rein/model"
	"rein/redact"
)

// That nothing is known of a model is reported once, not at each start. The window stays marked as a guess.
func TestAnUnknownModelIsReportedOnce(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	t.Setenv("OPENAI_API_KEY", "x")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
	dir := t.TempDir()
	var warned []string
	starts := func(model string) *Session {
		t.Helper()
		warned = nil
		h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Sandbox: "off", Model: model}, Warn: func(line string) { warned = append(warned, line) }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close(t.Context()) })
		s, err := h.Start(t.Context(), NewSession{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, row := range []struct {
		model  string
		warned bool
	}{{"openai/my-own", true}, {"openai/my-own", false}, {"openai/my-other", true}, {"openai/my-own", false}, {"openai/my-other", false}} {
		s := starts(row.model)
		if got := len(warned) == 1 && strings.Contains(warned[0], "nothing is known of "+row.model) && strings.Contains(warned[0], "limits in US dollars do not bound it"); got != row.warned || !got && len(warned) > 0 {
			t.Errorf("%s: %q", row.model, warned)
		}
		if c := s.Context(); !c.Assumed || c.Window == 0 {
			t.Errorf("%s: %+v", row.model, c)
		}
	}
	if s := starts("openai/gpt-4.1"); len(warned) > 0 || s.Context().Assumed {
		t.Errorf("a model of the catalogue: %q", warned)
	}
}

// A session that names no model says which one it found: the user pays for it.
func TestTheModelThatIsFoundIsNamed(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", "")
	t.Setenv("GEMINI_API_KEY", "x")
	h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	s, err := h.Start(t.Context(), NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Terms().Model; !strings.HasPrefix(got, "gemini/") {
		t.Errorf("%q", got)
	}
}

// TestADollarLimitOfAModelWithoutAPriceIsNamed: the facts of the model are known, but not what it costs.
func TestADollarLimitOfAModelWithoutAPriceIsNamed(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	t.Setenv("GEMINI_API_KEY", "x")
	for _, row := range []struct {
		model  string
		usd    float64
		warned bool
	}{{"gemini/gemma-4-31b-it", 0, false}, {"gemini/gemma-4-31b-it", 1, true}, {"gemini/gemini-2.5-pro", 1, false}} {
		var warned []string
		h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off", Model: row.model, MaxUSD: row.usd}, Warn: func(line string) { warned = append(warned, line) }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Start(t.Context(), NewSession{})
		if err != nil || len(warned) > 0 != row.warned || row.warned && !strings.Contains(warned[0], "no price is known of "+row.model) {
			t.Errorf("%+v: %q, %v", row, warned, err)
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestTextsAreMaskedOnce: a request masks what is new in it, and all of it again when a secret comes to be known.
func TestTextsAreMaskedOnce(t *testing.T) {
	mask := redact.New(nil)
	h := &hiddenTexts{mask: mask}
	const later = "l4ter-known-value"
	call := &model.Message{Role: model.Assistant, Parts: []model.Part{{Kind: model.CallKind, ID: "1", Name: "x"}}}
	answer := &model.Message{Role: model.User, Parts: []model.Part{{Kind: model.ResultKind, ID: "1", Text: strings.Repeat("a line of text\n", 50_000)}, {Kind: model.ResultKind, ID: "2", Text: "a " + later + " b"}}}
	r := &model.Request{System: "be good", Messages: []*model.Message{model.UserText(later), call, answer}}
	first := h.request(r)
	if first.Messages[2] != answer || first.Messages[0].Text() != later {
		t.Error("a request without secrets was changed")
	}
	if took := testing.AllocsPerRun(10, func() { h.request(r) }); took > 10 {
		t.Errorf("the second request makes %v things anew", took)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		h.request(r)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 100_000 {
		t.Errorf("ten requests with a text of 750 kB took %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
	mask.AddShared([][]redact.Value{{{Name: "KEY", Text: later, Declared: true}}}, 10)
	if got := h.request(r).Messages[2].Parts[1].Text; got != "a [hidden: KEY] b" || answer.Parts[1].Text != "a "+later+" b" {
		t.Errorf("after a secret came to be known: %q, and in the conversation %q", got, answer.Parts[1].Text)
	}
	answer.Parts[1].Text = "c " + later + " d"
	if got := h.request(r).Messages[2].Parts[1].Text; got != "c [hidden: KEY] d" {
		t.Errorf("a text that changed: %q", got)
	}
	r.System = "be " + later
	if got := h.request(r).System; strings.Contains(got, later) {
		t.Errorf("the text before the conversation: %q", got)
	}
	for i := range 200 { // compacted again and again
		answer := &model.Message{Role: model.User, Parts: []model.Part{{Kind: model.ResultKind, ID: "1", Text: fmt.Sprint(later, i)}}}
		if got := h.request(&model.Request{Messages: []*model.Message{answer}}).Messages[0].Parts[0].Text; strings.Contains(got, later) {
			t.Fatalf("request %d: %q", i, got)
		}
	}
	if len(h.texts) > 100 {
		t.Errorf("%d texts are remembered", len(h.texts))
	}
}
