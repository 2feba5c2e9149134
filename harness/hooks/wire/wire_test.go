package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rein/hook"
)

// TestAnswers holds what programs answer to what it means. The rows follow how Claude Code reads hooks.
func TestAnswers(t *testing.T) {
	specific := func(at, rest string) string {
		return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,%s}}`, at, rest)
	}
	for _, c := range []struct {
		name, format string
		at           hook.Event
		ended        Ended
		want         hook.Output
		failed       string
	}{
		{"nothing is no opinion", "claude", hook.PreToolUse, Ended{}, hook.Output{}, ""},
		{"exit 2 denies with the errors", "claude", hook.PreToolUse, Ended{Code: 2, Stderr: "use make clean\n"}, hook.Output{Decision: hook.Deny, Reason: "use make clean"}, ""},
		{"exit 2 takes no changed arguments", "claude", hook.PreToolUse, Ended{Code: 2, Stdout: specific("PreToolUse", `"permissionDecision":"allow","updatedInput":{"command":"x"}`), Stderr: "no"}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"allow", "claude", hook.PreToolUse, Ended{Stdout: specific("PreToolUse", `"permissionDecision":"allow"`)}, hook.Output{Decision: hook.Allow}, ""},
		{"ask", "claude", hook.PreToolUse, Ended{Stdout: specific("PreToolUse", `"permissionDecision":"ask","permissionDecisionReason":"prod host"`)}, hook.Output{Decision: hook.Ask, Reason: "prod host"}, ""},
		{"defer asks", "claude", hook.PreToolUse, Ended{Stdout: specific("PreToolUse", `"permissionDecision":"defer"`)}, hook.Output{Decision: hook.Ask}, ""},
		{"changed arguments", "claude", hook.PreToolUse, Ended{Stdout: specific("PreToolUse", `"permissionDecision":"allow","updatedInput":{"command":"ls"}`)}, hook.Output{Decision: hook.Allow, Args: json.RawMessage(`{"command":"ls"}`)}, ""},
		{"arguments that are no object", "claude", hook.PreToolUse, Ended{Stdout: specific("PreToolUse", `"updatedInput":["x"]`)}, hook.Output{}, "updatedInput is no object"},
		{"JSON counts on exit 1", "claude", hook.PreToolUse, Ended{Code: 1, Stdout: specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"no"`)}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"text before JSON is plain text", "claude", hook.PreToolUse, Ended{Stdout: "debug\n{\"continue\":false}"}, hook.Output{}, ""},
		{"exit 1 with text is a failure", "claude", hook.PreToolUse, Ended{Code: 1, Stderr: "jq: not found\nmore"}, hook.Output{}, "exit code 1: jq: not found"},
		{"an unknown decision is a failure", "claude", hook.PreToolUse, Ended{Stdout: specific("PreToolUse", `"permissionDecision":"yes"`)}, hook.Output{}, `permissionDecision is "yes"`},
		{"the answer of another event is a failure", "claude", hook.PreToolUse, Ended{Stdout: specific("Stop", `"permissionDecision":"allow"`)}, hook.Output{}, `for "Stop"`},
		{"a wrong kind is a failure", "claude", hook.PreToolUse, Ended{Stdout: `{"continue":"no"}`}, hook.Output{}, "another form"},
		{"continue false ends the turn", "claude", hook.PreToolUse, Ended{Stdout: `{"continue":false,"stopReason":"enough","systemMessage":"hi"}`}, hook.Output{Halt: "enough", Notice: "hi"}, ""},
		{"the old decision", "claude", hook.PreToolUse, Ended{Stdout: `{"decision":"block","reason":"no"}`}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"codex: allow alone is no approval", "codex", hook.PreToolUse, Ended{Stdout: specific("PreToolUse", `"permissionDecision":"allow"`)}, hook.Output{}, ""},
		{"codex: allow with a change is", "codex", hook.PreToolUse, Ended{Stdout: specific("PreToolUse", `"permissionDecision":"allow","updatedInput":{"command":"ls"}`)}, hook.Output{Decision: hook.Allow, Args: json.RawMessage(`{"command":"ls"}`)}, ""},
		{"plain text is context for a message", "claude", hook.UserPromptSubmit, Ended{Stdout: "on branch x\n"}, hook.Output{Context: "on branch x"}, ""},
		{"plain text after a call is nothing", "claude", hook.PostToolUse, Ended{Stdout: "ok\n"}, hook.Output{}, ""},
		{"a message is blocked", "claude", hook.UserPromptSubmit, Ended{Stdout: `{"decision":"block","reason":"secret"}`}, hook.Output{Decision: hook.Deny, Reason: "secret"}, ""},
		{"stop goes on", "claude", hook.Stop, Ended{Stdout: `{"decision":"block","reason":"tests"}`}, hook.Output{Decision: hook.Deny, Reason: "tests"}, ""},
		{"another result", "claude", hook.PostToolUse, Ended{Stdout: specific("PostToolUse", `"updatedToolOutput":{"stdout":"new"}`)}, hook.Output{Result: new("new")}, ""},
		{"a request is approved", "claude", hook.PermissionRequest, Ended{Stdout: specific("PermissionRequest", `"decision":{"behavior":"allow"}`)}, hook.Output{Decision: hook.Allow}, ""},
		{"a request is denied", "claude", hook.PermissionRequest, Ended{Stdout: specific("PermissionRequest", `"decision":{"behavior":"deny","message":"no"}`)}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"an answer that changes the call is a failure", "claude", hook.PermissionRequest, Ended{Stdout: specific("PermissionRequest", `"decision":{"behavior":"allow","updatedInput":{"command":"x"}}`)}, hook.Output{}, "cannot change the call"},
		{"exit 2 does not answer a request", "claude", hook.PermissionRequest, Ended{Code: 2, Stderr: "hm"}, hook.Output{Notice: "hm"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Decode(c.at, c.format, c.ended)
			if c.failed != "" {
				if err == nil || !strings.Contains(err.Error(), c.failed) {
					t.Fatalf("error %v, want %q", err, c.failed)
				}
				return
			}
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(c.want)
			if err != nil || string(a) != string(b) {
				t.Errorf("got %s, %v\nwant %s", a, err, b)
			}
		})
	}
}

func TestTheInputHasTheNamesOfClaudeCode(t *testing.T) {
	in := hook.Input{Event: hook.PreToolUse, Session: "s", Agent: "a", AgentType: "explore", Dir: "/w", Mode: "supervised", Tool: "edit_file", Call: "c1",
		Args: json.RawMessage(`{"path":"a.go","old_text":"x","new_text":"y"}`)}
	got, err := Encode(in, "claude")
	want := `{"session_id":"s","transcript_path":"","cwd":"/w","hook_event_name":"PreToolUse","permission_mode":"default","agent_id":"a","agent_type":"explore","tool_name":"Edit","rein_tool_name":"edit_file","tool_input":{"file_path":"a.go","new_string":"y","old_string":"x"},"tool_use_id":"c1"}`
	if err != nil || string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	in.Event, in.Tool, in.Text, in.Duration = hook.PostToolUse, "bash", "out", 5*time.Millisecond
	if got, _ := Encode(in, "claude"); !strings.Contains(string(got), `"tool_response":{"interrupted":false,"stderr":"","stdout":"out"},"duration_ms":5`) {
		t.Error(string(got))
	}
	if got, _ := Encode(in, "codex"); !strings.Contains(string(got), `"tool_response":"out"`) {
		t.Error(string(got))
	}
}
