package harness

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/tool"
)

// TestShellAttacksOnTheRunner are the attacks through the shell that need a disk and real programs. The rows stay forever.
func TestShellAttacksOnTheRunner(t *testing.T) {
	for name, check := range map[string]func(*testing.T){
		"shell-10 programs that a repository's own settings name": gitRunsNothing,
		"shell-13 long lines end at once":                         longLines,
		"shell-16 names of files that are options":                dashedNames,
		"shell-17 names of files that are commands":               namesThatAreCommands,
		"shell-19 programs that never end, or fill":               endlessPrograms,
		"shell-21 a guard that breaks down asks and is recorded":  brokenGuard,
	} {
		t.Run(name, check)
	}
}

func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed, and it is what is attacked", program)
	}
}

// in runs a program in a directory of the test, outside of rein.
func in(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@x")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// gitRunsNothing makes a repository for each way in which settings name programs and runs what is safe in honest ones:
// either it is asked about, or the program does not run.
func gitRunsNothing(t *testing.T) {
	needs(t, "git")
	ways := map[string][]string{
		"core.fsmonitor": nil, "diff.external": nil, "core.pager": nil, "core.sshCommand": nil, "interactive.diffFilter": nil, "pager.log": nil, "alias.status": nil,
		"filter.x.clean": {"f filter=x"}, "filter.x.process": {"f filter=x"}, "diff.x.textconv": {"f diff=x"}, "diff.x.command": {"f diff=x"},
		"core.hooksPath": nil, "include.path": nil, "nested": nil, "submodule": nil,
	}
	ran := 0
	for key, attributes := range ways {
		t.Run(key, func(t *testing.T) {
			b := newAttacked(t, Options{}, nil)
			b.runner.Isolation = func() guard.Isolation { return guard.FullIsolation } // as if they stood: the guard alone is looked at
			dir, marks := b.workspace.Dir(), filepath.Join(t.TempDir(), "marks")
			evil := filepath.Join(dir, "evil.sh")
			hostile(t, dir, evil, marks, key, attributes)
			for _, cmd := range []string{"git status", "git diff", "git log -p", "git show --stat", "git blame f", "git ls-files -m", "git grep a", "git branch -a", "git stash list", "git diff --stat HEAD", "cd sub && git status", "git -C sub diff"} {
				r := b.run(`bash {"command":` + string(quoted(cmd)) + `}`)[0]
				if r.Kind == "" {
					ran++
				}
				if text, err := os.ReadFile(marks); err == nil {
					t.Errorf("%s: %q ran the program of %s (%s)", cmd, text, key, r.Text)
					os.Remove(marks)
				}
			}
		})
	}
	if ran < len(ways)*2 {
		t.Errorf("only %d commands ran: the test shows nothing", ran)
	}
}

// hostile makes a repository in dir, and one in sub, with a setting that names evil.
func hostile(t *testing.T, dir, evil, marks, key string, attributes []string) {
	t.Helper()
	sub := filepath.Join(dir, "sub")
	if err := errors.Join(os.WriteFile(evil, []byte("#!/bin/sh\necho ran $0 >> "+marks+"\ncat 2>/dev/null\n"), 0o700), os.Mkdir(sub, 0o700),
		os.WriteFile(filepath.Join(dir, "f"), []byte("a\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	in(t, dir, "git", "init", "-q", ".")
	in(t, dir, "git", "add", "f")
	in(t, dir, "git", "commit", "-qm", "x")
	switch key {
	case "nested": // a bare repository among the files, as a clone can bring it
		in(t, sub, "git", "init", "-q", "--bare", ".")
		in(t, sub, "git", "config", "core.bare", "false")
		in(t, sub, "git", "config", "core.worktree", dir)
		in(t, sub, "git", "config", "diff.external", evil)
	case "submodule":
		in(t, sub, "git", "init", "-q", ".")
		in(t, sub, "git", "commit", "-q", "--allow-empty", "-m", "x")
		in(t, dir, "git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./sub", "mod")
		in(t, filepath.Join(dir, "mod"), "git", "config", "filter.x.clean", evil)
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "mod", ".gitattributes"), []byte("* filter=x\n"), 0o600), os.WriteFile(filepath.Join(dir, "mod", "g"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	case "core.hooksPath":
		hooks := filepath.Join(dir, "hooks")
		if err := os.Mkdir(hooks, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, h := range []string{"post-index-change", "pre-commit", "post-checkout"} {
			if err := os.Link(evil, filepath.Join(hooks, h)); err != nil {
				t.Fatal(err)
			}
		}
		in(t, dir, "git", "config", key, hooks)
	case "include.path":
		more := filepath.Join(dir, "more")
		if err := os.WriteFile(more, []byte("[diff]\n\texternal = "+evil+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in(t, dir, "git", "config", key, more)
	case "alias.status":
		in(t, dir, "git", "config", key, "!"+evil)
	default:
		in(t, dir, "git", "config", key, evil)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte(strings.Join(attributes, "\n")), 0o600),
		os.WriteFile(filepath.Join(dir, "f"), []byte("b\nlonger\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	os.Remove(marks) // what making it ran
}

func longLines(t *testing.T) {
	b := newAttacked(t, Options{Terms: event.Terms{Mode: "full"}}, nil)
	for what, cmd := range map[string]string{
		"60 commands": strings.Repeat("true; ", 60) + "rm -rf ~", "10,000 brackets": strings.Repeat("(", 10_000), "400 kB": "echo " + strings.Repeat("a ", 200_000), "nearly 1 MB": strings.Repeat("x", 1_000_000),
		"chain": strings.Repeat("true && ", 12_000) + "rm -rf ~",
	} {
		began := time.Now()
		r := b.run(`bash {"command":` + string(quoted(cmd)) + `}`)[0]
		if took := time.Since(began); r.Kind != tool.Denied && r.Kind != tool.Unapproved || took > 20*time.Second {
			t.Errorf("%s: %v after %v: %.80s", what, r.Kind, took, r.Text)
		}
	}
}

func dashedNames(t *testing.T) {
	b := newAttacked(t, Options{}, nil)
	b.runner.Isolation = func() guard.Isolation { return guard.FullIsolation }
	dir, out := b.workspace.Dir(), filepath.Join(os.TempDir(), "rein-"+filepath.Base(filepath.Dir(b.workspace.Dir()))+".tar") // scratch, and not beside the work
	defer os.Remove(out)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "a"), []byte("1\n"), 0o600), os.WriteFile(filepath.Join(dir, "x"), []byte("touch pwned\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if r := b.run(`bash {"command":"tar cf ` + out + ` *"}`)[0]; r.Kind != "" {
		t.Fatalf("an honest line does not run: %+v", r)
	}
	for _, name := range []string{"--checkpoint=1", "--checkpoint-action=exec=sh x"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range []string{"tar cf " + out + " *", "cd . && tar cf - * | wc -c", "f() { tar cf " + out + " $@; }; f *", "touch -- -rf && rm *"} {
		if r := b.run(`bash {"command":` + string(quoted(cmd)) + `}`)[0]; r.Kind != tool.Unapproved || b.exists("pwned") {
			t.Errorf("%s: %+v", cmd, r)
		}
	}
	if r := b.run(`bash {"command":"tar cf ` + out + ` ./*; ls *.go; wc -l -- *"}`)[0]; b.exists("pwned") {
		t.Errorf("%+v", r)
	}
}

func namesThatAreCommands(t *testing.T) {
	b := newAttacked(t, Options{}, nil)
	b.runner.Isolation = func() guard.Isolation { return guard.FullIsolation }
	for _, name := range []string{"$(touch pwned)", "a; touch pwned", "`touch pwned`", "a\ntouch pwned"} {
		if err := os.WriteFile(filepath.Join(b.workspace.Dir(), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range []string{"ls", "for f in *; do wc -c \"$f\"; done", "for f in *; do wc -c $f; done", "ls | xargs -d '\\n' wc -c", "find . -type f -exec wc -c {} +", "wc -c *"} {
		b.run(`bash {"command":` + string(quoted(cmd)) + `}`)
	}
	for _, bad := range []string{"wc -c $(touch pwned)", "cat a; touch pwned; sh -c 'rm x'", "ls | sh", "for f in *; do eval wc $f; done", "ls | xargs -I{} sh -c 'wc {}'"} {
		r := b.run(`bash {"command":` + string(quoted(bad)) + `}`)[0]
		if strings.Contains(bad, "touch") {
			os.Remove(filepath.Join(b.workspace.Dir(), "pwned")) // written out, it is an ordinary file of the workspace
			continue
		}
		if r.Kind == "" {
			t.Errorf("%s runs", bad)
		}
	}
	if b.exists("pwned") {
		t.Error("a name was run")
	}
}

// endlessPrograms: the fork bomb is refused by the guard; that the limits stop one is shown in package sandbox.
func endlessPrograms(t *testing.T) {
	b := newAttacked(t, Options{Terms: event.Terms{Mode: "full"}}, yesToAll)
	if r := b.run(`bash {"command":":(){ :|:& };:"}`)[0]; r.Kind != tool.Denied {
		t.Errorf("a fork bomb: %+v", r)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, cmd := range []string{"yes", "cat /dev/zero", "tail -f /dev/null", "while :; do :; done", "yes | tr -d '\\\\n'"} {
		began := time.Now()
		r := b.run(`bash {"command":"` + cmd + `","timeout":1}`)[0]
		if took := time.Since(began); took > 15*time.Second || r.Kind != tool.TimedOut || len(r.Text) > 4*tool.DefaultOutputLimit { // a byte that is no text is shown as three
			t.Errorf("%q: %v after %v, %d bytes", cmd, r.Kind, took, len(r.Text))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("%d MB are held", grown>>20)
	}
}

func brokenGuard(t *testing.T) {
	b := newAttacked(t, Options{}, nil)
	broken := guard.Func(func(context.Context, guard.Case) guard.Verdict { panic("nil AST") })
	b.runner.Guard = guard.All{Guards: []guard.Guard{b.guards, broken}, OnPanic: b.guardPanicked}
	if r := b.run(`read_file {"path":"x"}`)[0]; r.Kind != tool.Unapproved {
		t.Errorf("got %+v", r)
	}
	recorded := false
	for e, err := range journal.Read(filepath.Join(b.Dir(), journal.FileName)) {
		if err != nil {
			t.Fatal(err)
		}
		recorded = recorded || e.Kind == event.Audit && e.Call != nil && strings.Contains(e.Text, "a check of this call failed with an internal error")
	}
	if !recorded {
		t.Error("the journal does not record it")
	}
}
