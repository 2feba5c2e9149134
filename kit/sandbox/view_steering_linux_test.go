package sandbox

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestAttacksOnSteeringFilesAreReported makes files that run programs or steer tools later. Where they may be made, the user
// reads of it.
func TestAttacksOnSteeringFilesAreReported(t *testing.T) {
	for _, backend := range backends() {
		t.Run(backend.String(), func(t *testing.T) {
			ws := t.TempDir()
			writeFile(t, filepath.Join(ws, "AGENTS.md"), "one")
			box := onBackend(t, Policy{Workspace: ws}, backend)
			for script, want := range map[string][]string{
				"echo x > main.go; mkdir -p a/b":                                                   nil,
				"cat AGENTS.md; ls -la":                                                            nil,
				"mkdir .vscode; echo x > .vscode/t":                                                {".vscode/t"},
				"echo x > .mcp.json; echo y > .envrc":                                              {".envrc", ".mcp.json"},
				"mkdir -p .claude/skills/s .agents; echo x > .claude/skills/s/SKILL.md":            {".claude/skills/s/SKILL.md"},
				"mkdir -p .idea/run && echo x > .idea/run/x.xml":                                   {".idea/run/x.xml"},
				"mkdir -p pkg && echo x > pkg/AGENTS.md":                                           {"pkg/AGENTS.md"},
				"mkdir -p d/e/e/p/.vscode; echo x > d/e/e/p/.vscode/t; echo x > d/e/e/p/AGENTS.md": {"d/e/e/p/.vscode/t", "d/e/e/p/AGENTS.md"},
				"mkdir -p node_modules/e/e/p; echo x > node_modules/e/e/p/AGENTS.md":               nil,
				"touch -d 2001-01-01 x; printf two > AGENTS.md; touch -r x AGENTS.md":              {"AGENTS.md"},
				"mkdir -p n/.git/hooks; echo x > n/.git/hooks/pre-commit":                          {"n/.git/hooks/pre-commit"},
				"mkdir -p .github/workflows; echo x > .github/workflows/ci.yml":                    {".github/workflows/ci.yml"},
			} {
				changed := box.Steering(t.Context())
				try(t, box, "cd "+ws+"\n"+script)
				var got []string
				for _, path := range changed() {
					rel, _ := filepath.Rel(ws, path)
					got = append(got, rel)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: reported %q, want %q", script, got, want)
				}
			}
		})
	}
	const want = `[note from rein, not from the program: this command made or changed files that run programs or steer tools later: ".vscode/a\nb", "/x". Tell the user, who must check them before using them.]` + "\n"
	if got := SteeringNote([]string{"/w/.vscode/a\nb", "/x"}, "/w"); got != want || SteeringNote(nil, "/w") != "" {
		t.Errorf("got %q", got)
	}
}
