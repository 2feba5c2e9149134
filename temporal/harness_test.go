package temporal

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
	"rein/event"
	"rein/guard"
	"rein/hook"
)

// on is a host that has the sessions of a harness.
func (w *world) on(o harness.Options) {
	w.t.Helper()
	w.t.Setenv("REIN_HOME", w.t.TempDir())
	o.Dir, o.Sandbox, o.Warn = w.root, "off", func(line string) { w.t.Log(line) }
	h, err := harness.Open(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = h.Close(context.Background()) })
	step := func(ctx context.Context, o Opening) (harness.StepSession, error) {
		return harness.Step{Session: o.Session, Journal: o.Journal, Past: o.Past, Task: o.Task, Later: o.Later}.Open(ctx, h, harness.NewSession{ModelName: w.model.Info().String()})
	}
	w.open = func(ctx context.Context, o Opening) (Opened, error) {
		s, err := step(ctx, o)
		if err != nil {
			return Opened{}, Refused(err)
		}
		return Opened{Session: s.Session, Mask: s.Mask().String, Close: s.Close, Ends: s.HearsEnd()}, nil
	}
	w.end = func(ctx context.Context, o Opening) error {
		s, err := step(ctx, o)
		if err != nil {
			return err
		}
		s.End()
		return s.Close()
	}
}

// toolServer is a tool server with one tool. It returns a file for Options.MCPConfig.
func toolServer(t *testing.T, called *int) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "tea", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "brew", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		*called++
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "it is hot"}}}, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(web.Close)
	file := filepath.Join(t.TempDir(), "servers.json")
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"tea": map[string]any{"url": web.URL}}})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A session of a harness on a host has its rules, its tool servers, the masking of secrets and its approvals, as in one process; and no
// tool whose effect would be lost after a step.
func TestAHarnessOnAHost(t *testing.T) {
	w := newWorld(t, `
turns:
- calls: [{name: mcp__tea__brew, id: c1, args: {}}, {name: read_file, id: c2, args: {path: .env}}, {name: write_file, id: c3, args: {path: denied.txt, content: x}}]
- calls: [{name: edit_file, id: c4, args: {path: notes.txt, edits: [{old: one, new: two}]}}, {name: request_access, id: c5, args: {host: example.org, why: x}}]
- calls: [{name: read_file, id: c6, args: {path: notes.txt}}]
- calls: [{name: edit_file, id: c7, args: {path: notes.txt, edits: [{old: one, new: two}]}}]
- text: ready`)
	for name, text := range map[string]string{".env": "API_KEY=swordfish-of-the-seven-seas\n", "notes.txt": "one\n"} {
		if err := os.WriteFile(filepath.Join(w.root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	called, ends := 0, 0
	atEnd := hook.Hook{Name: "end", Event: hook.SessionEnd, Run: func(context.Context, hook.Input) (hook.Output, error) {
		ends++
		return hook.Output{}, nil
	}}
	w.on(harness.Options{Hooks: []hook.Hook{atEnd}, MCPConfig: []string{toolServer(t, &called)}, Terms: harness.Terms{Mode: "supervised", Deny: []string{"write_file(denied.txt)"}}})
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	var look func()
	asked := 0
	look = func() {
		s := state(t, env)
		if s.Trouble != "" {
			t.Error(s.Trouble)
		}
		if len(s.Pending) > 0 && len(s.Answers) == 0 {
			asked++
			a := answerTo(s.Pending[0], s.Pending[0].Tool == "read_file")
			a.Scope = guard.Always
			env.UpdateWorkflow(AnswerName, "", &answered{}, a)
		}
		if s.Due != "" || s.Working != "" {
			env.RegisterDelayedCallback(look, time.Minute)
			return
		}
		env.SignalWorkflow(CloseName, "")
	}
	env.RegisterDelayedCallback(look, time.Minute)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if last := w.last("s1"); last.Stop != event.Done || last.Text != "ready" {
		t.Errorf("%+v", last)
	}
	all := strings.Join(w.recorded(w.store, "s1"), "\n")
	for text, is := range map[string]bool{"it is hot": true, "the rule write_file(denied.txt)": true, "swordfish": false, `"kind":"tools_offered"`: true,
		`no tool \"request_access`: true} {
		if strings.Contains(all, text) != is {
			t.Errorf("in the journal is %q: %v", text, !is)
		}
	}
	if n := strings.Count(all, "sandbox backend:"); n != 1 {
		t.Errorf("the backend of the sandbox is recorded %d times", n)
	}
	if last := w.queues[len(w.queues)-1]; ends != 1 || last != "host end" {
		t.Errorf("the hook of the end ran %d times; the last step was %s", ends, last)
	}
	if called != 1 || asked == 0 || w.file("notes.txt") != "two\n" || w.file("denied.txt") != "" {
		t.Errorf("the server was called %d times, a person was asked %d times, the file is %q", called, asked, w.file("notes.txt"))
	}
	if text, err := os.ReadFile(filepath.Join(os.Getenv("REIN_HOME"), "config", "settings.json")); err == nil {
		t.Errorf("an answer from elsewhere changed the settings: %s", text)
	}
	if t.Failed() {
		t.Log(all)
	}
}

// A harness on a host gives sub-agents to sessions, as in one process: with its kinds, its rules and its tools, and with workflows of their own.
func TestAHarnessHasSubAgents(t *testing.T) {
	w := spread(t, `
turns:
- calls: [{name: agent, id: c1, args: {task: look at it, agent: general}}]
- text: ready
conversations:
- when: look at it
  turns:
  - calls: [{name: write_file, id: d1, args: {path: a.txt, content: x}}, {name: write_file, id: d2, args: {path: denied.txt, content: x}}]
  - calls: [{name: edit_file, id: d3, args: {path: a.txt, edits: [{old: x, new: y}]}}]
  - text: it is there`)
	w.on(harness.Options{Terms: harness.Terms{Mode: "supervised", Deny: []string{"write_file(denied.txt)"}}})
	w.durable("s1", false, []string{"go"})
	child := w.child("s1")
	all := strings.Join(w.recorded(w.store, child), "\n")
	if last := w.last("s1"); last.Stop != event.Done || last.Text != "ready" || w.file("a.txt") != "y" || !strings.Contains(all, "the rule write_file(denied.txt)") {
		t.Errorf("it ended with %+v, the file is %q, and the sub-agent:\n%s", last, w.file("a.txt"), all)
	}
	if !slices.Contains(w.queues, "host.agents1 work") {
		t.Errorf("the steps were on %q", w.queues)
	}
}
