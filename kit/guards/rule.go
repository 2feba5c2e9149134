package guards

import (
	"fmt"
	"strings"

	"rein/guard"
)

// RuleLayer is where a rule comes from. Later layers are closer to the workspace.
type RuleLayer uint8

// The layers. Rules of the project and of its local file can only tighten: a cloned repository must not loosen.
const (
	Managed RuleLayer = iota
	User
	Project
	Local
	CommandLine
	SessionLayer // approved for the session
)

var layerNames = [...]string{"managed", "user", "project", "local", "command line", "session"}

// String names the layer.
func (l RuleLayer) String() string { return layerNames[l] }

// loosens reports whether rules of the layer may allow.
func (l RuleLayer) loosens() bool { return l != Project && l != Local }

// Rule is one line of permissions: a decision, and the calls that it is for.
type Rule struct {
	Decision guard.Decision
	Tool     string // a tool's name, "mcp__server" for all tools of a server, or "*"
	Spec     string // the text in parentheses; "" covers every call of the tool
	Layer    RuleLayer
	Source   string // file:line
	// Risk lets an allow rule approve calls of high severity too, and name interpreters and wrappers. It is written as
	// "risk": "high".
	Risk bool
	// Match and NotMatch are the rule's own tests: calls that it must and must not cover.
	Match, NotMatch []string
	// Why is shown to the model and the user where the rule decides.
	Why string
}

// String spells the rule as it is written.
func (r Rule) String() string {
	if r.Spec == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Spec + ")"
}

// at is the rule and its source, for people.
func (r Rule) at() string {
	if r.Source == "" {
		return r.String() + " (" + r.Layer.String() + ")"
	}
	return r.String() + " (" + r.Source + ")"
}

// ParseRule reads "tool" or "tool(spec)". Names of other agents' tools mean ours.
func ParseRule(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	name, rest, ok := strings.Cut(text, "(")
	name = ownName(strings.TrimSpace(name))
	if name == "" {
		return Rule{}, fmt.Errorf("%q: a rule begins with a tool's name", text)
	}
	if strings.ContainsAny(name, " \t)\"'") {
		return Rule{}, fmt.Errorf("%q: %q is not the name of a tool", text, name)
	}
	if !ok {
		return Rule{Tool: name}, nil
	}
	spec, closed := strings.CutSuffix(rest, ")")
	if !closed {
		return Rule{}, fmt.Errorf("%q: the parenthesis is not closed", text)
	}
	spec = strings.TrimSpace(spec)
	if spec == "*" || spec == "**" || spec == ":*" || spec == "domain:*" {
		spec = ""
	}
	return Rule{Tool: name, Spec: spec}, nil
}

// ownName returns our name of a tool that people know by another.
func ownName(name string) string {
	switch name {
	case "Bash", "Shell", "shell", "run_shell_command", "execute", "ShellTool":
		return "bash"
	case "Read", "View", "view", "ReadFileTool":
		return "read_file"
	case "NotebookEdit":
		return "notebook_edit"
	case "Edit", "MultiEdit", "edit", "replace":
		return "edit_file"
	case "Write", "write":
		return "write_file"
	case "Glob":
		return "glob"
	case "Grep", "search_file_content":
		return "grep"
	case "LS", "ls", "list_directory":
		return "list_dir"
	case "WebFetch", "webfetch", "fetch":
		return "web_fetch"
	case "WebSearch", "websearch", "google_web_search":
		return "web_search"
	case "Task", "Agent":
		return "agent"
	case "Skill":
		return "skill"
	}
	return name
}

// ruleKind is what a tool's rules are about.
type ruleKind uint8

const (
	aboutTool ruleKind = iota
	aboutCommand
	aboutReads
	aboutWrites
	aboutHosts
)

func kindOf(toolName string) ruleKind {
	switch toolName {
	case "bash":
		return aboutCommand
	case "read_file", "grep", "glob", "list_dir", "view_image", "view_video", "send_file", "agent_diff":
		return aboutReads
	case "edit_file", "write_file", "apply_patch", "insert", "undo_edit", "notebook_edit", "agent_apply", "browser_download":
		return aboutWrites
	case "web_fetch", "http_request", "web_search":
		return aboutHosts
	}
	if strings.HasPrefix(toolName, "browser_") && toolName != "browser_evaluate" {
		return aboutHosts
	}
	return aboutTool
}

// names reports whether the rule is about a tool of that name. A rule about edit_file also covers every tool that writes
// files, one about read_file every tool that reads them, and one about browser_navigate what acts on a page: else another tool would be the way around it.
func (r Rule) names(toolName string) bool {
	switch {
	case r.Tool == toolName, r.Tool == "*",
		r.Tool == "browser_navigate" && strings.HasPrefix(toolName, "browser_") && kindOf(toolName) == aboutHosts,
		r.Tool == "edit_file" && kindOf(toolName) == aboutWrites, r.Tool == "read_file" && kindOf(toolName) == aboutReads:
		return true
	}
	if strings.HasPrefix(r.Tool, "mcp__") && strings.Contains(r.Tool, "*") {
		server, _, _ := strings.Cut(strings.TrimPrefix(r.Tool, "mcp__"), "__")
		// To allow, the server must be named: else one that comes later would be allowed too.
		return matchStar(r.Tool, toolName) && !(r.Decision == guard.Allow && strings.Contains(server, "*"))
	}
	// "mcp__server" names all tools of the server.
	return strings.HasPrefix(r.Tool, "mcp__") && strings.Count(r.Tool, "__") == 1 && strings.HasPrefix(toolName, r.Tool+"__")
}
