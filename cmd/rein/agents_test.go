package main

import (
	"strings"
	"testing"
)

// TestAgentsOfOtherPrograms: what an agent may not do there it may not do here, and what cannot be kept is not taken over.
func TestAgentsOfOtherPrograms(t *testing.T) {
	for _, row := range []struct {
		name    string
		convert func([]byte) (string, []string, bool)
		head    string
		want    string // lines of the head, without the description; "": it is not taken over
		note    string
	}{
		{"gemini: tools", convertGeminiAgent, "tools: [read_file, run_shell_command]\nmodel: gemini-2.5-pro", "tools: [read_file, run_shell_command]\nmodel: gemini-2.5-pro", "has that of the session"},
		{"gemini: its own servers", convertGeminiAgent, "kind: local\nmcp_servers: {a: {command: b}}", "kind: local\nmcp_servers: {a: {command: b}}", "tool servers are left out"},
		{"gemini: another machine", convertGeminiAgent, "kind: remote\nagent_card_url: https://a", "", "another machine"},
		{"opencode: nothing", convertOpenCodeAgent, "mode: subagent\nmodel: openai/gpt-5\nsteps: 9", "model: \"openai/gpt-5\"\nsteps: \"9\"", ""},
		{"opencode: tools that are off", convertOpenCodeAgent, "tools: {write: false, bash: false, read: true, gh_issue: false}", `disallowed: ["Bash","gh_issue","mcp__gh__issue","Write"]`, ""},
		{"opencode: only some tools are on", convertOpenCodeAgent, "tools: {'*': false, read: true, grep: true}", `tools: ["Grep","Read"]`, ""},
		{"opencode: permissions", convertOpenCodeAgent, "permission: {edit: deny, bash: ask, webfetch: allow, external_directory: ask}", `disallowed: ["Edit","Write","notebook_edit"]` + "\n" + `ask: ["Bash"]`, ""},
		{"opencode: patterns that deny", convertOpenCodeAgent, "permission: {bash: {'*': allow, 'rm *': deny, 'git push *': ask}}", `disallowed: ["Bash(rm *)"]` + "\n" + `ask: ["Bash(git push *)"]`, ""},
		{"opencode: all but some is denied", convertOpenCodeAgent, "permission: {bash: {'*': deny, 'git diff*': allow, 'git log *': allow}}", `only: ["Bash(git diff*)","Bash(git log *)"]`, ""},
		{"opencode: only what is named", convertOpenCodeAgent, "permission: {'*': deny, read: allow, bash: {'git *': allow}, webfetch: ask}", `tools: ["Bash","Read","WebFetch"]` + "\n" + `only: ["Bash(git *)"]` + "\n" + `ask: ["WebFetch"]`, ""},
		{"opencode: nothing at all", convertOpenCodeAgent, "permission: deny", `tools: []`, ""},
		{"opencode: all but some asks", convertOpenCodeAgent, "permission: {bash: {'*': ask, 'git *': allow}}", `ask: ["Bash"]`, `"git *": here all of it does`},
		{"opencode: everything asks", convertOpenCodeAgent, "permission: ask", "", "everything asked"},
		{"opencode: an action that is not known", convertOpenCodeAgent, "permission: {edit: maybe}", "", "maybe for edit"},
		{"opencode: a tool that asks and is not known", convertOpenCodeAgent, "permission: {gh_issue: ask}", "", "ask for gh_issue"},
		{"opencode: it is off", convertOpenCodeAgent, "disable: true", "", "disabled"},
		{"opencode: for the user's session", convertOpenCodeAgent, "mode: primary\nmodel: openai/x", `model: "openai/x"`, "user's own session"},
	} {
		t.Run(row.name, func(t *testing.T) {
			body, notes, ok := row.convert([]byte("---\ndescription: d\n" + row.head + "\n---\nDo it.\n"))
			head, text := splitHead(body)
			head = strings.TrimSpace(strings.NewReplacer("description: d\n", "", "description: \"d\"\n", "").Replace(head))
			if head != row.want || ok && strings.TrimSpace(text) != "Do it." {
				t.Errorf("ok %v, head\n%s\nwant\n%s", ok, head, row.want)
			}
			if all := strings.Join(notes, "; "); !strings.Contains(all, row.note) || row.note == "" && all != "" {
				t.Errorf("notes: %s", all)
			}
			if row.want == "" && row.note != "everything asked" && ok {
				t.Error("it was taken over")
			}
		})
	}
}
