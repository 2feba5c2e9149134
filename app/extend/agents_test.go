package extend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func writeAgent(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func definition(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\nDo it.\n"
}

// TestWhichDefinitionCounts has the same name in each place where definitions are read.
func TestWhichDefinitionCounts(t *testing.T) {
	top, home := t.TempDir(), t.TempDir()
	deep := filepath.Join(top, "a", "b")
	for _, at := range []string{".claude/agents", ".agents/agents", ".rein/agents", "a/b/.claude/agents"} {
		writeAgent(t, filepath.Join(top, at, "x.md"), definition("explore", at))
	}
	writeAgent(t, filepath.Join(home, "x.md"), definition("explore", "user"))
	folder := OpenFolder(filepath.Join(t.TempDir(), "trust.json"), top, false)
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	counts := func(o AgentOptions) string {
		t.Helper()
		o.Folder, o.Workspace = folder, deep
		all, err := LoadAgents(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range AgentDefinitions(all) {
			if d.Name == "explore" {
				return d.Description
			}
		}
		return ""
	}
	if got := counts(AgentOptions{}); !strings.HasPrefix(got, "Finds things") {
		t.Errorf("without trust: %q", got)
	}
	if got := counts(AgentOptions{User: []string{home}}); got != "user" {
		t.Errorf("the user's: %q", got)
	}
	if err := folder.Accept(folder.Found(deep, true)); err != nil {
		t.Fatal(err)
	}
	if got := counts(AgentOptions{User: []string{home}}); got != "a/b/.claude/agents" {
		t.Errorf("trusted: %q", got)
	}
	if err := os.RemoveAll(filepath.Join(deep, ".claude")); err != nil {
		t.Fatal(err)
	}
	if got := counts(AgentOptions{}); got != ".rein/agents" {
		t.Errorf("from the top: %q", got)
	}
	writeAgent(t, filepath.Join(top, ".rein/agents/x.md"), definition("explore", "changed"))
	if got := counts(AgentOptions{}); got != ".agents/agents" {
		t.Errorf("after a change: %q", got)
	}
	given, _, err := ReadAgents(`{"explore": {"description": "given", "prompt": "x"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := counts(AgentOptions{Given: given}); got != "given" {
		t.Errorf("with --agents: %q", got)
	}
}

// TestABrokenDefinitionKeepsItsName: the one that would count without it may have more rights.
func TestABrokenDefinitionKeepsItsName(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	writeAgent(t, filepath.Join(first, "explore.md"), "---\ndescription: d\nmode: read-only\nmax_turns: few\n---\n")
	writeAgent(t, filepath.Join(first, "README.md"), "What is here.\n")
	writeAgent(t, filepath.Join(second, "explore.md"), definition("explore", "wide"))
	writeAgent(t, filepath.Join(second, "README.md"), definition("README", "a kind of this name"))
	all, err := LoadAgents(AgentOptions{User: []string{first, second}})
	if err != nil {
		t.Fatal(err)
	}
	var names, broken []string
	for _, a := range all {
		if a.Counts() {
			names = append(names, a.Name)
		}
		if a.Broken() {
			broken = append(broken, a.Name)
		}
	}
	if slices.Contains(names, "explore") || !slices.Contains(names, "README") || !slices.Equal(broken, []string{"explore"}) {
		t.Errorf("%q count, %q are broken", names, broken)
	}
}

func TestDefinitionsOfOtherPrograms(t *testing.T) {
	for _, row := range []struct {
		name, text string
		check      func(AgentFile) bool
	}{
		{"Claude Code", "---\nname: tester\ndescription: d\ntools: Bash, Read, mcp__srv, Bash(git:*)\ndisallowedTools: [Write, 'Bash(rm:*)']\nmodel: haiku\npermissionMode: plan\nmaxTurns: 5\nisolation: worktree\nbackground: true\nskills: a, b\nhooks: x\n---\nbody",
			func(a AgentFile) bool {
				return slices.Equal(a.Tools, []string{"bash", "job_*", "read_file", "view_image", "mcp__srv__*"}) && slices.Equal(a.Without, []string{"write_file"}) && slices.Equal(a.Deny, []string{"Bash(rm:*)"}) && a.Only == nil &&
					a.Model == "haiku" && a.Mode == "read-only" && a.MaxTurns == 5 && a.Isolation == "worktree" && a.Background && len(a.Skills) == 2 && a.Prompt == "body" && len(a.Notes) == 1
			}},
		{"more rights than the parent", "---\nname: a\ndescription: d\npermissionMode: bypassPermissions\n---\n", func(a AgentFile) bool { return a.Mode == "" && len(a.Notes) == 1 }},
		{"a mode that is not known", "---\nname: a\ndescription: d\nmode: free\n---\n", func(a AgentFile) bool { return a.Mode == "read-only" && len(a.Notes) == 1 }},
		{"an isolation that is not known", "---\nname: a\ndescription: d\nisolation: container\n---\n", func(a AgentFile) bool { return a.Isolation == "worktree" }},
		{"opencode", "---\ndescription: d\nmode: subagent\nsteps: 7\n---\n", func(a AgentFile) bool { return a.Name == "file" && a.Mode == "" && a.MaxTurns == 7 }},
		{"sampling", "---\nname: a\ndescription: d\ntemperature: 0.1\nsampling: {seed: 7, extra: {top_k: 40}}\n---\n", func(a AgentFile) bool {
			return *a.Sampling.Temperature == 0.1 && *a.Sampling.Seed == 7 && string(a.Sampling.Extra["top_k"]) == "40" && len(a.Notes) == 0
		}},
		{"a sampling that no provider takes", "---\nname: a\ndescription: d\ntemperature: 9\n---\n", func(a AgentFile) bool {
			return !a.Counts() && strings.Contains(a.Problem, "not from 0 to 2")
		}},
		{"a sampling that is no object", "---\nname: a\ndescription: d\nsampling: cold\n---\n", func(a AgentFile) bool {
			return !a.Counts() && a.Problem == "sampling: expected an object such as {temperature: 0.2}"
		}},
		{"a limit that is no number", "---\nname: a\ndescription: d\nbudget: 10k\n---\n", func(a AgentFile) bool {
			return !a.Counts() && a.Problem == `budget: "10k" is not a number`
		}},
		{"Gemini CLI", "---\nname: a\ndescription: d\nmax_turns: 9\ntools:\n  - read_file\n  - run_shell_command\n---\n", func(a AgentFile) bool {
			return a.MaxTurns == 9 && slices.Equal(a.Tools, []string{"read_file", "bash", "job_*"})
		}},
		{"Gemini CLI's servers", "---\nname: a\ndescription: d\ntools: [mcp_*, mcp_gh_*, mcp_gh_get_issue]\n---\n", func(a AgentFile) bool {
			return slices.Equal(a.Tools, []string{"mcp__*", "mcp__gh__*", "mcp__gh__get_issue"})
		}},
		{"tools for some arguments", "---\nname: a\ndescription: d\ntools: Write, Edit(src/**), Bash(git:*), Agent(explore, plan)\nask: [WebFetch]\n---\n", func(a AgentFile) bool {
			return slices.Equal(a.Tools, []string{"write_file", "edit_file", "apply_patch", "insert", "undo_edit", "bash", "job_*", "agent", "agent_status", "agent_wait", "agent_message", "agent_stop", "agent_list"}) && slices.Equal(a.Only, []string{"Edit(src/**)", "Bash(git:*)", "Agent(agent:explore)", "Agent(agent:plan)", "Write"}) &&
				slices.Equal(a.Without, []string{"job_*"}) && slices.Equal(a.Ask, []string{"WebFetch"}) && len(a.Notes) == 0
		}},
		{"no tools at all", "---\nname: a\ndescription: d\ntools: []\n---\n", func(a AgentFile) bool { return a.Tools != nil && len(a.Tools) == 0 }},
		{"all tools", "---\nname: a\ndescription: d\ntools: '*'\n---\n", func(a AgentFile) bool { return a.Tools == nil }},
		{"no description", "---\nname: a\n---\nx", func(a AgentFile) bool { return a.Problem != "" && !a.Counts() }},
		{"a bad name", "---\nname: ../../x\ndescription: d\n---\nx", func(a AgentFile) bool { return a.Problem != "" }},
		{"no head", "just text", func(a AgentFile) bool { return a.Problem != "" }},
	} {
		if a := parseAgent("dir/file.md", row.text); !row.check(a) {
			t.Errorf("%s: %+v", row.name, a)
		}
	}
}

func TestBuiltIn(t *testing.T) {
	var names []string
	for _, d := range builtInAgents() {
		names = append(names, d.Name)
		if d.Description == "" || d.Prompt == "" {
			t.Errorf("%s says too little", d.Name)
		}
	}
	if want := []string{"general", "explore", "plan", "implement", "review", "research"}; !slices.Equal(names, want) {
		t.Errorf("got %v", names)
	}
}
