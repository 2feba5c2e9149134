package ondemand

import (
	"slices"
	"strings"

	"rein/tool"
)

// group is built-in tools of one theme that a model seldom needs. It sees the line and the names, and searches for them.
type group struct {
	about string
	tools []string
}

// groups is the list. What models need in most sessions is not in it: files, search, the shell and its jobs, the plan, sub-agents,
// questions to the user, access, the web, programs of calls.
func groups() []group {
	return []group{
		{"a web browser: pages that need JavaScript, servers that you started", []string{"browser_*"}},
		{"git; a shell does, too", []string{"git_status", "git_diff", "git_log", "git_show", "git_blame"}},
		{"facts for later sessions, and what earlier ones did", []string{"memory_store", "memory_recall", "memory_list", "memory_forget", "session_search"}},
		{"language servers: definitions, references, errors, safe renames", []string{"lsp", "lsp_edit"}},
		{"images, videos and the screen to look at; files for the user", []string{"view_image", "view_video", "screenshot", "send_file"}},
		{"notebook cells, lines to insert, the last change to take back", []string{"notebook_edit", "insert", "undo_edit"}},
		{"code for data and plots; exact numbers, units, dates", []string{"run_code", "calculate"}},
		{"what a sub-agent changed in its copy", []string{"agent_diff"}},
		{"any HTTP request, with headers and a body", []string{"http_request"}},
		{"tasks for later or regularly; a notification", []string{"schedule", "notify"}},
		{"time, time zone, tokens used", []string{"current_time", "set_timezone", "token_usage"}},
	}
}

// Rare is built-in tools that a model sees only when it searched for them.
type Rare []*tool.Tool

// RareOf gives those of the tools that a model seldom needs.
func RareOf(all []*tool.Tool) (rare Rare) {
	for _, g := range groups() {
		for _, t := range all {
			if slices.ContainsFunc(g.tools, func(pattern string) bool { return fits(pattern, t.Name) }) {
				rare = append(rare, t)
			}
		}
	}
	return rare
}

// fits reports whether a name is the pattern, which may end with a star.
func fits(pattern, name string) bool {
	start, open := strings.CutSuffix(pattern, "*")
	return name == pattern || open && strings.HasPrefix(name, start)
}

// About has a line for each theme, with the names.
func (r Rare) About() string {
	var lines []string
	for _, g := range groups() {
		var names []string
		for _, pattern := range g.tools {
			if slices.ContainsFunc(r, func(t *tool.Tool) bool { return fits(pattern, t.Name) }) {
				names = append(names, pattern)
			}
		}
		if len(names) > 0 {
			lines = append(lines, "- "+g.about+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(lines, "\n")
}
