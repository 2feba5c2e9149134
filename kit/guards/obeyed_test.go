package guards

import (
	"strings"
	"testing"

	"rein/guard"
	"rein/tool"
)

// TestFilesThatOthersObeyAreNamed: a file tool and a shell that write a file which another program will run or obey ask, in every mode that writes,
// and the reason says who does. Code of the project, which its builds and tests run in the sandbox, is written like any file.
func TestFilesThatOthersObeyAreNamed(t *testing.T) {
	paths := Paths{Here: home.Here}
	for who, files := range map[string]string{
		"git runs it": ".git/config .git/config.worktree .git/hooks/pre-commit .git/info/attributes .git/rebase-merge/git-rebase-todo .git/worktrees/x/commondir .git/modules/m/config sub/.git/hooks/x .gitmodules .gitconfig " +
			".husky/pre-push .husky/_/h .githooks/pre-commit .pre-commit-config.yaml lefthook.yml lefthook.toml .lefthook-local.yml .overcommit.yml",
		"another version control system runs it": ".hg/hgrc .hg/hgrc-not-shared .svn/wc.db .jj/repo/config.toml",
		"a shell runs it":                        ".envrc .direnv/bin/x mise.toml .mise.toml mise.local.toml .mise/config.toml .config/mise/config.toml .config/mise.toml .rtx.toml .bashrc .zshenv .profile .tmux.conf",
		"an editor or a container runs it":       ".vscode/tasks.json .vscode/settings.json .idea/workspace.xml .zed/tasks.json .fleet/run.json .devcontainer/devcontainer.json .devcontainer.json .exrc .vimrc .nvim.lua .dir-locals.el",
		"a build tool or an interpreter runs it": ".npmrc .yarnrc.yml .yarn/releases/yarn.cjs .pnpmfile.cjs bunfig.toml gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar .mvn/wrapper/maven-wrapper.properties .mvn/extensions.xml " +
			".mvn/jvm.config .cargo/config.toml .cargo/config .bundle/config sitecustomize.py usercustomize.py .venv/lib/python3.12/site-packages/x.pth go.work .config/go/env pip.conf .gdbinit",
		"an agent runs or obeys it":         ".mcp.json .claude/settings.json .cursor/mcp.json .gemini/settings.json opencode.json .kiro/x",
		"a server of the project runs it":   ".github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml jenkinsfile",
		"an agent reads it as instructions": "AGENTS.md CLAUDE.md .cursorrules",
	} {
		for _, name := range strings.Fields(files) {
			for _, mode := range []guard.Mode{guard.Supervised, guard.Full} {
				c := call("write_file", tool.Intent{Writes: []string{name}})
				c.Mode = mode
				if v := paths.Judge(t.Context(), c); v.Decision != guard.Ask || !strings.Contains(v.Reason, who) {
					t.Errorf("write_file %s in %v: %v (%s), want %q", name, mode, v.Decision, v.Reason, who)
				}
				c = bash("echo x > " + name)
				c.Mode = mode
				if v := home.Judge(t.Context(), c); v.Decision != guard.Ask || !strings.Contains(v.Reason, who) {
					t.Errorf("a shell writes %s in %v: %v (%s), want %q", name, mode, v.Decision, v.Reason, who)
				}
			}
		}
	}
	for _, name := range strings.Fields("Makefile absent.mk package.json build.rs build.gradle gradlew mvnw setup.py conftest.py tox.ini noxfile.py pytest.ini go.mod src/x.pth model.pth") {
		c := call("write_file", tool.Intent{Writes: []string{name}})
		c.Mode = guard.Supervised
		if v := paths.Judge(t.Context(), c); v.Decision != guard.Allow {
			t.Errorf("write_file %s: %v (%s)", name, v.Decision, v.Reason)
		}
	}
	for _, command := range []string{"go env -w GOFLAGS=-toolexec=./x", "npm config set script-shell ./x", "git config core.fsmonitor ./x", "git config --global core.hooksPath x", "direnv allow", "husky install", "pre-commit install"} {
		if v := home.Judge(t.Context(), bash(command)); v.Decision != guard.Ask || v.Severity < guard.High {
			t.Errorf("%s: %v, severity %v", command, v.Decision, v.Severity)
		}
	}
}
