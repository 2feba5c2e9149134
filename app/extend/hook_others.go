package extend

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"rein/hook"
)

// geminiInput is the input of a hook with the names of Gemini CLI.
func geminiInput(in hook.Input) map[string]any {
	m := map[string]any{"session_id": in.Session, "transcript_path": "", "cwd": in.Dir, "hook_event_name": eventName(in.Event, "gemini"),
		"timestamp": time.Now().UTC().Format(time.RFC3339)}
	if in.Tool != "" {
		m["tool_name"], m["tool_input"] = foreignName(in.Tool, "gemini"), foreignArgs(in.Tool, "gemini", in.Args)
	}
	switch in.Event {
	case hook.PostToolUse:
		m["tool_response"] = map[string]any{"llmContent": in.Text, "returnDisplay": in.Text}
	case hook.PostToolUseFailure:
		m["tool_response"] = map[string]any{"llmContent": in.Text, "returnDisplay": in.Text, "error": map[string]any{"message": in.Text}}
	case hook.UserPromptSubmit:
		m["prompt"] = in.Text
	case hook.Stop, hook.SubagentStop:
		m["prompt_response"], m["stop_hook_active"] = in.Text, in.Again
	case hook.SessionStart, hook.SubagentStart:
		m["source"] = in.Why
	case hook.SessionEnd:
		m["reason"] = in.Why
	case hook.PreCompact, hook.PostCompact:
		m["trigger"] = in.Why
	case hook.Notification:
		m["notification_type"], m["message"] = "ToolPermission", in.Text
	}
	return m
}

// crushInput is the input of a hook with the names of crush.
func crushInput(in hook.Input) map[string]any {
	return map[string]any{"event": string(in.Event), "session_id": in.Session, "cwd": in.Dir,
		"tool_name": foreignName(in.Tool, "crush"), "tool_input": foreignArgs(in.Tool, "crush", in.Args)}
}

// hookVariables are the variables that hooks of a format find in their environment, as NAME=value. root is the workspace.
func hookVariables(in hook.Input, format, root string) []string {
	env := []string{"REIN=1", "REIN_PROJECT_DIR=" + root, "CLAUDE_PROJECT_DIR=" + root}
	switch format {
	case "gemini":
		env = append(env, "GEMINI_PROJECT_DIR="+root, "GEMINI_CWD="+root, "GEMINI_SESSION_ID="+in.Session)
	case "crush":
		var args struct {
			Command string `json:"command"`
			Path    string `json:"file_path"`
		}
		_ = json.Unmarshal(foreignArgs(in.Tool, format, in.Args), &args) // of other types: then both are ""
		env = append(env, "CRUSH=1", "AGENT=crush", "AI_AGENT=crush", "CRUSH_PROJECT_DIR="+root, "CRUSH_CWD="+root, "CRUSH_SESSION_ID="+in.Session,
			"CRUSH_EVENT="+string(in.Event), "CRUSH_TOOL_NAME="+foreignName(in.Tool, format))
		for name, value := range map[string]string{"CRUSH_TOOL_INPUT_COMMAND": args.Command, "CRUSH_TOOL_INPUT_FILE_PATH": args.Path} {
			if !strings.Contains(value, "\x00") {
				env = append(env, name+"="+value)
			}
		}
	}
	return env
}

// decodeGemini reads the answer of a hook of Gemini CLI. There exit code 1 warns and every code above denies, and the errors are read
// where there is no output. Plain text is for the user, and no approval.
func decodeGemini(in hook.Input, e hookEnd) (out hook.Output, err error) {
	text := strings.TrimSpace(e.Stdout)
	if text == "" {
		text = strings.TrimSpace(e.Stderr)
	}
	var a struct {
		claudeAnswer
		Specific *struct {
			Args    json.RawMessage `json:"tool_input"`
			Context string          `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	switch {
	case !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)):
		if e.Code > 1 || e.Code < 0 {
			hookBlock(&out, in.Event, boundText(text))
		} else {
			out.Notice = boundText(text)
		}
		return out, nil
	case json.Unmarshal([]byte(text), &a) != nil:
		return out, errors.New("its answer has another form than that of Gemini CLI")
	}
	if a.Decision == "ask" && in.Event == hook.PreToolUse {
		out = hook.Output{Decision: hook.Ask}
		a.Decision = ""
	}
	decided := out.Decision
	if out, err = a.claudeAnswer.output(in.Event, "gemini"); err != nil {
		return out, err
	}
	out.Decision = max(out.Decision, decided)
	if s := a.Specific; s != nil {
		out.Context = boundText(s.Context)
		if in.Event == hook.PreToolUse {
			if out.Args, err = mergeFields(in, "gemini", s.Args); err != nil {
				return out, err
			}
		}
	}
	if e.Code > 1 && out.Decision != hook.Deny {
		hookBlock(&out, in.Event, boundText(strings.TrimSpace(e.Stderr)))
	}
	return out, nil
}

// haltCode is the exit code with which a hook of crush ends the turn.
const haltCode = 49

// decodeCrush reads the answer of a hook of crush. There exit code 2 denies and 49 ends the turn.
func decodeCrush(in hook.Input, e hookEnd) (out hook.Output, err error) {
	failure := boundText(strings.TrimSpace(e.Stderr))
	switch e.Code {
	case 0:
	case 2:
		hookBlock(&out, in.Event, failure)
		return out, nil
	case haltCode:
		hookBlock(&out, in.Event, failure)
		out.Halt = out.Reason
		return out, nil
	default:
		return out, e.failure()
	}
	text := strings.TrimSpace(e.Stdout)
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return out, nil
	}
	var a struct {
		Decision string          `json:"decision"`
		Reason   string          `json:"reason"`
		Context  any             `json:"context"`
		Args     json.RawMessage `json:"updated_input"`
		Halt     bool            `json:"halt"`
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return out, errors.New("its answer has another form than that of crush")
	}
	if out, err = (claudeAnswer{Decision: a.Decision, Reason: a.Reason}).output(in.Event, "crush"); err != nil {
		return out, err
	}
	switch c := a.Context.(type) {
	case string:
		out.Context = boundText(c)
	case []any:
		for _, line := range c {
			out.Context += fmt.Sprintln(line)
		}
		out.Context = boundText(strings.TrimSpace(out.Context))
	}
	if a.Halt {
		out.Halt = out.Reason
		if out.Halt == "" {
			out.Halt = "the hook gave no reason"
		}
	}
	out.Args, err = mergeFields(in, "crush", a.Args)
	return out, err
}

// mergeFields puts the fields that a hook changed, an object or a text with one, into the arguments of the call; nil where it changed none.
func mergeFields(in hook.Input, format string, changed json.RawMessage) (json.RawMessage, error) {
	var text string
	if json.Unmarshal(changed, &text) == nil {
		changed = json.RawMessage(text)
	}
	if len(changed) == 0 || string(changed) == "null" {
		return nil, nil
	}
	var all, some map[string]json.RawMessage
	if json.Unmarshal(changed, &some) != nil || some == nil {
		return nil, errors.New("the input that it gave is not an object")
	}
	if err := json.Unmarshal(foreignArgs(in.Tool, format, in.Args), &all); err != nil || all == nil {
		all = map[string]json.RawMessage{}
	}
	maps.Copy(all, some)
	out, err := json.Marshal(all)
	return ourArgs(in.Tool, format, out), err
}
