package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"rein/app/extend"
)

// agents takes over the agents and commands of opencode's settings, and reports those of Codex.
func (r *importReader) agents() {
	openCode := func(file, dir string) {
		for _, kind := range []string{"agent", "command"} {
			all, _ := valueAt(r.document(file), kind).(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				r.openCodeEntry(kind, name, all[name], file, dir)
			}
		}
	}
	names := []string{"opencode.json", "opencode.jsonc"}
	for _, name := range names {
		r.each(false, []string{".config/opencode/" + name}, func(file string, _ bool) { openCode(file, r.h.Dirs().Config) })
	}
	if r.root != r.home {
		r.each(true, names, func(file string, _ bool) { openCode(file, filepath.Join(r.root, ".rein")) })
	}
	r.each(false, []string{".codex/config.toml"}, func(file string, _ bool) {
		all, _ := valueAt(r.document(file), "agents").(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if _, is := all[name].(map[string]any); is {
				r.add(importItem{Program: importPrograms["codex"], Kind: "agent", From: file, What: name, Notes: []string{"it is a layer of settings there: write it again (docs/agents.md)"}})
			}
		}
	})
}

// openCodeEntry takes over one agent or command of opencode's settings.
func (r *importReader) openCodeEntry(kind, name string, entry any, file, dir string) {
	fields, _ := entry.(map[string]any)
	item := importItem{Program: importPrograms["opencode"], Kind: kind, From: file, What: name}
	defer func() { r.add(item) }()
	head, key := extend.Frontmatter(fields), map[string]string{"agent": "prompt", "command": "template"}[kind]
	text := head.Text(key)
	switch {
	case !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`):
		item.Notes = []string{"its name is not the name of a file"}
		return
	case strings.Contains(text, "{file:"):
		item.Notes = []string{"its text is in another file"}
		return
	}
	body, notes, ok := withHead(head.Text("description"), "", text), []string(nil), text != ""
	if kind == "agent" {
		body, notes, ok = convertOpenCodeDefinition(head, text)
	}
	r.converted(&item, filepath.Join(dir, kind+"s", name+".md"), body, notes, ok)
}

// convertGeminiAgent takes over a sub-agent of Gemini CLI: its keys and names of tools are understood as they are.
func convertGeminiAgent(content []byte) (string, []string, bool) {
	head, _, _ := extend.ParseFrontmatter(string(content))
	if kind := head.Text("kind"); kind != "" && kind != "local" {
		return "", []string{"it runs on another machine (A2A), which rein does not do"}, false
	}
	var notes []string
	if head["mcp_servers"] != nil || head["mcpServers"] != nil {
		notes = append(notes, "its own tool servers are left out: set them up with rein mcp add")
	}
	if head.Text("timeout_mins") != "" {
		notes = append(notes, "timeout_mins is not used: budget and max_turns bound an agent")
	}
	return string(content), append(notes, noteModel(head)...), true
}

// noteModel says what becomes of a model.
func noteModel(head extend.Frontmatter) []string {
	if name := head.Text("model"); name != "" && name != "inherit" && !strings.Contains(name, "/") {
		return []string{"the model " + name + " has no provider, so it has that of the session"}
	}
	return nil
}

// convertOpenCodeAgent converts an agent of opencode: what its permissions deny is taken away, and what they ask for is asked for.
func convertOpenCodeAgent(content []byte) (string, []string, bool) {
	head, body, _ := extend.ParseFrontmatter(string(content))
	return convertOpenCodeDefinition(head, body)
}

func convertOpenCodeDefinition(head extend.Frontmatter, body string) (string, []string, bool) {
	if head.Bool("disable", false) {
		return "", []string{"it is disabled there"}, false
	}
	notes := noteModel(head)
	if head.Text("mode") == "primary" {
		notes = append(notes, "it is for the user's own session there; here it is a sub-agent")
	}
	d := openCodeRights{notes: notes}
	if d.switches(head["tools"]); d.unknown == "" {
		d.permissions(head["permission"])
	}
	if d.unknown != "" {
		return "", append(d.notes, "it says "+d.unknown+", which cannot be kept: write it again (docs/agents.md)"), false
	}
	var b strings.Builder
	b.WriteString("---\n")
	line := func(key string, value any) {
		if text, err := json.Marshal(value); err == nil && string(text) != "null" && string(text) != `""` { // JSON is YAML, too
			fmt.Fprintf(&b, "%s: %s\n", key, text)
		}
	}
	for _, key := range []string{"description", "model", "variant", "steps", "maxSteps"} {
		line(key, head.Text(key))
	}
	line("tools", d.tools)
	line("only", d.only)
	line("disallowed", d.denied)
	line("ask", d.asked)
	return b.String() + "---\n" + strings.TrimSpace(body) + "\n", d.notes, true
}

// openCodeRights are the rights of an agent of opencode as lists of ours. The order of its rules is lost, so what denies counts in any order.
type openCodeRights struct {
	tools, only, denied, asked, notes []string

	listed  bool   // it has only what is allowed by name
	unknown string // what has no counterpart
}

// switches reads the old key tools: {NAME: false}.
func (r *openCodeRights) switches(value any) {
	names, _ := value.(map[string]any)
	actions := map[string]any{}
	for name, on := range names {
		actions[name] = map[any]string{true: "allow", false: "deny"}[on]
	}
	if len(actions) > 0 {
		r.permissions(actions)
	}
}

// permissions reads permission: {NAME: action} and {NAME: {PATTERN: action}}.
func (r *openCodeRights) permissions(value any) {
	switch all := value.(type) {
	case string:
		r.permissions(map[string]any{"*": all})
	case map[string]any:
		if all["*"] == "deny" {
			r.listed, r.tools = true, []string{}
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			switch one := all[name].(type) {
			case string:
				r.rule(name, "*", one)
			case map[string]any:
				r.patterns(name, one)
			default:
				r.unknown = "permission " + name
			}
		}
	case nil:
	default:
		r.unknown = "permission"
	}
}

// patterns reads the rules of one tool.
func (r *openCodeRights) patterns(name string, rules map[string]any) {
	for _, pattern := range slices.Sorted(maps.Keys(rules)) {
		action, _ := rules[pattern].(string)
		switch {
		case pattern == "*" || action != "allow":
		case rules["*"] == "deny" || rules["*"] == nil && r.listed:
			action = "only"
		case rules["*"] == "ask":
			r.notes = append(r.notes, fmt.Sprintf("%s asked there but for %q: here all of it does", name, pattern))
		}
		if pattern == "*" && action == "deny" && slices.Contains(slices.Collect(maps.Values(rules)), any("allow")) {
			continue // only what is allowed is left
		}
		r.rule(name, pattern, action)
	}
}

// rule takes over one rule.
func (r *openCodeRights) rule(name, pattern, action string) {
	tools, known := map[string][]string{"*": nil, "doom_loop": {}, "external_directory": {}, "edit": {"Edit", "Write", "notebook_edit"}, "write": {"Write"}, "read": {"Read"}, "bash": {"Bash"}, "grep": {"Grep"}, "glob": {"Glob"},
		"list": {"list_dir"}, "webfetch": {"WebFetch"}, "websearch": {"WebSearch"}, "task": {"Task"}, "skill": {"Skill"}, "question": {"ask_user"}, "todowrite": {"TodoWrite"}, "patch": {"apply_patch"}, "lsp": {"lsp*"}}[name]
	switch {
	case name == "*" && action == "deny", name == "*" && action == "allow", action == "allow" && !r.listed: // how much runs without a question is the session's mode
		return
	case name == "*" && action == "ask":
		r.notes = append(r.notes, "everything asked there; here the mode of the session says what does")
		return
	case !known && action == "deny":
		server, tool, _ := strings.Cut(name, "_")
		tools = []string{name, "mcp__" + server + "__" + tool}
	case !known, !slices.Contains([]string{"allow", "only", "ask", "deny"}, action):
		r.unknown = fmt.Sprintf("%s for %s", action, name)
		return
	}
	for _, t := range tools {
		whole := t
		if pattern != "*" {
			t += "(" + pattern + ")"
		}
		switch action {
		case "deny":
			r.denied = append(r.denied, t)
			continue
		case "ask":
			r.asked = append(r.asked, t)
		case "only":
			r.only = append(r.only, t)
		}
		if r.listed && !slices.Contains(r.tools, whole) {
			r.tools = append(r.tools, whole)
		}
	}
}
