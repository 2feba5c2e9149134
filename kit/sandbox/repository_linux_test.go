package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatARepositoryReadsCannotBeMade: no program makes, changes or moves what git, hg or jj would read as settings or run, whether it is
// there or not, but for what git itself must write.
func TestWhatARepositoryReadsCannotBeMade(t *testing.T) {
	if notInstalled("git perl") != "" {
		t.Skip("git or perl is not installed")
	}
	for _, backend := range masking(t) {
		t.Run(backend.String(), func(t *testing.T) {
			ws, far := t.TempDir(), filepath.Join(t.TempDir(), "far")
			git(t, ws, "init", "-q")
			git(t, ws, "commit", "-qm", "one", "--allow-empty")
			git(t, ws, "worktree", "add", "-q", "near")
			git(t, ws, "worktree", "add", "-q", far)
			git(t, ws, "config", "extensions.worktreeConfig", "true")
			git(t, ws, "init", "-q", "--bare", "store.git")
			git(t, ws, "init", "-q", "deep/in/node_modules/x")
			for _, dir := range []string{".git/info", ".git/hooks"} { // git makes them from a template, which a machine may not have
				if err := os.RemoveAll(filepath.Join(ws, dir)); err != nil {
					t.Fatal(err)
				}
			}
			writeFile(t, filepath.Join(ws, ".hg/requires"), "store\n")
			writeFile(t, filepath.Join(ws, ".jj/repo/store/type"), "git\n")
			box := onBackend(t, Policy{Workspace: ws}, backend)
			for _, path := range []string{
				".git/config", ".git/config.worktree", ".git/hooks/x", ".git/hooks/pre-commit", ".git/info/attributes", ".git/worktrees/near/commondir",
				".git/worktrees/near/config.worktree", ".git/worktrees/far/HEAD", ".git/worktrees/far/commondir", ".git/worktrees/far/config.worktree", "near/.git",
				"store.git/config", "store.git/hooks/update", "deep/in/node_modules/x/.git/config", "deep/in/node_modules/x/.git/config.worktree",
				".hg/hgrc", ".hg/hgrc-not-shared", ".jj/repo/config.toml",
			} {
				for how, script := range map[string]string{
					"written":                  "echo x >> $P",
					"put in its place":         "echo x > new && mv -f new $P",
					"taken away":               "test -e $P && rm -rf $P || mkdir -p $P/x",
					"moved with what is above": `D=$(dirname $P); test -d $D && perl -e 'exit !rename $ARGV[0], $ARGV[1]' $D gone && cp -r gone $D && echo x > $P`,
				} {
					if out, result := try(t, box, "P="+path+"; "+script); result.Code == 0 {
						t.Errorf("%s was %s: %s", path, how, out)
					}
				}
			}
			try(t, box, "echo ../evil > .git/commondir")
			for dir, want := range map[string]string{ws: "## m", far: "## far", filepath.Join(ws, "near"): "## near"} {
				if out := git(t, dir, "status", "--branch", "--short", "-uno"); !strings.HasPrefix(out, want) {
					t.Errorf("git in %s: %s", dir, out)
				}
			}
		})
	}
}

// TestSubmodulesInTheWorkspace: work in submodules goes on; what would write their settings is refused, as git config is.
func TestSubmodulesInTheWorkspace(t *testing.T) {
	if notInstalled("git") != "" {
		t.Skip("git is not installed")
	}
	for _, backend := range masking(t) {
		t.Run(backend.String(), func(t *testing.T) {
			root := t.TempDir()
			lib, ws := filepath.Join(root, "lib"), filepath.Join(root, "ws")
			for _, dir := range []string{lib, ws} {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				git(t, dir, "init", "-q")
				git(t, dir, "commit", "-qm", "one", "--allow-empty")
			}
			git(t, ws, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib, "lib")
			git(t, ws, "commit", "-qm", "lib")
			box := onBackend(t, Policy{Workspace: ws}, backend)
			const who = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
			for _, row := range []struct { // a refused one may leave a half behind
				script string
				works  bool
			}{
				{"git submodule status && git submodule foreach -q 'git status -s'", true},
				{"cd lib && git checkout -q -B x && git commit -q --allow-empty -m two && cd .. && git add lib && git commit -q -m b", true},
				{"git -C lib config core.fsmonitor ./x", false}, {"git submodule update", false}, {"git -c protocol.file.allow=always submodule add ./lib lib2", false},
			} {
				if out, result := try(t, box, who+row.script); (result.Code == 0) != row.works {
					t.Errorf("%s: %d %s, want that it works: %v", row.script, result.Code, out, row.works)
				}
			}
		})
	}
}

// TestAPartOfARepository: where the workspace is a part of a repository, or a submodule, git works; the rest of the repository can be read, not
// written, and its secrets cannot be read.
func TestAPartOfARepository(t *testing.T) {
	if notInstalled("git") != "" {
		t.Skip("git is not installed")
	}
	const who = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
	rows := map[string][]struct {
		script string
		works  bool
	}{
		"whole/packages/app": {
			{`test -z "$(git status --short)"`, true}, {"echo 1 > f && git add -A && git commit -qm two && git show --stat --format= | grep -q 'f | 1'", true},
			{"git stash -q; git checkout -q -b x && git gc -q", true}, {"cat ../lib/code", true}, {"cat ../lib/.env", false}, {"echo x > ../lib/code", false},
			{"mv ../lib ../lib2", false}, {"echo x > ../../new", false}, {"echo x > ../../.git/hooks/pre-commit", false}, {"echo x >> ../../.git/config", false}, {"mv ../../.git ../../git2", false},
			{"mv ../../.git/hooks ../../.git/h", false}, {"echo x >> ../../.vscode/tasks.json", false}, {"cat ../../../outside", false},
		},
		"whole/lib": {
			{"echo 1 > f && git add f && git commit -qm two", true}, {"git checkout -q -b x && git status --short", true}, {"git config core.fsmonitor ./x", false},
			{"echo x > ../.git/modules/lib/hooks/pre-commit", false},
		},
	}
	for _, backend := range masking(t) {
		for dir, scripts := range rows {
			t.Run(backend.String()+" "+dir, func(t *testing.T) {
				root, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				for name, text := range map[string]string{"whole/packages/app/a": "1", "whole/packages/lib/code": "2", "whole/.vscode/tasks.json": "{}", "outside": "3", "lib/l": "4", "whole/.gitignore": ".env\n"} {
					writeFile(t, filepath.Join(root, name), text)
				}
				for _, top := range []string{"lib", "whole"} {
					git(t, filepath.Join(root, top), "init", "-q")
					git(t, filepath.Join(root, top), "add", ".")
					git(t, filepath.Join(root, top), "commit", "-qm", "one")
				}
				git(t, filepath.Join(root, "whole"), "-c", "protocol.file.allow=always", "submodule", "add", "-q", root+"/lib", "lib")
				git(t, filepath.Join(root, "whole"), "commit", "-qm", "lib")
				writeFile(t, filepath.Join(root, "whole/packages/lib/.env"), "KEY="+secretText)
				box := onBackend(t, Policy{Workspace: filepath.Join(root, dir)}, backend)
				if out, result := try(t, onBackend(t, Policy{Workspace: filepath.Join(root, dir), Hidden: []string{filepath.Join(root, "whole")}}, backend), "cat ../lib/code || ls ../.git/HEAD"); result.Code == 0 {
					t.Errorf("from a place of rein's own the repository around it is seen: %s", out)
				}
				for _, row := range scripts {
					if out, result := try(t, box, who+row.script); (result.Code == 0) != row.works || strings.Contains(out, secretText) {
						t.Errorf("%s: %d %s, want that it works: %v", row.script, result.Code, out, row.works)
					}
				}
			})
		}
	}
}
