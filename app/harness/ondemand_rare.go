package harness

import (
	"slices"
	"strings"

	"rein/tool"
)

// toolTheme is built-in tools of one theme that a model seldom needs. It sees the line and the names, and searches for them.
type toolTheme struct {
	about string
	tools []string
}

// toolThemes is the list. What models need in most sessions is not in it: files, search, the shell and its jobs, the plan, sub-agents,
// questions to the user, access, the web, programs of calls.
func toolThemes() []toolTheme {
	return []toolTheme{
		{"using a web browser, for pages that need JavaScript and servers that you started", []string{"browser_*"}},
		{"git (bash can do the same)", []string{"git_status", "git_diff", "git_log", "git_show", "git_blame"}},
		{"storing facts for later sessions, searching earlier sessions", []string{"memory_store", "memory_recall", "memory_list", "memory_forget", "session_search"}},
		{"language servers: definitions, references, errors, safe renames", []string{"lsp", "lsp_edit"}},
		{"looking at images, videos and the screen; showing a file to the user", []string{"view_image", "view_video", "screenshot", "send_file"}},
		{"editing notebook cells, inserting lines, undoing the last change", []string{"notebook_edit", "insert", "undo_edit"}},
		{"running code for data and plots; calculating exactly, with units and dates", []string{"run_code", "calculate"}},
		{"showing what a sub-agent changed in its copy", []string{"agent_diff"}},
		{"sending HTTP requests with headers and a body", []string{"http_request"}},
		{"scheduling tasks, notifying the user", []string{"schedule", "notify"}},
		{"the time, the user's time zone, the tokens used so far", []string{"current_time", "set_timezone", "token_usage"}},
	}
}

// rareTools is built-in tools that a model sees only when it searched for them.
type rareTools []*tool.Tool

// rareOf returns those of the tools that a model seldom needs.
func rareOf(all []*tool.Tool) (rare rareTools) {
	for _, g := range toolThemes() {
		for _, t := range all {
			if slices.ContainsFunc(g.tools, func(pattern string) bool { return fitsPattern(pattern, t.Name) }) {
				rare = append(rare, t)
			}
		}
	}
	return rare
}

// fitsPattern reports whether a name is the pattern, which may end with a star.
func fitsPattern(pattern, name string) bool {
	start, open := strings.CutSuffix(pattern, "*")
	return name == pattern || open && strings.HasPrefix(name, start)
}

// About has a line for each theme, with the names.
func (r rareTools) About() string {
	var lines []string
	for _, g := range toolThemes() {
		var names []string
		for _, pattern := range g.tools {
			if slices.ContainsFunc(r, func(t *tool.Tool) bool { return fitsPattern(pattern, t.Name) }) {
				names = append(names, pattern)
			}
		}
		if len(names) > 0 {
			lines = append(lines, "- "+g.about+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(lines, "\n")
}
