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
				"mkdir -p k/.hg k/.config/mise k/.config/go k/.vscode k/.husky k/.mvn k/.cargo k/gradle/wrapper k/.circleci; cd k; for f in CLAUDE.md .circleci/config.yml .cursorrules " +
					"go.work sitecustomize.py .pnpmfile.cjs .mvn/jvm.config .cargo/config.toml gradle/wrapper/gradle-wrapper.properties .config/go/env .vscode/tasks.json .config/mise/config.toml .hg/hgrc .husky/pre-push .pre-commit-config.yaml; do echo x > $f; done": {
					"k/.husky/pre-push", "k/.pre-commit-config.yaml", "k/.hg/hgrc", "k/.config/mise/config.toml", "k/.vscode/tasks.json", "k/.cargo/config.toml", "k/.config/go/env", "k/.mvn/jvm.config", "k/.pnpmfile.cjs",
					"k/go.work", "k/gradle/wrapper/gradle-wrapper.properties", "k/sitecustomize.py", "k/.circleci/config.yml", "k/.cursorrules", "k/CLAUDE.md"},
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
	const want = `".vscode/a\nb" (an editor or a container runs it), "/x" (programs obey it)`
	if got := SteeringNote([]string{"/w/.vscode/a\nb", "/x"}, "/w"); got != want || SteeringNote(nil, "/w") != "" {
		t.Errorf("got %q", got)
	}
}

// TestWhatGitKeepsIsNotReported: commits, branches and clones change what git keeps; only what it would execute or follow is reported.
func TestWhatGitKeepsIsNotReported(t *testing.T) {
	for _, backend := range backends() {
		t.Run(backend.String(), func(t *testing.T) {
			ws := t.TempDir()
			box := onBackend(t, Policy{Workspace: ws}, backend)
			const git = "git -c user.name=x -c user.email=x@example.com "
			for _, row := range []struct {
				script string
				want   []string
			}{
				{"git init -q r && cd r && echo x > x && git add x && " + git + "commit -qm x", nil},
				{"cd r && git checkout -q -b y && echo y > y && git add y && " + git + "commit -qm y && git checkout -q - && " + git + "merge -q y && git gc -q", nil},
				{"git clone -q r copy && cd copy && git fetch -q && git checkout -q -b z", nil},
				{"cd r && echo z > z && git add z && " + git + "commit -qm z && ! GIT_SEQUENCE_EDITOR=: " + git + "rebase -q -i -x false HEAD~2", []string{"r/.git/rebase-merge/git-rebase-todo"}},
				{"cd r && git rebase --abort; git checkout -q -b w HEAD~1 && echo zz > z && git add z && " + git + "commit -qm w && ! " + git + "rebase -q y", nil},
				{"mkdir -p r/.git/rebase-merge && printf 'exec ./x\n' > r/.git/rebase-merge/git-rebase-todo", []string{"r/.git/rebase-merge/git-rebase-todo"}},
				{"git init -q --bare bare && git -C r push -q ../bare HEAD:refs/heads/y", nil},
				{"mkdir -p c/objects c/refs && echo ref: refs/heads/x > c/HEAD && printf '[core]\n\tfsmonitor = ./x\n' > c/config", []string{"c/config"}},
				{"mkdir -p objects refs hooks && echo ref: refs/heads/x > HEAD && printf '[core]\n\tfsmonitor = ./x\n' > config && echo x > hooks/update", []string{"config", "hooks/update"}},
				{"mkdir -p n/.git/hooks m/.vscode && echo x > m/.vscode/tasks.json && echo x > m/AGENTS.md && echo x > n/.git/hooks/pre-commit", []string{"n/.git/hooks/pre-commit", "m/.vscode/tasks.json", "m/AGENTS.md"}},
				{"mkdir -p f/.git && printf '[core]\n\tfsmonitor = ./x\n' > f/.git/config", []string{"f/.git/config"}},
				{"mkdir -p g/.git && printf '[core]\n\tbare = false\n[alias]\n\tst = !x\n' > g/.git/config", []string{"g/.git/config"}},
				{"mkdir -p h/.git && printf '[remote \"o\"]\n\turl = ext::sh -c x\n' > h/.git/config", []string{"h/.git/config"}},
				{"mkdir -p i/.git && printf '[core] hooksPath = x\n' > i/.git/config", []string{"i/.git/config"}},
			} {
				changed := box.Steering(t.Context())
				try(t, box, "cd "+ws+"\n"+row.script)
				var got []string
				for _, path := range changed() {
					rel, _ := filepath.Rel(ws, path)
					got = append(got, rel)
				}
				if !slices.Equal(got, row.want) {
					t.Errorf("%s: reported %q, want %q", row.script, got, row.want)
				}
			}
		})
	}
}
