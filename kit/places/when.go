package places

import (
	"slices"
	"strings"
)

// runKinds say when files run or steer, by a name, or two names, of their path, the most dangerous first.
var runKinds = []struct {
	when  string
	names []string
}{
	{"git runs it", []string{".git", ".gitconfig", ".gitmodules", ".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml",
		"lefthook.yaml", ".lefthook.yaml", "lefthook.toml", "lefthook-local.yml", ".lefthook-local.yml", ".lefthook", ".lefthook-local", ".overcommit.yml"}},
	{"another version control system runs it", []string{".hg", ".jj", ".svn"}},
	{"a shell runs it", []string{".envrc", ".direnv", ".mise.toml", "mise.toml", ".mise.local.toml", "mise.local.toml", ".mise", ".config/mise", ".config/mise.toml", ".rtx.toml", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".kshrc", ".inputrc", ".tmux.conf", ".screenrc"}},
	{"an editor or a container runs it", []string{".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json", ".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el"}},
	{"a build tool or an interpreter runs it", []string{".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pnpmfile.mjs", ".yarn", "bunfig.toml", "gradle-wrapper.jar", "gradle-wrapper.properties", ".mvn", ".cargo", ".bundle", "sitecustomize.py", "usercustomize.py", "site-packages", "dist-packages", "go/env", "go.work", "pip.conf", ".pip", ".condarc",
		".gdbinit", ".lldbinit", ".pythonrc", ".pdbrc", ".irbrc", ".sqliterc", ".psqlrc"}},
	{"an agent runs or obeys it", []string{".mcp.json", ".rein", ".claude", ".codex", ".gemini", ".cursor", ".windsurf", ".roo", ".roomodes", ".continue", ".agents", ".opencode", "opencode.json", "opencode.jsonc",
		".crush", ".crush.json", "crush.json", ".kiro", ".qwen", ".junie", ".aider.conf.yml"}},
	{"a server of the project runs it", []string{".github", ".gitlab-ci.yml", ".gitlab", ".circleci", ".travis.yml", ".drone.yml", ".woodpecker.yml", ".woodpecker", ".buildkite", ".forgejo", ".gitea", "jenkinsfile",
		"azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml", "cloudbuild.yaml"}},
	{"an agent reads it as instructions", []string{"agents.md", "agents.local.md", "claude.md", "claude.local.md", "gemini.md", "crush.md", ".cursorrules", ".windsurfrules", ".clinerules", ".goosehints"}},
}

// RunKind orders files by what runs or obeys them, the most dangerous first: of all names of a path the most dangerous counts.
func RunKind(path string) int {
	before, least := "", len(runKinds)
	for name := range strings.SplitSeq(strings.ToLower(path), "/") {
		for i, kind := range runKinds[:least] {
			if slices.Contains(kind.names, name) || slices.Contains(kind.names, before+"/"+name) {
				least = i
				break
			}
		}
		before = name
	}
	return least
}

// WhenRun says what runs or obeys a file of a workspace later.
func WhenRun(path string) string {
	if i := RunKind(path); i < len(runKinds) {
		return runKinds[i].when
	}
	return "programs obey it"
}
