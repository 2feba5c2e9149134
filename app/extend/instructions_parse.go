package extend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"rein/agent"
	"rein/model"
)

// parseAgent reads a definition from a file with a head, as Claude Code, Gemini CLI and opencode write it.
func parseAgent(file, text string) AgentFile {
	fields, body, lenient := ParseFrontmatter(text)
	a := AgentFile{Definition: agent.Definition{Prompt: strings.TrimSpace(body)}}
	if lenient {
		a.note("the head is not valid YAML and was read line by line")
	}
	first := func(keys ...string) string {
		for _, k := range keys {
			if v := fields.Text(k); v != "" {
				return v
			}
		}
		return ""
	}
	number := func(keys ...string) int64 {
		text := first(keys...)
		n, err := strconv.ParseInt(text, 10, 64)
		if text != "" && (err != nil || n < 0) {
			a.refuse("%s: %q is not a number", keys[0], text) // without the limit it would have more
			return 0
		}
		return n
	}
	list := func(keys ...string) []string {
		for _, k := range keys {
			if _, ok := fields[k]; ok {
				return append([]string{}, fields.List(k)...)
			}
		}
		return nil
	}
	if a.Name = fields.Text("name"); a.Name == "" {
		a.Name = strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".md")
	}
	a.Description = fields.Text("description")
	a.Model, a.Effort = first("model"), first("effort", "reasoningEffort", "variant")
	a.MaxTurns = int(number("maxTurns", "max_turns", "steps", "maxSteps"))
	a.Budget = number("budget")
	a.Background, a.Skills = fields.Bool("background", false), list("skills")
	a.Only, a.Ask = list("only"), list("ask")
	a.setTools(list("tools", "allowed-tools", "allowedTools"), list("disallowedTools", "disallowed", "disallowed_tools"))
	a.setMode(first("mode"), first("permissionMode", "permission_mode"))
	a.setIsolation(first("isolation"))
	a.setSampling(fields)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(readKeys(), key) {
			a.note("%s is not used", key)
		}
	}
	a.Problem = cmp.Or(a.unusable(), a.Problem)
	return a
}

// readKeys are the keys of a head that are read, and those that are only for people.
func readKeys() []string {
	return strings.Fields(`name description model effort reasoningEffort variant maxTurns max_turns steps maxSteps budget background skills
		tools allowed-tools allowedTools disallowedTools disallowed disallowed_tools only ask mode permissionMode permission_mode isolation sampling temperature top_p
		color display_name nickname_candidates hidden`)
}

// setSampling reads how the model chooses its words: the object "sampling", and what opencode has beside the other keys.
func (a *AgentFile) setSampling(fields Frontmatter) {
	given := map[string]any{}
	if own, ok := fields["sampling"].(map[string]any); ok {
		given = maps.Clone(own)
	} else if fields["sampling"] != nil {
		a.refuse("sampling: expected an object such as {temperature: 0.2}")
	}
	for _, key := range []string{"temperature", "top_p"} {
		if value, ok := fields[key]; ok {
			given[key] = value
		}
	}
	text, err := json.Marshal(given)
	if err == nil {
		a.Sampling, err = model.ParseSampling(text)
	}
	if err != nil {
		a.refuse("sampling: %v", err)
	}
}

// refuse makes the definition one that cannot be used: with a part of it left out it would be another one.
func (a *AgentFile) refuse(format string, args ...any) {
	a.Problem = cmp.Or(a.Problem, fmt.Sprintf(format, args...))
}

func (a *AgentFile) note(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

var goodName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_][\pL\pN_. -]{0,63}$`) })

// unusable says why a definition cannot be used; "" where it can.
func (a *AgentFile) unusable() string {
	switch {
	case !goodName().MatchString(a.Name):
		return fmt.Sprintf("%q is not the name of an agent: expected up to 64 letters, digits, '_', '-' and '.'", a.Name)
	case strings.TrimSpace(a.Description) == "":
		return "it has no description, so a model cannot know when to use it"
	}
	return ""
}

// setTools takes over lists of tools, with our names for those of other programs. A tool that is listed with arguments, such as
// Bash(git:*), is used for nothing else, and one that is disallowed so is denied for them.
func (a *AgentFile) setTools(allowed, disallowed []string) {
	all := slices.Contains(allowed, "*")
	if allowed != nil && !all {
		a.Tools = []string{}
	}
	var some []string
	for _, text := range allowed {
		name, spec, only := strings.Cut(text, "(")
		switch {
		case all, only && slices.ContainsFunc(allowed, func(whole string) bool { return strings.EqualFold(whole, name) }):
			continue
		case only:
			some = append(some, withArguments(name, spec)...)
		}
		a.Tools = append(a.Tools, ourTools(name)...)
	}
	if len(some) > 0 { // rules for a tool may be about others like it, of which the list may have some without arguments
		a.Only = append(append(a.Only, some...), slices.DeleteFunc(slices.Clone(allowed), func(text string) bool { return strings.Contains(text, "(") })...)
	}
	for _, text := range a.Only {
		if name, _, only := strings.Cut(text, "("); only && slices.Contains(ourTools(name), jobs) {
			a.Without = append(a.Without, jobs)
		}
	}
	for _, text := range disallowed {
		if name, spec, some := strings.Cut(text, "("); some {
			a.Deny = append(a.Deny, withArguments(name, spec)...)
		} else {
			a.Without = append(a.Without, ourTools(text)...)
		}
	}
}

// withArguments returns the rules of a tool that is listed with arguments. Kinds of agents and skills are arguments of ours.
func withArguments(name, spec string) (rules []string) {
	spec = strings.TrimSuffix(spec, ")")
	argument := map[string]string{"agent": "agent:", "task": "agent:", "skill": "name:"}[strings.ToLower(name)]
	if argument == "" || strings.Contains(spec, ":") {
		return []string{name + "(" + spec + ")"}
	}
	for one := range strings.SplitSeq(spec, ",") {
		rules = append(rules, name+"("+argument+strings.TrimSpace(one)+")")
	}
	return rules
}

// jobs are the tools for commands in the background. No rule about commands holds for what is typed into one.
const jobs = "job_*"

// ourTools returns our names for a tool of another program.
func ourTools(name string) []string {
	known, ok := foreignTools()[strings.ToLower(name)]
	switch {
	case ok:
		return known
	case strings.HasPrefix(name, "mcp__") && strings.Count(name, "__") == 1 && !strings.HasSuffix(name, "*"):
		return []string{name + "__*"} // all tools of a server
	case name == "mcp_*":
		return []string{"mcp__*"}
	case strings.HasPrefix(name, "mcp_") && !strings.HasPrefix(name, "mcp__"): // Gemini CLI: no server has a "_" in its name there
		return []string{"mcp__" + strings.Replace(strings.TrimPrefix(name, "mcp_"), "_", "__", 1)}
	}
	return []string{name}
}

// foreignTools are our tools by the names of others, in lower case.
func foreignTools() map[string][]string {
	edit, read, shell := []string{"edit_file", "apply_patch", "insert", "undo_edit"}, []string{"read_file", "view_image"}, []string{"bash", jobs}
	return map[string][]string{
		"bash": shell, "shell": shell, "run_shell_command": shell, "powershell": shell, "exec_command": shell,
		"read": read, "view": read, "read_many_files": {"read_file"},
		"edit": edit, "multiedit": edit, "replace": edit, "patch": {"apply_patch"}, "write": {"write_file"},
		"notebookedit": {"notebook_edit"}, "glob": {"glob"}, "grep": {"grep"}, "grep_search": {"grep"}, "search_file_content": {"grep"},
		"ls": {"list_dir"}, "list": {"list_dir"}, "list_directory": {"list_dir"},
		"webfetch": {"web_fetch"}, "fetch": {"web_fetch"}, "websearch": {"web_search"}, "google_web_search": {"web_search"},
		"task": startingTools(), "agent": startingTools(), "invoke_agent": startingTools(), "todowrite": {"todo*"}, "todos": {"todo*"}, "write_todos": {"todo*"}, "update_plan": {"todo*"}, "save_memory": {"memory_store"},
		"askuserquestion": {"ask_user"}, "question": {"ask_user"}, "skill": {"skill"}, "activate_skill": {"skill"},
	}
}

// readOnly is the mode that only reads.
const readOnly = "read-only"

// setMode takes over a mode, or the permission mode of another program where it is narrower than ours.
func (a *AgentFile) setMode(mode, permission string) {
	switch mode {
	case "", "subagent", "all", "primary": // opencode's kinds of agents
	default:
		if a.Mode = mode; !slices.Contains([]string{readOnly, "plan", "ask", "supervised", "full"}, mode) {
			a.note("the mode %q is not known: it only reads", mode)
			a.Mode = readOnly
		}
		return
	}
	if permission == "plan" {
		a.Mode = readOnly
	} else if permission != "" && permission != "default" {
		a.note("permissionMode %s is not used: a sub-agent never has more rights than its parent", permission)
	}
}

func (a *AgentFile) setIsolation(isolation string) {
	switch isolation {
	case "", "none":
	case agent.Worktree:
		a.Isolation = isolation
	default:
		a.note("the isolation %q is not known: it works in a worktree", isolation)
		a.Isolation = agent.Worktree
	}
}
