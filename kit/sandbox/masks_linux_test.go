package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// masking are the backends that can close files by name. Landlock cannot: Gaps says so.
func masking(t *testing.T) []Backend {
	t.Helper()
	return slices.DeleteFunc(backends(), func(b Backend) bool { return b == BackendNone || b == BackendLandlock })
}

const secretText = "canary-of-a-secret-file"

// maskAttacks are series of commands that try to read the file of secrets at app/.env. All but the last prepare it.
var maskAttacks = map[string][]string{
	"as it lies":                         {"cat app/.env"},
	"under a hidden directory":           {"mv app .app", "cat .app/.env"},
	"under a directory of other code":    {"mkdir vendor && mv app vendor/", "cat vendor/app/.env"},
	"under a directory of builds":        {"mkdir -p build/x && mv app build/x/", "cat build/x/app/.env"},
	"very deep":                          {"mkdir -p 1/2/3/4/5/6 && mv app 1/2/3/4/5/6/", "cat 1/2/3/4/5/6/app/.env"},
	"behind 600 directories":             {"mkdir -p $(seq -f 'd%g/e' 600)", "cat app/.env; cat */*/.env"},
	"away and back in one command":       {"mv app .x; cat .x/.env; mv .x app; cat app/.env"},
	"copied with its directory":          {"cp -r app other; cat other/.env"},
	"by a hard link":                     {"ln app/.env link; cat link"},
	"renamed":                            {"mv app/.env plain; cat plain app/plain"},
	"by a link to its directory":         {"ln -s app link", "cat link/.env"},
	"in an archive":                      {"tar cf a.tar app; tar xOf a.tar app/.env"},
	"by a name in capitals":              {"cat app/.ENV app/.Env"},
	"through /proc":                      {"cat /proc/self/root$PWD/app/.env /proc/self/cwd/app/.env"},
	"by a job that moves it":             {"(for i in $(seq 300); do mv app .b; mv .b app; done) & for i in $(seq 300); do cat app/.env .b/.env; done; wait"},
	"by the name of a directory in caps": {"mv app VENDOR", "cat VENDOR/.env"},
}

func TestAttacksOnMasks(t *testing.T) {
	t.Parallel()
	for _, backend := range masking(t) {
		t.Run(backend.String(), func(t *testing.T) {
			for name, scripts := range maskAttacks {
				if attackMask(t, backend, scripts) {
					t.Errorf("%s: it was read", name)
				}
			}
		})
	}
	for name, scripts := range maskAttacks { // an attack that never works proves nothing
		if name != "by a name in capitals" && !attackMask(t, BackendNone, scripts) {
			t.Errorf("%s: without a sandbox it does not work", name)
		}
	}
}

// attackMask runs the commands of an attack and reports whether one of them read the file.
func attackMask(t *testing.T, backend Backend, scripts []string) bool {
	t.Helper()
	ws := t.TempDir()
	writeFile(t, filepath.Join(ws, "app/.env"), secretText)
	writeFile(t, filepath.Join(ws, "app/main"), "main\n")
	box := onBackend(t, Policy{Workspace: ws}, backend)
	defer box.Close()
	read := false
	for _, script := range scripts {
		out, _ := try(t, box, "("+script+") 2>/dev/null")
		read = read || strings.Contains(out, secretText)
	}
	return read
}

// What was made since the last program counts for the next, wherever it lies.
func TestAttacksOnNewSecretFiles(t *testing.T) {
	for _, backend := range masking(t) {
		t.Run(backend.String(), func(t *testing.T) {
			ws := t.TempDir()
			box := onBackend(t, Policy{Workspace: ws}, backend)
			for i, dir := range []string{"", "a", "a/b/c/d/e", "node_modules/x/y", ".hidden/z", "build"} {
				try(t, box, "mkdir -p ./"+dir)
				writeFile(t, filepath.Join(ws, dir, fmt.Sprintf(".env.%d", i)), secretText)
				if out, _ := try(t, box, "grep -rs "+secretText+" . ; cat ./"+dir+"/.env.* 2>/dev/null"); out != "" {
					t.Errorf("in %q: %q", dir, out)
				}
			}
			if out, _ := try(t, box, "echo x > a/f && mv a/f a/b/f && rm -r a/b/f && echo worked"); out != "worked\n" {
				t.Errorf("ordinary work: %q", out)
			}
		})
	}
}

// git runs git on the host, as the user would later.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// evil is a hook, or a program that a setting names: it leaves a mark on the host.
const evil = `printf '#!/bin/sh\ntouch %s\n' "$MARK" > evil; chmod 755 evil; E=$PWD/evil; `

// gitAttacks try to make the user's next git run a program. The workspace is a repository with a submodule-like nested
// repository in sub, settings that include a file of the tree, and hooks in the tree.
var gitAttacks = map[string]string{
	"the settings":                          `git config core.fsmonitor $E; echo "[core] fsmonitor = $E" >> .git/config`,
	"a hook":                                `cp evil .git/hooks/post-commit; cp evil .git/hooks/pre-commit`,
	"hooks moved away":                      `mv .git/hooks .git/h; mkdir .git/hooks; cp evil .git/hooks/post-commit`,
	"the repository moved away":             `mv .git .g; cp -r .g .git; echo "[core] fsmonitor = $E" >> .git/config`,
	"a common directory":                    `cp -r .git evilgit; echo "[core] fsmonitor = $E" >> evilgit/config; echo ../evilgit > .git/commondir`,
	"a hook of the tree":                    `cp evil tools/hooks/post-commit; rm -f tools/hooks/pre-commit; cp evil tools/hooks/pre-commit`,
	"hooks of the tree moved away":          `mv tools/hooks tools/old; mkdir -p tools/hooks; cp evil tools/hooks/post-commit`,
	"what leads to the hooks moved away":    `mv tools old; mkdir -p tools/hooks; cp evil tools/hooks/post-commit`,
	"an included file":                      `echo "[core] fsmonitor = $E" >> tools/gitconfig; echo "[core] fsmonitor = $E" > x; mv -f x tools/gitconfig`,
	"the settings of a submodule":           `echo "[core] fsmonitor = $E" >> .git/modules/m/config; cp evil .git/modules/m/hooks/post-commit`,
	"modules moved away":                    `mv .git/modules .git/m; cp -r .git/m .git/modules; echo "[core] fsmonitor = $E" >> .git/modules/m/config`,
	"the file that names a submodule":       `cp -r .git/modules/m evilgit; echo "[core] fsmonitor = $E" >> evilgit/config; echo "gitdir: $PWD/evilgit" > mod/.git`,
	"a nested repository":                   `echo "[core] fsmonitor = $E" >> sub/.git/config; cp evil sub/.git/hooks/post-commit`,
	"a nested repository away and back":     `away=$(mktemp -d)/s; mv sub $away; echo "[core] fsmonitor = $E" >> $away/.git/config; mv $away sub`,
	"a copy in a nested repository's place": `cp -r sub sub2; echo "[core] fsmonitor = $E" >> sub2/.git/config; mv sub old; mv sub2 sub`,
	"hooks where none are":                  `rm -rf later; mkdir -p later/hooks; cp evil later/hooks/post-commit`,
	"settings where none are":               `mkdir -p later; rm -f later/gitconfig; echo "[core] fsmonitor = $E" > later/gitconfig`,
	"settings of a worktree where none are": `echo "[core] fsmonitor = $E" > .git/config.worktree`,
	"a repository without settings":         `echo "[core] fsmonitor = $E" > plain/.git/config`,
	"a repository by another name":          `evil() { printf '[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = %s\n' $E >> store/config; }; evil; mv store s; cp -r s store; evil`,
	"attributes of a repository":            `mkdir -p .git/info; echo "f filter=theirs" > .git/info/attributes; touch f`,
	"a worktree elsewhere":                  `cp -r .git evilgit; echo "[core] fsmonitor = $E" >> evilgit/config; for d in .git/worktrees/*; do echo $PWD/evilgit > $d/commondir; done`,
	"worktrees moved away":                  `cp -r .git evilgit; echo "[core] fsmonitor = $E" >> evilgit/config; mv .git/worktrees .git/w; cp -r .git/w .git/worktrees; for d in .git/worktrees/*; do echo $PWD/evilgit > $d/commondir; done`,
	"settings of worktrees":                 `git config extensions.worktreeConfig true; echo "[core] fsmonitor = $E" > .git/config.worktree`,
}

func TestAttacksOnGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many programs one after the other")
	}
	if notInstalled("git") != "" {
		t.Skip("git is not installed")
	}
	for _, backend := range masking(t) {
		t.Run(backend.String(), func(t *testing.T) {
			for name, script := range gitAttacks {
				if ran, out := attackGit(t, backend, name, script); ran {
					t.Errorf("%s: the user's git ran the program: %s", name, out)
				}
			}
		})
	}
	for name, script := range gitAttacks { // an attack that never works proves nothing
		if ran, out := attackGit(t, BackendNone, name, script); !ran {
			t.Errorf("%s: without a sandbox it does not work: %s", name, out)
		}
	}
}

// attackGit runs an attack and then git, as the user would, and reports whether git ran the attacker's program.
func attackGit(t *testing.T, backend Backend, name, script string) (ran bool, out string) {
	t.Helper()
	ws, mark := t.TempDir(), filepath.Join(t.TempDir(), "mark")
	for _, dir := range []string{ws, filepath.Join(ws, "sub")} {
		writeFile(t, filepath.Join(dir, "f"), "f\n")
		git(t, dir, "init", "-q")
		git(t, dir, "add", "f")
		git(t, dir, "commit", "-qm", "one")
	}
	writeFile(t, filepath.Join(ws, "tools/gitconfig"), "[alias]\n\tx = status\n")
	writeFile(t, filepath.Join(ws, "tools/hooks/README"), "x")
	git(t, ws, "config", "include.path", "../tools/gitconfig")
	if strings.Contains(name, "of the tree") || strings.Contains(name, "leads") {
		git(t, ws, "config", "core.hooksPath", "tools/hooks")
	}
	switch name {
	case "hooks where none are":
		git(t, ws, "config", "core.hooksPath", "later/hooks")
	case "settings of a worktree where none are":
		git(t, ws, "config", "extensions.worktreeConfig", "true")
	case "attributes of a repository":
		git(t, ws, "config", "filter.theirs.clean", "$PWD/evil; cat") // a filter that the user has for other files
	case "a repository by another name":
		git(t, ws, "init", "-q", "--bare", "store")
	case "a repository without settings":
		git(t, ws, "init", "-q", "plain")
		if err := os.Remove(filepath.Join(ws, "plain/.git/config")); err != nil {
			t.Fatal(err)
		}
	case "settings where none are":
		git(t, ws, "config", "--add", "include.path", "../later/gitconfig")
	}
	if err := os.MkdirAll(filepath.Join(ws, ".git/modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, ws, "init", "-q", "--separate-git-dir", filepath.Join(ws, ".git/modules/m"), "mod")
	far := filepath.Join(t.TempDir(), "far")
	git(t, ws, "worktree", "add", "-q", far)
	box := onBackend(t, Policy{Workspace: ws}, backend)
	defer box.Close()
	out, _ = try(t, box, "export MARK="+mark+"; "+evil+"("+script+") 2>&1; true")
	for _, dir := range []string{ws, filepath.Join(ws, "sub"), filepath.Join(ws, "mod"), filepath.Join(ws, "plain"), filepath.Join(ws, "store"), far} {
		if !exists(dir) {
			continue
		}
		git(t, dir, "status")
		git(t, dir, "add", "--renormalize", ".")
		git(t, dir, "commit", "--allow-empty", "-qm", "two")
	}
	_, err := os.Stat(mark)
	return err == nil, out
}

// Git itself works as before.
func TestGitWorksInTheWorkspace(t *testing.T) {
	if notInstalled("git") != "" {
		t.Skip("git is not installed")
	}
	for _, backend := range masking(t) {
		t.Run(backend.String(), func(t *testing.T) {
			ws := t.TempDir()
			writeFile(t, filepath.Join(ws, "f"), "f\n")
			git(t, ws, "init", "-q")
			far := filepath.Join(t.TempDir(), "far")
			git(t, ws, "commit", "-qm", "zero", "--allow-empty")
			git(t, ws, "worktree", "add", "-q", far)
			box := onBackend(t, Policy{Workspace: ws}, backend)
			const who = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
			for _, script := range []string{
				"git add f && git commit -qm one && git checkout -qb b && echo g > g && git add g && git commit -qm two && git checkout -q - && git merge -q b",
				"git worktree add -q wt && cd wt && git status && cd .. && git worktree remove wt", "git stash list && git tag x && git gc -q && git log --oneline",
				"git switch -qc r HEAD~1 && echo r > r && git add r && git commit -qm r && git rebase -q b && GIT_SEQUENCE_EDITOR=: git rebase -q -i -x 'test -e f' HEAD~2",
				"git switch -qc c && echo c > g && git commit -qam c && git switch -q r && echo d > g && git commit -qam d && ! git rebase -q c", "echo e > g && git add g && GIT_EDITOR=: git rebase --continue",
				"echo s >> f && git stash -q && git stash pop -q && git commit -qam s && git switch -qc p && echo h > h && git add h && git commit -qm h && git switch -q r && git commit -q --allow-empty -m e && git cherry-pick p && git revert --no-edit HEAD && git reset -q --hard HEAD~1",
				"git worktree add -q wt2", "cd wt2 && echo w > w && git add w && git commit -qm w", "git bisect start HEAD HEAD~2 && git bisect reset && git reflog expire --expire=now --all && git gc -q --prune=now && git fsck",
				"git clone -q --bare . up && git fetch -q up && git fetch -q ./up r:refs/heads/fetched && git push -q ./up HEAD:refs/heads/pushed && git pull -q ./up r", "git worktree prune && git worktree list",
				"git format-patch -q -1 --stdout > p && git reset -q --hard HEAD~1 && git am -q p", "git branch -D fetched && git tag -d x && git notes add -m n && git update-index --refresh",
				"git init -q new && cd new && echo x > x && git add x && git commit -qm one", "cd new && git commit --allow-empty -qm two && git mv x y && cd .. && rm -rf new/y",
			} {
				if out, result := try(t, box, who+script); result.Code != 0 {
					t.Errorf("%s: %d %s", script, result.Code, out)
				}
			}
			if out := git(t, far, "status", "--short", "--branch"); out != "## far\n" {
				t.Errorf("a work tree that the programs did not see: %q", out)
			}
		})
	}
}

// A program that runs already does not see a file of secrets that appears later: a moment after it is made it is closed.
func TestAttacksOnSecretsThatAppearLater(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	writeFile(t, filepath.Join(ws, "app/x"), "x")
	box := needBox(t, Policy{Workspace: ws})
	jobs := &Jobs{}
	defer jobs.Close()
	job, err := jobs.Start(t.Context(), box, shell("echo up; while [ ! -e go ]; do sleep 0.05; done; cat app/.env late/.env.local other/.env moved/.env 2>&1; echo end"), JobOptions{})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(400 * time.Millisecond)
	for _, name := range []string{"app/.env", "late/.env.local", "other/.env"} {
		writeFile(t, filepath.Join(ws, name), secretText)
	}
	if err := os.Rename(filepath.Join(ws, "other"), filepath.Join(ws, "moved")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	writeFile(t, filepath.Join(ws, "go"), "")
	if _, err := job.Result(); err != nil {
		t.Fatal(err)
	}
	if out, _ := job.Read(); strings.Contains(string(out), secretText) || strings.Count(string(out), "Permission denied") != 3 || !strings.Contains(string(out), "end") {
		t.Errorf("got %s", out)
	}
}

// TestLeftOpen: only backends that close no single file leave files of secrets open, and only those that the policy closes.
func TestLeftOpen(t *testing.T) {
	names := func() []string { return []string{".env", "sub/.netrc", "server.pem", ".env.example"} }
	for _, backend := range backends() {
		closes := backend != BackendNone && backend != BackendLandlock
		for envFiles, want := range map[bool][]string{false: {".env", "sub/.netrc"}, true: {"sub/.netrc"}} {
			if closes {
				want = nil
			}
			box := onBackend(t, Policy{Workspace: t.TempDir(), EnvFiles: envFiles}, backend)
			if got := box.LeftOpen(t.Context(), names); !slices.Equal(got, want) {
				t.Errorf("%v, .env files allowed: %v: left open %q, want %q", backend, envFiles, got, want)
			}
		}
	}
}
