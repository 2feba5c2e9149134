// Package judging judges calls by hand: what a call would do, which rules match it, and what other rules would have decided in
// recorded sessions. Nothing runs. The commands rein rules and rein guard and the page use it.
package judging

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rein/guard"
	"rein/guard/rule"
	"rein/tool"
)

// Place is where calls are judged. The zero value has no workspace, and its Mode is not valid.
type Place struct {
	Mode      string // read-only, plan, supervised, auto, full
	Isolation string // what the sandbox enforces: full, files or none
	Root      string // the workspace
}

// Command makes the case of a shell command in a directory; "" is the workspace.
func (p Place) Command(command, cwd string) (guard.Case, error) {
	c, err := p.empty()
	c.Call.Name, c.Effect = "bash", tool.Reads|tool.Writes|tool.Runs
	c.Intent = tool.Intent{Command: command, Cwd: cwd}
	return c, err
}

func (p Place) empty() (guard.Case, error) {
	c := guard.Case{Root: p.Root}
	var err error
	if c.Mode, err = guard.ParseMode(p.Mode); err != nil {
		return c, err
	}
	switch p.Isolation {
	case "full":
		c.Isolation = guard.FullIsolation
	case "files":
		c.Isolation = guard.FileIsolation
	case "none":
	default:
		return c, fmt.Errorf("no such isolation: %q (want full, files or none)", p.Isolation)
	}
	return c, nil
}

// NoToolError is the error for a tool that there is not.
type NoToolError struct{ Tool string }

func (e NoToolError) Error() string { return fmt.Sprintf("there is no tool %q", e.Tool) }

// Named makes the case of a call as a person writes it: a shell command, a call as rules write it ("read_file(.env)"), or, with
// the name of another tool than bash, the text between the parentheses. tools are the names that there are.
func (p Place) Named(name, call string, tools []string) (guard.Case, error) {
	if r, err := rule.Parse(call); name == "bash" && err == nil && r.Spec != "" && slices.Contains(tools, r.Tool) {
		name, call = r.Tool, r.Spec
	}
	if !slices.Contains(tools, name) && !strings.HasPrefix(name, "mcp__") {
		return guard.Case{}, NoToolError{name}
	}
	c, err := p.Command(call, "")
	c.Call.Name = name
	if name != "bash" {
		c.Intent = intentOf(name, call)
	}
	return c, err
}

// intentOf is the intent of a call that is only named: a path or a host.
func intentOf(name, arg string) tool.Intent {
	switch name {
	case "edit_file", "write_file", "apply_patch", "insert", "undo_edit", "notebook_edit", "agent_apply":
		return tool.Intent{Writes: []string{arg}}
	case "web_fetch", "http_request", "web_search", "browser_navigate":
		return tool.Intent{Hosts: []string{hostOnly(arg)}}
	case "read_file", "grep", "glob", "list_dir", "view_image", "view_video", "send_file":
		return tool.Intent{Reads: []string{arg}}
	}
	return tool.Intent{Unknown: true}
}

func hostOnly(s string) string {
	s = strings.TrimPrefix(s, "domain:")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	return s[strings.LastIndexByte(s, '@')+1:]
}

// Call makes the case of a call with arguments. It takes the intent from the tool's name and the usual names of arguments:
// enough to judge it by hand. It fails without a name, and when the arguments are no object.
func (p Place) Call(name string, args json.RawMessage, cwd string) (guard.Case, error) {
	c, err := p.empty()
	if err != nil {
		return c, err
	}
	if name == "" {
		return c, errors.New("a line needs a cmd, or a tool and its args")
	}
	c.Call = tool.Call{Name: name, Args: args}
	var in struct {
		Path     string   `json:"path"`
		FilePath string   `json:"file_path"`
		Paths    []string `json:"paths"`
		URL      string   `json:"url"`
		Command  string   `json:"command"`
	}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &in); err != nil {
			return c, fmt.Errorf("args: %w", err)
		}
	}
	for _, path := range []string{in.Path, in.FilePath} {
		if path != "" {
			in.Paths = append(in.Paths, path)
		}
	}
	switch name {
	case "bash":
		c.Intent, c.Effect = tool.Intent{Command: in.Command, Cwd: cwd}, tool.Reads|tool.Writes|tool.Runs
	case "read_file", "list_dir", "grep", "glob", "view_image", "view_video", "send_file":
		c.Intent, c.Effect = tool.Intent{Reads: in.Paths}, tool.Reads
	case "write_file", "edit_file", "insert", "notebook_edit":
		c.Intent, c.Effect = tool.Intent{Reads: in.Paths, Writes: in.Paths}, tool.Reads|tool.Writes
	case "web_fetch", "http_request", "web_search", "browser_navigate":
		c.Intent, c.Effect = tool.Intent{Hosts: []string{hostOnly(in.URL)}}, tool.Reaches
	default:
		c.Intent, c.Effect = tool.Intent{Unknown: true}, tool.Reads|tool.Writes
	}
	return c, nil
}
