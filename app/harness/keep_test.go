package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

func TestKeptRulesAreReadBackAndCommentsStay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "settings.json")
	for _, rule := range []string{"bash(go test:*)", "edit_file(./src/a.go)"} {
		if err := settings.AddAllow(file, rule); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("// mine\n"+string(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := settings.AddAllow(file, "bash(git log:*)"); err != nil {
		t.Fatal(err)
	}
	rules, warnings, err := ReadRules(guards.User, file, "/w")
	if err != nil || len(warnings) != 0 || len(rules) != 3 || rules[2].String() != "bash(git log:*)" || rules[0].Decision != guard.Allow {
		t.Errorf("got %v, %v, %v", rules, warnings, err)
	}
	if text, _ = os.ReadFile(file); !strings.HasPrefix(string(text), "// mine") {
		t.Errorf("the comment is gone: %s", text)
	}
}

func TestABrokenSettingsFileIsNotWrittenOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(`{"model": `), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := settings.AddAllow(file, "bash(ls:*)"); err == nil {
		t.Error("no error")
	}
	if text, _ := os.ReadFile(file); string(text) != `{"model": ` {
		t.Errorf("it is now %s", text)
	}
}

// TestAStricterRuleHoldsForTheNextCall: what the user denies while a session is open. Where the file breaks afterwards, it still holds.
func TestAStricterRuleHoldsForTheNextCall(t *testing.T) {
	h := inFolder(t, nil, Options{Terms: event.Terms{Allow: []string{"bash(echo:*)"}}})
	s, err := h.Start(t.Context(), NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		change func() error
		denied bool
	}{
		{func() error { return nil }, false},
		{func() error { return KeepRules(h.Dirs(), h.Root(), "deny", []string{"bash(echo one:*)"}, true) }, true},
		{func() error { return os.WriteFile(RuleFiles(h.Dirs(), h.Root())[1], []byte("{"), 0o600) }, true},
		{func() error { return os.WriteFile(RuleFiles(h.Dirs(), h.Root())[1], []byte("{}"), 0o600) }, false},
		{func() error { return KeepRules(h.Dirs(), h.Root(), "ask", []string{"bash(echo:*)"}, false) }, true},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		text := callText(t, s, fmt.Sprint(i), "bash", `{"command":"echo one"}`)
		if ran := strings.HasPrefix(text, "one"); ran == step.denied {
			t.Errorf("step %d: %s", i, text)
		}
	}
}

// TestADenyRuleHoldsForACallThatWaits: an approval that is given after it does not count.
func TestADenyRuleHoldsForACallThatWaits(t *testing.T) {
	for _, decision := range []string{"deny", "ask"} {
		var h *Harness
		h = inFolder(t, nil, Options{Terms: event.Terms{Mode: "ask"}, Person: funcPerson(func(context.Context, *Request) (guard.Answer, error) {
			return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, KeepRules(h.Dirs(), h.Root(), decision, []string{"bash(touch one:*)"}, true)
		})})
		s, err := h.Start(t.Context(), NewSession{NoModel: true})
		if err != nil {
			t.Fatal(err)
		}
		text := callText(t, s, "1", "bash", `{"command":"touch one"}`)
		_, err = os.Stat(filepath.Join(h.Root(), "one"))
		if ran := err == nil; ran == (decision == "deny") || !ran && !strings.Contains(text, "bash(touch one:*)") {
			t.Errorf("%s: %s", decision, text)
		}
	}
}

// TestARuleThatIsKeptMeanwhileCoversACallThatWaits: who wrote the rule is told where it does not.
func TestARuleThatIsKeptMeanwhileCoversACallThatWaits(t *testing.T) {
	for rule, want := range map[string]guard.Choice{"bash(touch one:*)": guard.Approved, "bash(touch two:*)": guard.Abstain} {
		var h *Harness
		h = inFolder(t, nil, Options{Terms: event.Terms{Mode: "ask"}, Person: funcPerson(func(ctx context.Context, r *Request) (guard.Answer, error) {
			if err := KeepRules(h.Dirs(), h.Root(), "allow", []string{rule}, false); err != nil {
				t.Error(err)
			}
			if a, err := r.Covered(ctx); err != nil || a.Choice != want {
				t.Errorf("%s: %v, %v", rule, a.Choice, err)
			}
			return guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}, nil
		})})
		s, err := h.Start(t.Context(), NewSession{NoModel: true})
		if err != nil {
			t.Fatal(err)
		}
		callText(t, s, "1", "bash", `{"command":"touch one"}`)
	}
}

// TestARemovedAllowRuleAllowsNoNextCall: also one that this session kept itself. What was allowed for the session alone, or on the command
// line, stays; a file that breaks takes nothing away.
func TestARemovedAllowRuleAllowsNoNextCall(t *testing.T) {
	h := inFolder(t, nil, Options{Terms: event.Terms{Allow: []string{"bash(echo two:*)"}}})
	files := RuleFiles(h.Dirs(), h.Root())
	if err := KeepRules(h.Dirs(), h.Root(), "allow", []string{"bash(echo one:*)", "bash(echo two:*)"}, true); err != nil {
		t.Fatal(err)
	}
	s, err := h.Start(t.Context(), NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) func() error {
		return func() error { return os.WriteFile(files[1], []byte(text), 0o600) }
	}
	kept := func() error {
		s.guards.Rules.Keep([]guards.Rule{{Tool: "bash", Spec: "echo three:*", Layer: guards.User}, {Tool: "bash", Spec: "echo four:*", Layer: guards.SessionLayer}})
		return KeepRules(h.Dirs(), h.Root(), "allow", []string{"bash(echo three:*)"}, false)
	}
	for i, step := range []struct {
		change func() error
		ran    string
	}{
		{func() error { return nil }, "one two"},
		{kept, "one two three four"},
		{write("{"), "one two three four"},
		{write("{}"), "two three four"},
		{write(`{"permissions": {"allow": ["bash(echo one:*)"]}}`), "one two three four"},
		{func() error { return os.Remove(files[0]) }, "one two four"},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		var ran []string
		for _, word := range []string{"one", "two", "three", "four"} {
			c := guard.Case{Call: tool.Call{ID: "1", Name: "bash", Args: []byte(`{"command":"echo ` + word + `"}`)}, Effect: tool.Runs, Intent: tool.Intent{Command: "echo " + word}, Root: h.Root()}
			s.kept.Judge(t.Context(), c)
			if s.guards.Rules.Covers(c, guard.Low) != nil {
				ran = append(ran, word)
			}
		}
		if got := strings.Join(ran, " "); got != step.ran {
			t.Errorf("step %d: %s ran, want %s", i, got, step.ran)
		}
	}
}
