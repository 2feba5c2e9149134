package acp

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rein/app/harness"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
)

// beAgent makes the test program an agent, with the file of its script.
const beAgent = "REIN_ACP_TEST_AGENT"

// approver answers approval requests and keeps what they were about.
type approver struct {
	mu    sync.Mutex
	asked []string
	deny  string // a part of what is denied; "": nothing
}

func (p *approver) Ask(_ context.Context, r *harness.Request) (guard.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := strings.Join(r.Lines, "\n")
	p.asked = append(p.asked, what)
	answer := guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}
	if p.deny != "" && strings.Contains(what, p.deny) {
		answer.Choice = guard.Denied
	}
	return r.Claim(answer)
}

// TestAnotherReinIsASubAgent: rein uses rein as an external agent. What that asks its client for is done here.
func TestAnotherReinIsASubAgent(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dirs := settings.Dirs{Config: filepath.Join(root, "config"), Sessions: filepath.Join(root, "sessions"), Output: filepath.Join(root, "output"),
		Private: filepath.Join(root, "private"), State: filepath.Join(root, "state")}
	ws := filepath.Join(root, "ws")
	external := map[string]any{"agents": map[string]any{"external": map[string]any{"other": map[string]any{
		"command": program, "env": map[string]string{beAgent: filepath.Join(root, "inner.yaml"), "REIN_HOME": filepath.Join(root, "inner")}}}}}
	for name, text := range map[string]string{
		"ws/a.txt":   "one\n",
		"outer.yaml": "turns: [{calls: [{name: agent, args: {agent: other, task: 'Do it.'}}]}, {expect: {text: 'Finished.'}, text: Done.}]",
		"inner.yaml": `
turns:
  - text: I work.
    calls: [{name: read_file, args: {path: a.txt}}]
  - calls: [{name: edit_file, args: {path: a.txt, old: one, new: two}}]
  - calls: [{name: bash, args: {command: 'touch made'}}]
  - text: Finished.
`} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		name, deny, file string
		made             bool
		rule             any
	}{
		{"the agent may not start", "start", "one\n", false, nil},
		{"its command is denied", "touch made", "two\n", false, nil},
		{"all is approved", "", "two\n", true, nil},
		{"a rule of a low severity starts no program", "start", "one\n", false, "external_action(agent:other)"},
		{"a rule for another agent", "start", "one\n", false, map[string]any{"rule": "external_action(agent:gemini)", "risk": "high"}},
		{"a rule permits the agent", "start", "two\n", true, map[string]any{"rule": "external_action(agent:other)", "risk": "high"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			set := maps.Clone(external)
			if row.rule != nil {
				set["permissions"] = map[string]any{"allow": []any{row.rule}}
			}
			config, err := json.Marshal(set)
			if err == nil {
				err = os.MkdirAll(dirs.Config, 0o700)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(dirs.Config, "settings.json"), config, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(filepath.Join(ws, "made"))
			if err := os.WriteFile(filepath.Join(ws, "a.txt"), []byte("one\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := &approver{deny: row.deny}
			if row.deny == "start" {
				p.deny = filepath.Base(program)
			}
			h, err := harness.Open(t.Context(), harness.Options{Dir: ws, Dirs: dirs, Terms: harness.Terms{Model: "script/" + filepath.Join(root, "outer.yaml"), Sandbox: "off"}, Person: p})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close(context.Background())
			s, err := h.Start(t.Context(), harness.NewSession{})
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			for e := range s.Send(t.Context(), harness.Message("go")...) {
				if e.Kind == event.Called && e.Parent != "" {
					calls = append(calls, e.Call.Name)
				}
			}
			if text, _ := os.ReadFile(filepath.Join(ws, "a.txt")); string(text) != row.file {
				t.Errorf("the file has %q, want %q", text, row.file)
			}
			if _, err := os.Stat(filepath.Join(ws, "made")); (err == nil) != row.made {
				t.Errorf("the command ran: %v; calls %v; asked %q", err == nil, calls, p.asked)
			}
			if got := strings.Join(calls, " "); row.made && !strings.HasPrefix(got, "external_action read_file") {
				t.Errorf("the calls in the journal of the sub-agent: %s", got)
			}
		})
	}
}
