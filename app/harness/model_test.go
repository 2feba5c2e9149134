package harness

import (
	"strings"
	"testing"

	"rein/event"
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
		if got := len(warned) == 1 && strings.Contains(warned[0], "nothing is known of "+row.model); got != row.warned || !got && len(warned) > 0 {
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
