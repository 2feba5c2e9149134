package extend

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"sync"

	"rein/hook"
)

// claudeInput is the input of a hook as JSON, with the names of Claude Code.
type claudeInput struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"` // always "", as is that of a sub-agent: no hook reads the journal
	Dir        string `json:"cwd"`
	Event      string `json:"hook_event_name"`
	Mode       string `json:"permission_mode,omitempty"`
	Agent      string `json:"agent_id,omitempty"`
	AgentType  string `json:"agent_type,omitempty"`

	Tool     string          `json:"tool_name,omitempty"`
	OurTool  string          `json:"rein_tool_name,omitempty"`
	Args     json.RawMessage `json:"tool_input,omitempty"`
	Call     string          `json:"tool_use_id,omitempty"`
	Response any             `json:"tool_response,omitempty"`
	Error    string          `json:"error,omitempty"`
	Duration int64           `json:"duration_ms,omitempty"`

	Prompt   string  `json:"prompt,omitempty"`
	Source   string  `json:"source,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	Active   *bool   `json:"stop_hook_active,omitempty"`
	Last     string  `json:"last_assistant_message,omitempty"`
	SubPath  *string `json:"agent_transcript_path,omitempty"`
	Trigger  string  `json:"trigger,omitempty"`
	Focus    any     `json:"custom_instructions,omitempty"` // a text or null
	Summary  string  `json:"compact_summary,omitempty"`
	Message  string  `json:"message,omitempty"`
	NoteType string  `json:"notification_type,omitempty"`
}

// claudeModes are the names that Claude Code has for modes.
var claudeModes = map[string]string{"read-only": "plan", "plan": "plan", "ask": "default", "supervised": "default", "auto": "auto", "full": "bypassPermissions"}

// encodeInput writes the input of a hook of that format: see formatNames.
func encodeInput(in hook.Input, format string) ([]byte, error) {
	switch format {
	case "gemini":
		return json.Marshal(geminiInput(in))
	case "crush":
		return json.Marshal(crushInput(in))
	}
	m := claudeInput{Session: in.Session, Dir: in.Dir, Event: string(in.Event), Mode: claudeModes[in.Mode], Agent: in.Agent, AgentType: in.AgentType}
	if in.Tool != "" {
		m.Tool, m.OurTool, m.Args, m.Call = foreignName(in.Tool, format), in.Tool, absoluteHookArgs(foreignArgs(in.Tool, format, in.Args), in.Dir), in.Call
		m.Duration = in.Duration.Milliseconds()
	}
	switch in.Event {
	case hook.PostToolUse:
		m.Response = hookResponse(in, format)
	case hook.PostToolUseFailure:
		m.Error = in.Text
	case hook.PermissionRequest:
		m.Call, m.Reason = "", in.Why
	case hook.UserPromptSubmit:
		m.Prompt = in.Text
	case hook.SessionStart:
		m.Source, m.Mode = in.Why, ""
	case hook.SessionEnd:
		m.Reason, m.Mode = in.Why, ""
	case hook.Stop:
		m.Active, m.Last = &in.Again, in.Text
	case hook.SubagentStop:
		m.Active, m.Last, m.SubPath = &in.Again, in.Text, new("")
	case hook.PreCompact:
		m.Trigger, m.Focus = in.Why, json.RawMessage("null")
		if in.Focus != "" {
			m.Focus = in.Focus
		}
	case hook.PostCompact:
		m.Trigger, m.Summary = in.Why, in.Text
	case hook.Notification:
		m.Message, m.NoteType = in.Text, in.Why
	}
	return json.Marshal(m)
}

// hookResponse is a result in the form that hooks know.
func hookResponse(in hook.Input, format string) any {
	switch {
	case format == "codex":
		return in.Text
	case in.Tool == "bash":
		return map[string]any{"stdout": withoutExitLine(in.Text), "stderr": "", "interrupted": false}
	}
	return map[string]any{"content": in.Text}
}

// exitLine is the line with which a result of bash says how the command ended. What follows it are notes of ours.
var exitLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\[exit code -?\d+ after [^\n]*\]$`) })

// withoutExitLine is what the command itself wrote, of a result of bash.
func withoutExitLine(text string) string {
	if all := exitLine().FindAllStringIndex(text, -1); len(all) > 0 {
		return text[:all[len(all)-1][0]]
	}
	return text
}

// absoluteHookArgs makes the paths of files absolute, as hooks of other programs expect them.
func absoluteHookArgs(args json.RawMessage, dir string) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return args
	}
	changed := false
	for _, name := range []string{"file_path", "notebook_path"} {
		var path string
		if json.Unmarshal(all[name], &path) != nil || path == "" || filepath.IsAbs(path) {
			continue
		}
		if encoded, err := json.Marshal(filepath.Join(dir, path)); err == nil {
			all[name], changed = encoded, true
		}
	}
	if encoded, err := json.Marshal(all); changed && err == nil {
		return encoded
	}
	return args
}
