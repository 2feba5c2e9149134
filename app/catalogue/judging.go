package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

// JudgingPlace is where calls are judged. The zero value has no workspace, and its Mode is not valid.
type JudgingPlace struct {
	Mode      string // read-only, plan, ask, supervised, auto, full
	Isolation string // what the sandbox enforces: full, files or none
	Root      string // the workspace
}

// Command makes the case of a shell command in a directory; "" is the workspace.
func (p JudgingPlace) Command(command, cwd string) (guard.Case, error) {
	c := guard.Case{Root: p.Root, Effect: tool.Reads | tool.Writes | tool.Runs, Intent: tool.Intent{Command: command, Cwd: cwd}}
	c.Call.Name = "bash"
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
		return c, fmt.Errorf("no such isolation: %q (expected full, files or none)", p.Isolation)
	}
	return c, nil
}

// noToolError is the error for a tool that there is not.
type noToolError struct{ Tool string }

func (e noToolError) Error() string { return fmt.Sprintf("there is no tool %q", e.Tool) }

// Named makes the case of a call as a person writes it: a shell command, a call as rules write it ("read_file(.env)"), or, with
// the name of another tool than bash, the text between the parentheses. tools are the names that there are.
func (p JudgingPlace) Named(name, call string, tools []string) (guard.Case, error) {
	if r, err := guards.ParseRule(call); name == "bash" && err == nil && r.Spec != "" && slices.Contains(tools, r.Tool) {
		name, call = r.Tool, r.Spec
	}
	if !slices.Contains(tools, name) && !strings.HasPrefix(name, "mcp__") {
		return guard.Case{}, noToolError{name}
	}
	c, err := p.Command(call, "")
	if name != "bash" {
		c.Call.Name = name
		c.Effect, c.Intent = effectOf(name, []string{call}, call)
	}
	return c, err
}

// effectOf returns the effect and the intent of a tool other than bash, from its name and what is usual in its arguments: paths, or
// an address. A tool that writes may write anything when no path is named.
func effectOf(name string, paths []string, url string) (tool.Effect, tool.Intent) {
	switch name {
	case "read_file", "list_dir", "grep", "glob", "view_image", "view_video", "send_file":
		return tool.Reads, tool.Intent{Reads: paths}
	case "write_file", "edit_file", "insert", "notebook_edit", "apply_patch", "undo_edit", "agent_apply":
		return tool.Reads | tool.Writes, tool.Intent{Reads: paths, Writes: paths, Unknown: len(paths) == 0}
	case "web_fetch", "http_request", "web_search", "browser_navigate":
		return tool.Reaches, tool.Intent{Hosts: []string{hostOnly(url)}}
	}
	return tool.Reads | tool.Writes, tool.Intent{Unknown: true}
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
func (p JudgingPlace) Call(name string, args json.RawMessage, cwd string) (guard.Case, error) {
	if name == "" {
		return guard.Case{}, errors.New("a line needs a cmd, or a tool and its args")
	}
	var in struct {
		Path     string   `json:"path"`
		FilePath string   `json:"file_path"`
		Paths    []string `json:"paths"`
		URL      string   `json:"url"`
		Command  string   `json:"command"`
	}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &in); err != nil {
			return guard.Case{}, fmt.Errorf("args: %w", err)
		}
	}
	for _, path := range []string{in.Path, in.FilePath} {
		if path != "" {
			in.Paths = append(in.Paths, path)
		}
	}
	c, err := p.Command(in.Command, cwd)
	c.Call = tool.Call{Name: name, Args: args}
	if name != "bash" {
		c.Effect, c.Intent = effectOf(name, in.Paths, in.URL)
	}
	return c, err
}
