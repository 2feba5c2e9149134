package extend

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"rein/hook"
)

// foreignTool is how another program calls a tool of ours, and the arguments whose names differ: ours first.
type foreignTool struct {
	name string
	args map[string]string
}

// hookTools are the tools that Claude Code has too. Codex has its names where hooks see them.
var hookTools = map[string]foreignTool{
	"bash":          {"Bash", map[string]string{"background": "run_in_background"}},
	"read_file":     {"Read", map[string]string{"path": "file_path"}},
	"write_file":    {"Write", map[string]string{"path": "file_path"}},
	"edit_file":     {"Edit", map[string]string{"path": "file_path", "old_text": "old_string", "new_text": "new_string"}},
	"notebook_edit": {"NotebookEdit", map[string]string{"path": "notebook_path", "source": "new_source", "mode": "edit_mode"}},
	"glob":          {"Glob", nil},
	"grep":          {"Grep", nil},
	"web_fetch":     {"WebFetch", nil},
	"web_search":    {"WebSearch", nil},
	"todo":          {"TodoWrite", map[string]string{"items": "todos"}},
	"agent":         {"Agent", map[string]string{"task": "prompt", "agent": "subagent_type", "background": "run_in_background"}},
	"skill":         {"Skill", map[string]string{"name": "skill", "arguments": "args"}},
	"ask_user":      {"AskUserQuestion", nil},
	"present_plan":  {"ExitPlanMode", nil},
	"job_output":    {"BashOutput", map[string]string{"job": "bash_id"}},
	"job_kill":      {"KillShell", map[string]string{"job": "shell_id"}},
}

// geminiTools are the tools that Gemini CLI has too.
var geminiTools = map[string]foreignTool{
	"bash":         {"run_shell_command", nil},
	"read_file":    {"read_file", map[string]string{"path": "file_path"}},
	"write_file":   {"write_file", map[string]string{"path": "file_path"}},
	"edit_file":    {"replace", map[string]string{"path": "file_path", "old_text": "old_string", "new_text": "new_string"}},
	"list_dir":     {"list_directory", map[string]string{"path": "dir_path"}},
	"glob":         {"glob", map[string]string{"path": "dir_path"}},
	"grep":         {"grep_search", map[string]string{"path": "dir_path", "glob": "include"}},
	"web_fetch":    {"web_fetch", nil},
	"web_search":   {"google_web_search", nil},
	"todo":         {"write_todos", map[string]string{"items": "todos"}},
	"agent":        {"invoke_agent", nil},
	"skill":        {"activate_skill", nil},
	"ask_user":     {"ask_user", nil},
	"present_plan": {"exit_plan_mode", nil},
}

// crushTools are the tools that crush has too.
var crushTools = map[string]foreignTool{
	"bash":       {"bash", nil},
	"read_file":  {"view", map[string]string{"path": "file_path"}},
	"write_file": {"write", map[string]string{"path": "file_path"}},
	"edit_file":  {"edit", map[string]string{"path": "file_path", "old_text": "old_string", "new_text": "new_string"}},
	"list_dir":   {"ls", nil},
	"glob":       {"glob", nil},
	"grep":       {"grep", map[string]string{"glob": "include"}},
	"web_fetch":  {"fetch", nil},
	"web_search": {"web_search", nil},
	"todo":       {"todos", map[string]string{"items": "todos"}},
	"agent":      {"agent", map[string]string{"task": "prompt"}},
	"ask_user":   {"question", nil},
}

// formatNames returns the names of the formats: whose names of events, tools and fields a hook knows. "rein" is that of Claude Code.
func formatNames() []string { return []string{"rein", "claude", "codex", "gemini", "crush"} }

// toolTable returns the tools of a format.
func toolTable(format string) map[string]foreignTool {
	switch format {
	case "gemini":
		return geminiTools
	case "crush":
		return crushTools
	}
	return hookTools
}

// toolNames returns all names of a tool that a matcher of a format may mean. Claude Code had another one for sub-agents before.
func toolNames(subject, format string) []string {
	all := []string{subject}
	if name := foreignName(subject, format); name != subject {
		all = append(all, name)
	}
	if subject == "agent" {
		all = append(all, "Task")
	}
	return all
}

// foreignName is the name of a tool as hooks see it.
func foreignName(name, format string) string {
	if f, ok := toolTable(format)[name]; ok {
		return f.name
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok && hasOwnNames(format) {
		return "mcp_" + strings.Replace(rest, "__", "_", 1)
	}
	return name
}

// foreignArgs are the arguments of a call as hooks see them.
func foreignArgs(name, format string, args json.RawMessage) json.RawMessage {
	return renameFields(args, toolTable(format)[name].args)
}

// ourArgs are arguments with the names of a format, as our tool has them.
func ourArgs(name, format string, args json.RawMessage) json.RawMessage {
	back := map[string]string{}
	for ours, theirs := range toolTable(format)[name].args {
		back[theirs] = ours
	}
	return renameFields(args, back)
}

// renameFields returns an object with other names for some of its fields; what is no object stays as it is.
func renameFields(args json.RawMessage, names map[string]string) json.RawMessage {
	var keys map[string]json.RawMessage
	if len(names) == 0 || json.Unmarshal(args, &keys) != nil {
		return args
	}
	for from, to := range names {
		if v, ok := keys[from]; ok {
			delete(keys, from)
			keys[to] = v
		}
	}
	out, err := json.Marshal(keys)
	if err != nil {
		return args
	}
	return out
}

// hasOwnNames reports whether a format has its own names, and merges what a hook changes into the arguments. In the others a change replaces them.
func hasOwnNames(format string) bool { return format == "gemini" || format == "crush" }

// geminiEvents are the names of events in Gemini CLI that differ from ours.
var geminiEvents = map[string][]hook.Event{"BeforeTool": {hook.PreToolUse}, "AfterTool": {hook.PostToolUse, hook.PostToolUseFailure},
	"BeforeAgent": {hook.UserPromptSubmit}, "AfterAgent": {hook.Stop}, "PreCompress": {hook.PreCompact}}

// eventsOf returns our events for the name of an event in a format; none where rein has no such event.
func eventsOf(name, format string) []hook.Event {
	switch {
	case format == "gemini" && geminiEvents[name] != nil:
		return geminiEvents[name]
	case format == "gemini" && (name == string(hook.SessionStart) || name == string(hook.SessionEnd) || name == string(hook.Notification)):
		return []hook.Event{hook.Event(name)}
	case format == "crush" && strings.EqualFold(strings.ReplaceAll(name, "_", ""), string(hook.PreToolUse)):
		return []hook.Event{hook.PreToolUse}
	case !hasOwnNames(format) && slices.Contains(hook.Events(), hook.Event(name)):
		return []hook.Event{hook.Event(name)}
	}
	return nil
}

// eventName is the name of an event as hooks of the format see it.
func eventName(at hook.Event, format string) string {
	if format == "gemini" {
		for name, events := range geminiEvents {
			if slices.Contains(events, at) {
				return name
			}
		}
	}
	return string(at)
}

// readMatcher reads a matcher of a format: "", "*" match all; letters, digits, "_", "-", blanks, "," and "|" are a list of exact names; anything
// else is a regular expression that may match any part of a name. A tool has several names: see toolNames. For
// the tools of Gemini CLI and crush it is always an expression.
func readMatcher(text, format string, ofTool bool) (func(subject string) bool, error) {
	if text == "" || text == "*" {
		return nil, nil
	}
	if isNameList(text) && !(ofTool && hasOwnNames(format)) {
		list := strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' })
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		return func(subject string) bool {
			return slices.ContainsFunc(toolNames(subject, format), func(n string) bool { return slices.Contains(list, n) })
		}, nil
	}
	re, err := regexp.Compile(text)
	if err != nil && format == "gemini" { // there it is then a text
		re, err = regexp.Compile(regexp.QuoteMeta(text))
	}
	if err != nil {
		return nil, err
	}
	return func(subject string) bool { return slices.ContainsFunc(toolNames(subject, format), re.MatchString) }, nil
}

// isNameList reports whether a matcher is a list of names.
func isNameList(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_- ,|", r))
	})
}
