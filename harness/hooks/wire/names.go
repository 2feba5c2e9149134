// Package wire writes the input of hooks and reads their answers, as JSON with the names of Claude Code.
package wire

import "encoding/json"

// foreign is how Claude Code calls a tool of ours, and the arguments whose names differ: ours first. What a hook gives back
// under these names is read as it is: our tools take them too.
type foreign struct {
	name string
	args map[string]string
}

// tools are the tools that Claude Code has too.
var tools = map[string]foreign{
	"bash":          {"Bash", nil},
	"read_file":     {"Read", map[string]string{"path": "file_path"}},
	"write_file":    {"Write", map[string]string{"path": "file_path"}},
	"edit_file":     {"Edit", map[string]string{"path": "file_path", "old_text": "old_string", "new_text": "new_string"}},
	"notebook_edit": {"NotebookEdit", map[string]string{"path": "notebook_path"}},
	"glob":          {"Glob", nil},
	"grep":          {"Grep", nil},
	"web_fetch":     {"WebFetch", nil},
	"web_search":    {"WebSearch", nil},
	"todo":          {"TodoWrite", map[string]string{"items": "todos"}},
	"agent":         {"Agent", map[string]string{"task": "prompt", "agent": "subagent_type"}},
	"skill":         {"Skill", nil},
	"ask_user":      {"AskUserQuestion", nil},
	"present_plan":  {"ExitPlanMode", nil},
	"job_output":    {"BashOutput", nil},
	"job_kill":      {"KillShell", nil},
}

// Names gives all names of a tool. Claude Code had another one for sub-agents before.
func Names(subject string) []string {
	all := []string{subject}
	if f, ok := tools[subject]; ok {
		all = append(all, f.name)
	}
	if subject == "agent" {
		all = append(all, "Task")
	}
	return all
}

// foreignName is the name of a tool as hooks see it.
func foreignName(name string) string {
	if f, ok := tools[name]; ok {
		return f.name
	}
	return name
}

// foreignArgs are the arguments of a call as hooks see them.
func foreignArgs(name string, args json.RawMessage) json.RawMessage {
	var keys map[string]json.RawMessage
	renamed := tools[name].args
	if len(renamed) == 0 || json.Unmarshal(args, &keys) != nil {
		return args
	}
	for ours, theirs := range renamed {
		if v, ok := keys[ours]; ok {
			delete(keys, ours)
			keys[theirs] = v
		}
	}
	out, err := json.Marshal(keys)
	if err != nil {
		return args
	}
	return out
}
