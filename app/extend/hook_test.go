package extend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/hook"
	"rein/kit/guards"
	"rein/kit/sandbox"
)

func TestMatchers(t *testing.T) {
	for _, c := range []struct {
		format, matcher, subject string
		want                     bool
	}{
		{"claude", "", "bash", true}, {"claude", "*", "bash", true}, {"claude", "Bash", "bash", true}, {"claude", "bash", "bash", true}, {"claude", "Edit|Write", "write_file", true}, {"claude", "Edit, Write", "edit_file", true},
		{"claude", "Edit", "notebook_edit", false}, {"claude", "Edit.*", "notebook_edit", true}, {"claude", "mcp__memory", "mcp__memory__get", false}, {"claude", "mcp__memory__.*", "mcp__memory__get", true},
		{"claude", "Task", "agent", true}, {"claude", "startup", "startup", true}, {"claude", "startup", "resume", false}, {"claude", "^Ba", "bash", true},
		{"gemini", "run_shell", "bash", true}, {"claude", "run_shell", "bash", false}, {"gemini", "replace(", "edit_file", false}, {"gemini", "mcp_memory_.*", "mcp__memory__get", true},
		{"crush", "edit|write", "edit_file", true}, {"crush", "view", "read_file", true}, {"crush", "Bash", "bash", false},
	} {
		m, err := readMatcher(c.matcher, c.format, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := m == nil || m(c.subject); got != c.want {
			t.Errorf("%s: %q for %s: %v", c.format, c.matcher, c.subject, got)
		}
	}
	if _, err := readMatcher("a(", "claude", true); err == nil {
		t.Error("a broken matcher was taken")
	}
}

// writeFile makes a file with text in a directory of the test.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func one(event, handler string) string {
	return fmt.Sprintf(`{"hooks":{%q:[{"matcher":"Bash","hooks":[%s]}]}}`, event, handler)
}

func TestFiles(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	echo := `{"type":"command","command":"echo"}`
	writeFile(t, filepath.Join(home, ".claude/settings.json"), one("PreToolUse", echo))
	writeFile(t, filepath.Join(home, ".codex/hooks.json"), one("PreToolUse", echo)) // the same again
	writeFile(t, filepath.Join(home, "rein.json"), "// with a comment\n"+one("PreToolUse", `{"type":"command","command":"own","sandbox":"off"}`))
	writeFile(t, filepath.Join(root, ".claude/settings.json"), one("PostToolUse", echo))
	writeFile(t, filepath.Join(root, ".rein/settings.json"), one("Stop", `{"type":"command","command":"x","sandbox":"off"}`))
	writeFile(t, filepath.Join(root, ".codex/hooks.json"), one("PreTolUse", echo))
	writeFile(t, filepath.Join(root, ".claude/settings.local.json"), `{"hooks":[]}`)
	files := HookFiles(filepath.Join(home, "none.json"), []string{filepath.Join(home, "rein.json")}, home, root)
	all, warnings := ReadHooks(files, os.ReadFile, func(path string, text []byte) bool { return strings.HasSuffix(path, ".rein/settings.json") })
	var got []string
	for _, e := range all {
		got = append(got, fmt.Sprintf("%s %s %v %s", e.Event, e.Handler.Command, e.Untrusted, e.Skipped))
	}
	want := `PreToolUse own false 
PreToolUse echo false 
PreToolUse echo false it is listed in another file too
Stop x false only hooks of your own files may run without the sandbox
PostToolUse echo true 
PreTolUse echo true rein has no event "PreTolUse"`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "settings.local.json") {
		t.Error(warnings)
	}
	if n := len((HookRunner{Approve: true}).Hooks(all)); n != 2 {
		t.Errorf("%d hooks run, want 2", n)
	}
}

func TestOnlyTheUsersHooksMayApprove(t *testing.T) {
	for _, project := range []bool{false, true} {
		h := HookRunner{Approve: true}.hook(HookEntry{Event: hook.PreToolUse, File: HookFile{Project: project}})
		if h.Approves == project {
			t.Errorf("project %v: approves %v", project, h.Approves)
		}
	}
}

// bare runs programs without isolation.
func bare(ctx context.Context, p HookProgram, input []byte) (int, string, string, error) {
	r, err := sandbox.RunToEnd(ctx, sandbox.None{}, sandbox.Spec{Argv: p.Argv, Dir: p.Dir, Env: p.Env}, input)
	return r.Code, r.Stdout, r.Stderr, err
}

// run runs a handler at an event, without isolation.
func run(t *testing.T, h HookHandler, in hook.Input) hook.Outcome {
	t.Helper()
	r := HookRunner{Dir: t.TempDir(), Command: bare, Fits: func(text, tool string, args json.RawMessage) (bool, error) {
		return guards.RuleFits(text, guards.RuleCall{Tool: tool, Args: args})
	}, Client: func(_ string, project bool) (*http.Client, error) {
		if project {
			return nil, errors.New("no host is allowed")
		}
		return http.DefaultClient, nil
	}, Getenv: func(name string) string { return "value of " + name }}
	if in.Event == "" {
		in = hook.Input{Event: hook.PreToolUse, Tool: "bash", Args: json.RawMessage(`{"command":"git push"}`)}
	}
	return hook.NewSet(r.hook(HookEntry{Event: in.Event, Handler: h})).Run(t.Context(), in)
}

func TestPrograms(t *testing.T) {
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("no bash")
	}
	for _, c := range []struct {
		name     string
		handler  HookHandler
		decision hook.Decision
		reason   string
	}{
		{"the input is on standard input", HookHandler{Type: "command", Command: `grep -q '"command":"git push"' && echo no >&2 && exit 2`}, hook.Deny, "no"},
		{"a program that does not read", HookHandler{Type: "command", Command: "true"}, hook.None, ""},
		{"arguments without a shell", HookHandler{Type: "command", Command: "bash", Args: []string{"-c", `test -d "${CLAUDE_PROJECT_DIR}" && exit 2`}}, hook.Deny, "the hook gave no reason"},
		{"a failure denies", HookHandler{Type: "command", Command: "echo broken >&2; exit 7"}, hook.Deny, "exit code 7: broken"},
		{"unless the handler lets it go on", HookHandler{Type: "command", Command: "exit 7", OnFailure: "continue"}, hook.None, ""},
		{"a late one denies", HookHandler{Type: "command", Command: "sleep 60", Timeout: 0.2}, hook.Deny, "longer than 200ms"},
		{"a signal denies", HookHandler{Type: "command", Command: "kill -9 $$"}, hook.Deny, "ended it"},
		{"a rule that fits", HookHandler{Type: "command", Command: "exit 2", If: "Bash(git push:*)"}, hook.Deny, "no reason"},
		{"a rule that does not", HookHandler{Type: "command", Command: "exit 2", If: "Bash(npm:*)"}, hook.None, ""},
		{"secrets of rein are not in the environment", HookHandler{Type: "command", Command: `test -z "$SECRET_API_KEY" || exit 2`}, hook.None, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("SECRET_API_KEY", "x")
			o := run(t, c.handler, hook.Input{})
			if o.Decision != c.decision || !strings.Contains(o.Reason, c.reason) {
				t.Errorf("%v: %q", o.Decision, o.Reason)
			}
		})
	}
}

func TestServers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/deny":
			if r.Header.Get("A") != "value of TOKEN" || r.Header.Get("B") != "" || !strings.Contains(string(body), "git push") {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			io.WriteString(w, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"closed"}}`)
		case "/text":
			io.WriteString(w, "fine")
		case "/error":
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{"/deny": "closed", "/text": "no JSON", "/error": "502", "/empty": ""} {
		o := run(t, HookHandler{Type: "http", URL: server.URL + path, Headers: map[string]string{"A": "$TOKEN", "B": "$HOME"}, AllowedEnvVars: []string{"TOKEN"}}, hook.Input{})
		if (o.Decision == hook.Deny) != (want != "") || !strings.Contains(o.Reason, want) {
			t.Errorf("%s: %v %q", path, o.Decision, o.Reason)
		}
	}
}

func TestPrompts(t *testing.T) {
	for answer, want := range map[string]string{`{"ok":true}`: "", `{"ok":false,"reason":"main is protected"}`: "main is protected", "sure": "something else", `{"ok":true} {"ok":false}`: "something else", `{}`: "something else"} {
		r := HookRunner{Ask: func(context.Context, string, string, string) (string, error) { return answer, nil }}
		o := hook.NewSet(r.hook(HookEntry{Event: hook.PreToolUse, Handler: HookHandler{Type: "prompt", Prompt: "only small changes: $ARGUMENTS"}})).Run(t.Context(), hook.Input{Event: hook.PreToolUse})
		if (o.Decision == hook.Deny) != (want != "") || !strings.Contains(o.Reason, want) {
			t.Errorf("%s: %v %q", answer, o.Decision, o.Reason)
		}
	}
}

// What is wrong with a file is said in plain words.
func TestAWrongHookIsNamedInPlainWords(t *testing.T) {
	for text, want := range map[string]string{
		`{"hooks":"x"}`:                        "f: its hooks are not read: hooks: expected an object, not string",
		`{"hooks":{"Stop":[{"hooks":["x"]}]}}`: "f: its hooks are not read: Stop: a hook: expected an object, not string",
		`{"hooks":{"Stop":[{"hooks":[{]}]}}`:   "f: its hooks are not read: this is not JSON: ",
		`{"hooks":{"Stop":[{"matcher":7}]}}`:   "matcher: expected a text, not number",
	} {
		_, warnings := ReadHooks([]HookFile{{Path: "f"}}, func(string) ([]byte, error) { return []byte(text), nil }, nil)
		if len(warnings) != 1 || !strings.Contains(warnings[0], want) || strings.Contains(warnings[0], "json:") {
			t.Errorf("%s: %q", text, warnings)
		}
	}
}
