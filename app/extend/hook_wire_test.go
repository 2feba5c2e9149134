package extend

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
		ended        hookEnd
		want         hook.Output
		failed       string
	}{
		{"nothing is no opinion", "claude", hook.PreToolUse, hookEnd{}, hook.Output{}, ""},
		{"exit 2 denies with the errors", "claude", hook.PreToolUse, hookEnd{Code: 2, Stderr: "use make clean\n"}, hook.Output{Decision: hook.Deny, Reason: "use make clean"}, ""},
		{"exit 2 takes no changed arguments", "claude", hook.PreToolUse, hookEnd{Code: 2, Stdout: specific("PreToolUse", `"permissionDecision":"allow","updatedInput":{"command":"x"}`), Stderr: "no"}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"allow", "claude", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"permissionDecision":"allow"`)}, hook.Output{Decision: hook.Allow}, ""},
		{"ask", "claude", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"permissionDecision":"ask","permissionDecisionReason":"prod host"`)}, hook.Output{Decision: hook.Ask, Reason: "prod host"}, ""},
		{"defer asks", "claude", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"permissionDecision":"defer"`)}, hook.Output{Decision: hook.Ask}, ""},
		{"changed arguments", "claude", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"permissionDecision":"allow","updatedInput":{"command":"ls"}`)}, hook.Output{Decision: hook.Allow, Args: json.RawMessage(`{"command":"ls"}`)}, ""},
		{"changed arguments get our names", "claude", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"updatedInput":{"file_path":"b","old_string":"x","new_string":"y"}`)}, hook.Output{Args: json.RawMessage(`{"new_text":"y","old_text":"x","path":"b"}`)}, ""},
		{"arguments that are no object", "claude", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"updatedInput":["x"]`)}, hook.Output{}, "updatedInput is not an object"},
		{"JSON counts on exit 1", "claude", hook.PreToolUse, hookEnd{Code: 1, Stdout: specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"no"`)}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"text before JSON is plain text", "claude", hook.PreToolUse, hookEnd{Stdout: "debug\n{\"continue\":false}"}, hook.Output{}, ""},
		{"exit 1 with text is a failure", "claude", hook.PreToolUse, hookEnd{Code: 1, Stderr: "jq: not found\nmore"}, hook.Output{}, "exit code 1: jq: not found"},
		{"exit 1 without text is a failure", "claude", hook.PreToolUse, hookEnd{Code: 1}, hook.Output{}, "exit code 1"},
		{"an unknown decision is a failure", "claude", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"permissionDecision":"yes"`)}, hook.Output{}, `permissionDecision is "yes"`},
		{"the answer of another event is a failure", "claude", hook.PreToolUse, hookEnd{Stdout: specific("Stop", `"permissionDecision":"allow"`)}, hook.Output{}, `for "Stop"`},
		{"a wrong kind is a failure", "claude", hook.PreToolUse, hookEnd{Stdout: `{"continue":"no"}`}, hook.Output{}, "another form"},
		{"continue false ends the turn", "claude", hook.PreToolUse, hookEnd{Stdout: `{"continue":false,"stopReason":"enough","systemMessage":"hi"}`}, hook.Output{Halt: "enough", Notice: "hi"}, ""},
		{"the old decision", "claude", hook.PreToolUse, hookEnd{Stdout: `{"decision":"block","reason":"no"}`}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"codex: allow alone is no approval", "codex", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"permissionDecision":"allow"`)}, hook.Output{}, ""},
		{"codex: allow with a change is", "codex", hook.PreToolUse, hookEnd{Stdout: specific("PreToolUse", `"permissionDecision":"allow","updatedInput":{"command":"ls"}`)}, hook.Output{Decision: hook.Allow, Args: json.RawMessage(`{"command":"ls"}`)}, ""},
		{"plain text is context for a message", "claude", hook.UserPromptSubmit, hookEnd{Stdout: "on branch x\n"}, hook.Output{Context: "on branch x"}, ""},
		{"plain text after a call is nothing", "claude", hook.PostToolUse, hookEnd{Stdout: "ok\n"}, hook.Output{}, ""},
		{"a message is blocked", "claude", hook.UserPromptSubmit, hookEnd{Stdout: `{"decision":"block","reason":"secret"}`}, hook.Output{Decision: hook.Deny, Reason: "secret"}, ""},
		{"stop goes on", "claude", hook.Stop, hookEnd{Stdout: `{"decision":"block","reason":"tests"}`}, hook.Output{Decision: hook.Deny, Reason: "tests"}, ""},
		{"another result", "claude", hook.PostToolUse, hookEnd{Stdout: specific("PostToolUse", `"updatedToolOutput":{"stdout":"new"}`)}, hook.Output{Result: new("new")}, ""},
		{"a request is approved", "claude", hook.PermissionRequest, hookEnd{Stdout: specific("PermissionRequest", `"decision":{"behavior":"allow"}`)}, hook.Output{Decision: hook.Allow}, ""},
		{"a request is denied", "claude", hook.PermissionRequest, hookEnd{Stdout: specific("PermissionRequest", `"decision":{"behavior":"deny","message":"no"}`)}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"an answer that changes the call is a failure", "claude", hook.PermissionRequest, hookEnd{Stdout: specific("PermissionRequest", `"decision":{"behavior":"allow","updatedInput":{"command":"x"}}`)}, hook.Output{}, "cannot change the call"},
		{"exit 2 does not answer a request", "claude", hook.PermissionRequest, hookEnd{Code: 2, Stderr: "hm"}, hook.Output{Notice: "hm"}, ""},
		{"gemini: exit 1 warns", "gemini", hook.PreToolUse, hookEnd{Code: 1, Stderr: "slow"}, hook.Output{Notice: "slow"}, ""},
		{"gemini: text is for the user, and no approval", "gemini", hook.PreToolUse, hookEnd{Stdout: "fine"}, hook.Output{Notice: "fine"}, ""},
		{"gemini: errors are read where there is no output", "gemini", hook.PreToolUse, hookEnd{Stderr: `{"decision":"deny","reason":"no"}`}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"gemini: ask", "gemini", hook.PreToolUse, hookEnd{Stdout: `{"decision":"ask","reason":"sure?"}`}, hook.Output{Decision: hook.Ask, Reason: "sure?"}, ""},
		{"gemini: the input is merged, with our names", "gemini", hook.PreToolUse, hookEnd{Stdout: `{"decision":"allow","hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"file_path":"b"},"additionalContext":"hi"}}`},
			hook.Output{Decision: hook.Allow, Args: json.RawMessage(`{"new_text":"y","path":"b"}`), Context: "hi"}, ""},
		{"gemini: a late exit code denies what the JSON allows", "gemini", hook.PreToolUse, hookEnd{Code: 3, Stdout: `{"decision":"allow"}`, Stderr: "no"}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"gemini: an answer goes on", "gemini", hook.Stop, hookEnd{Stdout: `{"decision":"block","reason":"tests"}`}, hook.Output{Decision: hook.Deny, Reason: "tests"}, ""},
		{"gemini: another form", "gemini", hook.PreToolUse, hookEnd{Stdout: `{"decision":3}`}, hook.Output{}, "another form"},
		{"crush: exit 2 denies", "crush", hook.PreToolUse, hookEnd{Code: 2, Stderr: "no"}, hook.Output{Decision: hook.Deny, Reason: "no"}, ""},
		{"crush: exit 49 ends the turn", "crush", hook.PreToolUse, hookEnd{Code: 49, Stderr: "enough"}, hook.Output{Decision: hook.Deny, Reason: "enough", Halt: "enough"}, ""},
		{"crush: other codes fail", "crush", hook.PreToolUse, hookEnd{Code: 3, Stderr: "jq\nmore"}, hook.Output{}, "exit code 3: jq"},
		{"crush: context as a list", "crush", hook.PreToolUse, hookEnd{Stdout: `{"decision":"allow","context":["a","b"]}`}, hook.Output{Decision: hook.Allow, Context: "a\nb"}, ""},
		{"crush: input as a text", "crush", hook.PreToolUse, hookEnd{Stdout: `{"updated_input":"{\"file_path\":\"b\"}"}`}, hook.Output{Args: json.RawMessage(`{"new_text":"y","path":"b"}`)}, ""},
		{"crush: input that is not an object", "crush", hook.PreToolUse, hookEnd{Stdout: `{"updated_input":[1]}`}, hook.Output{}, "not an object"},
		{"crush: halt", "crush", hook.PreToolUse, hookEnd{Stdout: `{"halt":true,"reason":"stop"}`}, hook.Output{Halt: "stop", Reason: "stop"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := decodeOutput(hook.Input{Event: c.at, Tool: "edit_file", Args: json.RawMessage(`{"path":"a","new_text":"y"}`)}, c.format, c.ended)
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

// TestInputs holds the input of each event to the JSON that Claude Code gives.
func TestInputs(t *testing.T) {
	of := func(at hook.Event, rest string, mode bool) string {
		text := fmt.Sprintf(`{"session_id":"s","transcript_path":"","cwd":"/w","hook_event_name":%q,`, at)
		if mode {
			text += `"permission_mode":"default",`
		}
		return text + rest + "}"
	}
	agent := `"agent_id":"a","agent_type":"explore"`
	edit := `"tool_name":"Edit","rein_tool_name":"edit_file","tool_input":{"file_path":"/w/a.go","new_string":"y","old_string":"x"}`
	call := hook.Input{Tool: "edit_file", Call: "c1", Args: json.RawMessage(`{"path":"a.go","old_text":"x","new_text":"y"}`)}
	inputs := map[hook.Event]struct {
		in   hook.Input
		want string
	}{
		hook.PreToolUse:         {call, of(hook.PreToolUse, edit+`,"tool_use_id":"c1"`, true)},
		hook.PostToolUse:        {hook.Input{Tool: "bash", Call: "c1", Args: json.RawMessage(`{"command":"ls"}`), Text: "out", Duration: 5 * time.Millisecond}, of(hook.PostToolUse, `"tool_name":"Bash","rein_tool_name":"bash","tool_input":{"command":"ls"},"tool_use_id":"c1","tool_response":{"interrupted":false,"stderr":"","stdout":"out"},"duration_ms":5`, true)},
		hook.PostToolUseFailure: {hook.Input{Tool: "edit_file", Call: "c1", Args: call.Args, Text: "no such file"}, of(hook.PostToolUseFailure, edit+`,"tool_use_id":"c1","error":"no such file"`, true)},
		hook.PermissionRequest:  {hook.Input{Tool: "edit_file", Call: "c1", Args: call.Args, Why: "a rule"}, of(hook.PermissionRequest, edit+`,"reason":"a rule"`, true)},
		hook.UserPromptSubmit:   {hook.Input{Text: "go"}, of(hook.UserPromptSubmit, `"prompt":"go"`, true)},
		hook.SessionStart:       {hook.Input{Why: "resume"}, of(hook.SessionStart, `"source":"resume"`, false)},
		hook.SessionEnd:         {hook.Input{Why: "other"}, of(hook.SessionEnd, `"reason":"other"`, false)},
		hook.Stop:               {hook.Input{Text: "done"}, of(hook.Stop, `"stop_hook_active":false,"last_assistant_message":"done"`, true)},
		hook.SubagentStart:      {hook.Input{Agent: "a", AgentType: "explore", Why: "startup"}, of(hook.SubagentStart, agent, true)},
		hook.SubagentStop:       {hook.Input{Agent: "a", AgentType: "explore", Text: "done", Again: true}, of(hook.SubagentStop, agent+`,"stop_hook_active":true,"last_assistant_message":"done","agent_transcript_path":""`, true)},
		hook.PreCompact:         {hook.Input{Why: "auto"}, of(hook.PreCompact, `"trigger":"auto","custom_instructions":null`, true)},
		hook.PostCompact:        {hook.Input{Why: "manual", Text: "sum"}, of(hook.PostCompact, `"trigger":"manual","compact_summary":"sum"`, true)},
		hook.Notification:       {hook.Input{Why: "permission_prompt", Text: "rein needs an approval"}, of(hook.Notification, `"message":"rein needs an approval","notification_type":"permission_prompt"`, true)},
	}
	for _, at := range hook.Events() {
		c, ok := inputs[at]
		if !ok {
			t.Errorf("%s has no row", at)
			continue
		}
		c.in.Event, c.in.Session, c.in.Dir, c.in.Mode = at, "s", "/w", "supervised"
		if got, err := encodeInput(c.in, "claude"); err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", at, err, got, c.want)
		}
	}
	in := inputs[hook.PostToolUse].in
	in.Event = hook.PostToolUse
	if got, _ := encodeInput(in, "codex"); !strings.Contains(string(got), `"tool_response":"out"`) {
		t.Error(string(got))
	}
	in = inputs[hook.PreCompact].in
	in.Event, in.Focus = hook.PreCompact, "the tests"
	if got, _ := encodeInput(in, "claude"); !strings.Contains(string(got), `"custom_instructions":"the tests"`) {
		t.Error(string(got))
	}
}

// What a command wrote goes to hooks of other programs without the lines that rein adds.
func TestTheOutputOfACommandAlone(t *testing.T) {
	for text, want := range map[string]string{
		"hello\n[exit code 0 after 4ms]\n":                                "hello\n",
		"[exit code 1 after 1s]\nmore\n[exit code 0 after 4ms]\n[a note]": "[exit code 1 after 1s]\nmore\n",
		"the output is elsewhere":                                         "the output is elsewhere",
	} {
		if got := withoutExitLine(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
