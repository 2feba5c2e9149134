package harness

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/guard"
	"rein/guard/effect"
	"rein/kit/guards"
	"rein/kit/tools/files"
	"rein/kit/workspace"
	"rein/tool"
)

// writeFile makes a file with its directories.
func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// judged is a session that judges calls and runs none.
type judged struct{ *guarded }

// inWorkspace is a session with file tools and the standard guards, without anything that runs.
func inWorkspace(h *Harness, ws *workspace.Workspace) *guarded {
	o := &opened{h: h, id: "s", workspace: ws, terms: &conditions{}, record: &record{id: "s"}}
	e := &equipped{confined: &confined{opened: o}, files: files.Tools{Workspace: ws}}
	set := GuardSet{guards.New(guards.Options{}), &guards.Rules{}}
	return &guarded{equipped: e, guards: set, approvals: &approvals{equipped: e, guards: set, others: newKeptRules(h.dirs, h.project)}}
}

// judging is a session with guards and a workspace, without anything that runs.
func judging(t *testing.T, dir string) judged {
	t.Helper()
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	s := judged{inWorkspace(&Harness{}, ws)}
	here := guards.Here{Home: "/home/nobody", Protected: s.trust.Paths}
	s.guards = GuardSet{Set: guards.New(guards.Options{Here: here, Unsaved: NothingUnsaved, Confined: ConfinedTools()})}
	return s
}

func (s judged) verdict(t *testing.T, i tool.Intent) guard.Verdict {
	t.Helper()
	name, effect := "write_file", tool.Writes
	if i.Command != "" {
		name, effect = "bash", tool.Runs
	}
	return s.guards.Judge(t.Context(), guard.Case{Session: "s", Call: tool.Call{ID: "1", Name: name, Args: []byte("{}")}, Effect: effect,
		Intent: s.normalize(i), Mode: guard.Full, Isolation: guard.FullIsolation, Root: s.workspace.Dir()})
}

// TestWhatGitObeysIsNotWritten is path-20 of docs/maintainers/attacks.md: what git would run or obey is found by what git would read, and
// neither a file tool nor a command writes it without an approval, not even in full mode.
func TestWhatGitObeysIsNotWritten(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, at(".git/HEAD"), "ref: refs/heads/main\n")
	writeFile(t, at(".git/config"), "[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../shared.gitconfig\n[filter \"x\"]\n\tclean = ./tools/clean %f\n")
	writeFile(t, at("shared.gitconfig"), "[core]\n\tattributesFile = conf/attributes\n[include]\n\tpath = deeper.gitconfig\n")
	writeFile(t, at("tools/hooks/pre-commit"), "#!/bin/sh\n")
	writeFile(t, at("src/main.go"), "package main\n")
	// A work tree whose repository has another name, with a common directory.
	writeFile(t, at("wt/.git"), "gitdir: ../meta/one\n")
	writeFile(t, at("meta/one/HEAD"), "ref: refs/heads/main\n")
	writeFile(t, at("meta/one/commondir"), "../common\n")
	writeFile(t, at("meta/common/config"), "[core]\n\thooksPath = myhooks\n")
	// A bare repository, and a module.
	writeFile(t, at("bare/HEAD"), "ref: refs/heads/main\n")
	writeFile(t, at("bare/config"), "[core]\n\tbare = true\n")
	writeFile(t, at("sub/.git"), "gitdir: ../.git/modules/sub\n")
	writeFile(t, at(".git/modules/sub/config"), "[core]\n\tworktree = ../../../sub\n\thooksPath = ../tools/subhooks\n")
	for link, to := range map[string]string{"g": ".git", "src/h": "../tools/hooks", "dangling": "tools/hooks/post-merge"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	s := judging(t, dir)
	for _, row := range []struct{ name, file, cd string }{
		{"a directory of hooks that the settings name", "tools/hooks/pre-push", "."},
		{"a file that the settings include", "shared.gitconfig", "."},
		{"one that an included file includes, not yet there", "deeper.gitconfig", "."},
		{"a file of attributes", "conf/attributes", "."},
		{"a filter that the settings run", "tools/clean", "."},
		{"a repository by another name", "meta/one/config.worktree", "wt"},
		{"its common directory", "meta/common/config", "wt"},
		{"its hooks", "meta/common/hooks/pre-commit", "wt"},
		{"hooks that the common settings name", "wt/myhooks/pre-commit", "wt"},
		{"the settings of a bare repository", "bare/config", "bare"},
		{"its hooks ", "bare/hooks/update", "bare"},
		{"the hooks of a module", "tools/subhooks/x", "."},
		{"through a link to the repository", "g/config", "."},
		{"through a link to the hooks", "src/h/pre-commit", "."},
		{"through a link to what does not exist", "dangling", "."},
		{"a .git file", "other/.git", "."},
	} {
		t.Run("path-20 "+row.name, func(t *testing.T) {
			s.trust.See(at(row.cd) + "/x") // as a call in that directory does
			if v := s.verdict(t, tool.Intent{Writes: []string{row.file}}); v.Decision < guard.Ask {
				t.Errorf("write_file %s: %v", row.file, v.Decision)
			}
			for _, cmd := range []string{"echo x > " + row.file, "cp src/main.go " + row.file, "rm -f " + row.file, "cd src && tee ../" + row.file, "mv src/main.go " + row.file} {
				if v := s.verdict(t, tool.Intent{Command: cmd}); v.Decision < guard.Ask {
					t.Errorf("%s: %v", cmd, v.Decision)
				}
			}
		})
	}
	for _, file := range []string{"src/main.go", "tools/other", "wt/src/a.go", "meta.txt"} {
		if v := s.verdict(t, tool.Intent{Writes: []string{file}}); v.Decision != guard.Allow {
			t.Errorf("path-20 %s is ordinary work: %v (%s)", file, v.Decision, v.Reason)
		}
		if v := s.verdict(t, tool.Intent{Command: "echo x > " + file}); v.Decision != guard.Allow {
			t.Errorf("path-20 a command writes %s: %v (%s)", file, v.Decision, v.Reason)
		}
	}
	writeFile(t, at(".git/config"), "[core]\n\thooksPath = elsewhere\n")
	if v := s.verdict(t, tool.Intent{Writes: []string{"elsewhere/pre-commit"}}); v.Decision < guard.Ask {
		t.Errorf("path-20 after the settings have changed: %v", v.Decision)
	}
}

// TestNestedRepositoriesAreNotMoved: a repository that is moved away, changed and moved back has other settings then.
func TestNestedRepositoriesAreNotMoved(t *testing.T) {
	s := judging(t, t.TempDir())
	for _, cmd := range []string{"mv sub/.git x", "mv x sub/.git", "cp -r x sub/.git", "ln -s ../x sub/.git", "mv sub/.git/config x", "rsync -a x/ sub/.git/", "git init --separate-git-dir=x sub"} {
		if v := s.verdict(t, tool.Intent{Command: cmd}); v.Decision < guard.Ask {
			t.Errorf("path-20 %s: %v", cmd, v.Decision)
		}
	}
}

// TestRemotesAreKnownByTheirNames: a request for "git push origin" says which host it contacts.
func TestRemotesAreKnownByTheirNames(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, ".git/HEAD"), "ref: refs/heads/topic\n")
	writeFile(t, filepath.Join(dir, ".git/config"), `[remote "origin"]
	url = git@Example.com:org/x.git
[remote "mirror"]
	url = https://user:pass@mirror.test/x
	pushurl = ssh://git@push.test:2222/x
[remote "disk"]
	url = /srv/x.git
[remote "short"]
	url = gh:org/x
[url "https://short.test/"]
	insteadOf = gh:
[branch "topic"]
	remote = mirror
`)
	if _, err := exec.LookPath("git"); err == nil {
		if out, err := exec.Command("git", "-C", dir, "config", "--file", filepath.Join(dir, ".git/config"), "--list").CombinedOutput(); err != nil {
			t.Fatalf("git does not read the file of this test: %s", out)
		}
	}
	for cmd, want := range map[string][]string{
		"git push origin main":           {"example.com:22"},
		"git push":                       {"mirror.test:443", "push.test:2222"},
		"git fetch mirror":               {"mirror.test:443", "push.test:2222"},
		"git push short HEAD":            {"short.test:443"},
		"git push disk":                  nil,
		"git fetch https://other.test/x": nil, // in the text already
		"git log origin/main":            nil,
	} {
		s := judging(t, dir)
		i := s.normalize(tool.Intent{Command: cmd})
		var got []string
		if i.Surroundings != nil {
			got = i.Surroundings.Remotes
		}
		if cmd == "git fetch https://other.test/x" {
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", cmd, got, want)
		}
		contacts, _ := s.guards.Programs.Contacts(guard.Case{Root: dir, Intent: i})
		for _, address := range want {
			if !slices.ContainsFunc(contacts, func(c guard.Contact) bool { return c.Contact == effect.ContactOf(address) }) {
				t.Errorf("%s: %s is not in the request: %v", cmd, address, contacts)
			}
		}
	}
}

// TestWhatIsNotTrustedIsSaidOnce: hooks of a file that the start named are not named again; those of one that came later are.
func TestWhatIsNotTrustedIsSaidOnce(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	const hooks = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
	writeFile(t, filepath.Join(dir, ".rein", "hooks.json"), hooks)
	var said []string
	h, err := Open(t.Context(), Options{Dir: dir, Warn: func(line string) { said = append(said, line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	h.WarnUntrusted()
	writeFile(t, filepath.Join(dir, ".claude", "settings.json"), hooks)
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, "turns: [{text: hello}]")})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Send(t.Context(), Message("go")...) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if all := strings.Join(said, "\n"); strings.Count(all, "hooks.json") != 1 || strings.Count(all, ".claude/settings.json: its hooks do not run") != 1 {
		t.Error(all)
	}
}
