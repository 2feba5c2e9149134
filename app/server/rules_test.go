package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/app/server/api"
	"rein/app/settings"
)

// Rules are listed with their files, explain and simulate what they decide, and are added and removed after the command's checks.
func TestRules(t *testing.T) {
	h := newHome(t, `turns:
  - calls: [{name: bash, args: {command: "git push origin main"}}, {name: bash, args: {command: "ls"}}]
  - text: done
`)
	if err := os.MkdirAll(filepath.Join(h.dir, ".rein"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, ".rein", "settings.json"), []byte(`{"permissions":{"deny":["bash(rm:*)"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.until("the end", func() bool {
		for _, r := range ask[api.Requests](v, "GET", "/v1/inbox", nil).Requests {
			v.request("POST", "/v1/inbox/"+r.Session+"/"+r.Call, `{"choice":"denied","hash":"`+r.Hash+`"}`)
		}
		return ask[api.Session](v, "GET", "/v1/sessions/"+s.ID, nil).State == api.Idle
	})
	change := func(c api.RuleChange) (int, string) { return v.request("POST", "/v1/rules", jsonOf(t, c)) }
	list := ask[api.Rules](v, "GET", "/v1/rules", nil)
	if len(list.Rules) != 1 || list.Rules[0].Layer != "project" || list.Rules[0].Mine || !strings.HasSuffix(list.Rules[0].Source, "settings.json:1") {
		t.Errorf("%+v", list)
	}
	if status, text := change(api.RuleChange{Decision: "deny", Rule: "bash(rm:*)", Scope: "project", Remove: true}); status != http.StatusNotFound {
		t.Errorf("a project's rule was removed: %d %s", status, text)
	}
	for _, rule := range []string{"bash(", "bash(*)", "bash", "bash(python:*)", "no tool at all"} {
		status, text := change(api.RuleChange{Decision: "allow", Rule: rule, Scope: "always"})
		if (rule == "bash" || rule == "bash(*)") && status == http.StatusOK { // it covers calls of low severity only, and warns
			if !strings.Contains(text, `"text"`) {
				t.Errorf("%s: no warning: %s", rule, text)
			}
			change(api.RuleChange{Decision: "allow", Rule: "bash", Scope: "always", Remove: true}) // as the list spells it
			continue
		}
		if status != http.StatusUnprocessableEntity {
			t.Errorf("%s was added: %d %s", rule, status, text)
		}
	}
	if n := len(ask[api.Rules](v, "GET", "/v1/rules", nil).Rules); n != 1 {
		t.Errorf("%d rules", n)
	}
	if x := ask[api.Explained](v, "POST", "/v1/rules/explain", api.ExplainCall{Call: "git push origin main && rm -r x"}); x.Decision != "deny" || len(x.Parts) != 2 || !strings.Contains(x.RuleAt, "settings.json:1") {
		t.Errorf("%+v", x)
	}
	if x := ask[api.Explained](v, "POST", "/v1/rules/explain", api.ExplainCall{Call: "read_file(.env)"}); x.Tool != "read_file" || x.Decision == "allow" {
		t.Errorf("%+v", x)
	}
	if status, text := v.request("POST", "/v1/rules/explain", `{"call":"x","tool":"nothing"}`); status != 422 {
		t.Errorf("%d %s", status, text)
	}
	now := ask[api.Simulated](v, "POST", "/v1/rules/simulate", api.Simulation{})
	then := ask[api.Simulated](v, "POST", "/v1/rules/simulate", api.Simulation{Deny: []string{"bash(git push:*)"}, Ask: []string{"bash(ls)"}})
	if now.Calls != 2 || now.Asked != 1 || now.Ask != 1 || now.Allow != 1 || len(now.Changed) != 0 || then.Deny != 1 || then.Ask != 1 || len(then.Changed) != 2 || !then.Changed[0].Refused {
		t.Errorf("%+v\n%+v", now, then)
	}
	for _, scope := range []string{"project", "always"} {
		c := api.RuleChange{Decision: "ask", Rule: "bash(ls)", Scope: scope, Check: true}
		if status, text := change(c); status != 200 || !strings.Contains(text, `"done":false`) || len(ask[api.Rules](v, "GET", "/v1/rules", nil).Rules) != 1 {
			t.Errorf("%s: a check: %d %s", scope, status, text)
		}
		c.Check = false
		if status, text := change(c); status != 200 {
			t.Errorf("%s: %d %s", scope, status, text)
		}
		if x := ask[api.Explained](v, "POST", "/v1/rules/explain", api.ExplainCall{Call: "ls"}); x.Decision != "ask" {
			t.Errorf("%s: %+v", scope, x)
		}
		mine := 0
		for _, r := range ask[api.Rules](v, "GET", "/v1/rules", nil).Rules {
			if r.Mine && r.Here == (scope == "project") {
				mine++
			}
		}
		c.Remove = true
		if status, text := change(c); status != 200 || mine != 1 {
			t.Errorf("%s: %d %s, %d rules of the user", scope, status, text, mine)
		}
	}
}

// A rule has tests of its own, which are shown and kept. One that fails is refused. Nobody gives a rule more than its file has.
func TestRulesHaveTests(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	if err := os.MkdirAll(h.dirs.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(h.dirs.Config, "settings.json")
	const text = `{"permissions":{"allow":[{"rule":"bash(make clean)","match":["make clean"],"not_match":["make cleaner"],"risk":"high","why":"only build products"}]}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	v := h.start()
	have := ask[api.Rules](v, "GET", "/v1/rules", nil).Rules
	if len(have) != 1 || !slices.Equal(have[0].Match, []string{"make clean"}) || !slices.Equal(have[0].NotMatch, []string{"make cleaner"}) || !have[0].High {
		t.Fatalf("%+v", have)
	}
	for _, row := range []struct {
		name   string
		change api.RuleChange
		status int
	}{
		{"a test that holds", api.RuleChange{Rule: "bash(make clean)", Match: []string{"make clean"}, NotMatch: []string{"make all"}, Why: "w", High: true}, 200},
		{"a call that it must cover, and does not", api.RuleChange{Rule: "bash(make clean)", Match: []string{"make all"}}, 422},
		{"a call that it must not cover, and does", api.RuleChange{Rule: "bash(make clean:*)", NotMatch: []string{"make clean x"}}, 422},
		{"another rule gets the high risk", api.RuleChange{Rule: "bash(rm -r x)", High: true}, 403},
		{"another decision gets the high risk", api.RuleChange{Decision: "ask", Rule: "bash(make clean)", High: true}, 403},
	} {
		row.change.Scope, row.change.Decision = "always", cmp.Or(row.change.Decision, "allow")
		body, err := json.Marshal(row.change)
		if err != nil {
			t.Fatal(err)
		}
		if status, text := v.request("POST", "/v1/rules", string(body)); status != row.status {
			t.Errorf("%s: %d %s", row.name, status, text)
		}
	}
	// The page replaces a rule so: the new one is added, then the old one goes.
	if status, text := v.request("POST", "/v1/rules", `{"decision":"allow","rule":"bash(make clean)","scope":"always","remove":true}`); status != 200 {
		t.Error(status, text)
	}
	have = ask[api.Rules](v, "GET", "/v1/rules", nil).Rules
	if len(have) != 1 || !slices.Equal(have[0].NotMatch, []string{"make all"}) || have[0].Why != "w" || !have[0].High {
		t.Errorf("%+v", have)
	}
}

// Who sees only some workspaces changes nothing that holds for others.
func TestSettingsOfAllWorkspacesAreForWhoSeesAll(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	key, err := v.server.Auth().Add(User{Name: "some", Role: roleOperator, Workspaces: []string{v.home.dir}})
	if err != nil {
		t.Fatal(err)
	}
	as := header("Authorization", "Bearer "+key)
	if _, text := v.request("GET", "/v1/me", "", as); !strings.Contains(text, `"sees_all":false`) {
		t.Errorf("who sees some is not told so: %s", text)
	}
	for _, row := range []struct {
		path, body string
		status     int
	}{
		{"/v1/rules", `{"decision":"deny","rule":"bash(rm:*)","scope":"always"}`, 403}, {"/v1/settings", `{"names":["effort"],"value":"low","scope":"always"}`, 403},
		{"/v1/rules", `{"decision":"deny","rule":"bash(rm:*)","scope":"project"}`, 200}, {"/v1/settings", `{"names":["effort"],"value":"low","scope":"project"}`, 200},
		{"/v1/rules", `{"decision":"deny","rule":"bash(rm:*)","scope":"project","dir":"/etc"}`, 404},
	} {
		if status, text := v.request("POST", row.path, row.body, as); status != row.status || strings.Contains(text, "problem:sees_some") != (status == 403) {
			t.Errorf("%s %s: %d %s", row.path, row.body, status, text)
		}
	}
	if _, err := os.Stat(filepath.Join(v.home.dirs.Config, "settings.json")); err == nil {
		t.Error("the settings of all workspaces were written")
	}
	if _, err := os.Stat(settings.ProjectFile(v.home.dirs, v.home.dir)); err != nil {
		t.Error(err)
	}
}

// Settings are shown with their file, without secrets, and changed by the checks of the start.
func TestSettings(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	if err := os.MkdirAll(h.dirs.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	const text = `{"effort":"high","mcpServers":{"db":{"command":"x","env":{"PASSWORD":"very-secret-1"}}},"providers":{"openai":{"baseURL":"https://user:very-secret-2@x.test"}}}`
	if err := os.WriteFile(filepath.Join(h.dirs.Config, "settings.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	v := h.start()
	if status, text := v.request("GET", "/v1/settings", ""); status != 200 || strings.Contains(text, "very-secret") || !strings.Contains(text, `"db"`) {
		t.Errorf("%d %s", status, text)
	}
	for body, want := range map[string]int{
		`{"names":["effort"],"value":"huge","scope":"always"}`: 422, `{"names":["hooks"],"value":{},"scope":"always"}`: 403, `{"names":["sandbox"],"value":"off","scope":"project"}`: 403,
		`{"names":["nothing"],"value":1,"scope":"always"}`: 422, `{"names":["limits","calls"],"value":7,"scope":"project"}`: 200,
	} {
		if status, text := v.request("POST", "/v1/settings", body); status != want {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	found := false
	for _, x := range ask[api.Settings](v, "GET", "/v1/settings", nil).Values {
		found = found || strings.Join(x.Names, ".") == "limits.calls" && x.Layer == "own" && x.Value == float64(7)
	}
	if !found {
		t.Error("the change is not shown")
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
