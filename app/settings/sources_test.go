package settings

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var code = regexp.MustCompile("`([^`]+)`")

// TestEveryToolOfTheSources: docs/tools_of_others.md says for each tool of the agents that rein learnt from, as their tool lists name it, what does its work here, or why nothing does.
func TestEveryToolOfTheSources(t *testing.T) {
	text, err := os.ReadFile("../../docs/tools_of_others.md")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := os.ReadFile("testdata/sources.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| elsewhere | here |\n|---|---|\n")
	if !ok {
		t.Fatal("docs/tools_of_others.md has no table of the tools of others")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	theirs := map[string]string{} // patterns of their names: what is here
	for row := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 2 {
			t.Errorf("a row has %d cells: %s", len(cells), row)
			continue
		}
		for _, name := range code.FindAllStringSubmatch(cells[0], -1) {
			if theirs[name[1]] != "" {
				t.Errorf("%s is in two rows", name[1])
			}
			theirs[name[1]] = cells[1]
		}
		if !strings.HasPrefix(cells[1], "no: ") {
			checkOurs(t, cells[1])
		}
	}
	for _, name := range strings.Fields(string(sources)) {
		if !slices.Contains(ToolNames(), name) && !slices.ContainsFunc(keys(theirs), func(pattern string) bool {
			ok, err := path.Match(strings.ReplaceAll(pattern, "…", "*"), name)
			return ok && err == nil
		}) {
			t.Errorf("docs/tools_of_others.md does not say what does the work of %s", name)
		}
	}
}

// checkOurs looks that the tools of a cell are tools of rein.
func checkOurs(t *testing.T, cell string) {
	others := []string{"agent", "agent_*", "tool_search", "mcp_resources", "mcp_prompts", "mcp__*", "gh", "glab", "rein *"}
	found := code.FindAllStringSubmatch(cell, -1)
	if len(found) == 0 && !strings.Contains(cell, "](") && !strings.Contains(cell, "not tools") {
		t.Errorf("no tool and no page is named: %s", cell)
	}
	for _, name := range found {
		pattern := strings.ReplaceAll(name[1], "…", "*")
		if !slices.ContainsFunc(ToolNames(), func(tool string) bool { ok, _ := path.Match(pattern, tool); return ok }) &&
			!slices.ContainsFunc(others, func(p string) bool { ok, _ := path.Match(p, name[1]); return ok || p == pattern }) && !strings.HasPrefix(name[1], "--") {
			t.Errorf("%s is no tool of rein: %s", name[1], cell)
		}
	}
}

func keys(m map[string]string) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}
