package instructions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/agent"
	"rein/app/trust"
	"rein/model"
)

func write(t *testing.T, name, text string) {
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
		write(t, filepath.Join(top, at, "x.md"), definition("explore", at))
	}
	write(t, filepath.Join(home, "x.md"), definition("explore", "user"))
	folder := trust.Open(filepath.Join(t.TempDir(), "trust.json"), top, false)
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
	write(t, filepath.Join(top, ".rein/agents/x.md"), definition("explore", "changed"))
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

// TestSamplingOfADefinition reads how the model chooses its words; what is no such object makes the definition unusable.
func TestSamplingOfADefinition(t *testing.T) {
	for sampling, want := range map[string]string{
		"{temperature: 0.2, seed: 7, stop: [END], extra: {top_k: 40}}": `{"temperature":0.2,"seed":7,"stop":["END"],"extra":{"top_k":40}}`,
		"\n  top_p: 0.5":   `{"top_p":0.5}`,
		"{temperature: 3}": "sampling: temperature: 3 is not from 0 to 2",
		"{temprature: 1}":  "sampling: expected an object such as",
		"cold":             "sampling: expected an object such as",
	} {
		a := parseAgent("x.md", "---\nname: x\ndescription: y\nsampling: "+sampling+"\n---\nDo it.\n")
		got, _ := json.Marshal(a.Sampling)
		if text := a.Problem + string(got); !strings.HasPrefix(text, want) || len(a.Notes) > 0 {
			t.Errorf("%s: %s, %v, want %s", sampling, text, a.Notes, want)
		}
	}
	all, _, err := ReadAgents(`{"x": {"description": "y", "prompt": "z", "sampling": {"seed": 7}}}`)
	if err != nil || all[0].Sampling.Seed == nil || *all[0].Sampling.Seed != 7 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, _, err := ReadAgents(`{"x": {"description": "y", "prompt": "z", "sampling": {"top_p": 2}}}`); err == nil || !strings.Contains(err.Error(), "top_p: 2") {
		t.Error(err)
	}
	cold := -1.0
	if _, err := LoadAgents(AgentOptions{Given: []agent.Definition{{About: agent.About{Name: "x", Description: "y"}, Sampling: model.Sampling{Temperature: &cold}}}}); err == nil {
		t.Error("the program's definition with a temperature of -1 counts")
	}
}
