package guards_test

import (
	"context"
	"testing"

	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

// TestWhatNoSandboxClosesIsAskedOnceInASession is env-19 of docs/maintainers/attacks.md: where programs can open files of secrets, what may open, measure or order them without naming
// them asks; what names other files does not.
func TestWhatNoSandboxClosesIsAskedOnceInASession(t *testing.T) {
	files := []string{".env", "sub/.netrc"}
	programs := guards.NewPrograms(guards.Here{})
	asks := func(files []string, command string, mode guard.Mode) bool {
		h := &guards.History{Programs: programs, Known: func(context.Context, string, []string) error { return nil }, Open: func(context.Context, string) []string { return files }}
		return h.Judge(t.Context(), guard.Case{Session: "s", Mode: mode, Root: "/w", Call: tool.Call{ID: "1", Name: "bash"}, Intent: tool.Intent{Command: command}}).Decision == guard.Ask
	}
	for command, want := range map[string]bool{
		"grep -rl T .": true, "grep -rc T . --exclude-dir=.git": true, "rg -uu T": true, "rg --hidden T": true, "rg T .config": true, "git grep --no-index T": true, "ls -la": true, "ls -t": true, "ls -S": true, "ls --full-time": true, "stat .env": true, "du -ab .": true,
		"find . -size +10c": true, "find . -newer a": true, "find . -type f -exec cat {} +": true, "find . -name '.e*' | xargs cat": true, "tar c .": true, "cp -r . ../x": true, "wc -c *": true, "cat *.md": true, "for f in .e*; do wc -c $f; done": true,
		"[ .env -nt a ]": true, "[ -s .env ]": true, "touch -r .env a": true, "wc --files0-from=a": true, "make": true, "python3 a.py": true, "unknown-program": true, "diff -r . ../x": true, "git add -A -f": true, "git stash -u": true,
		"awk 'BEGIN { while ((getline l < ARGV[1]) > 0) n++ }' a": true, "cat sub/.netrc": true, "git log -ST --oneline": false, // the history has a reason of its own
		"ls": false, "ls -a sub": false, "cat main.go": false, "grep -n T main.go": false, "rg T": false, "rg -n T src": false, "find . -name '*.go'": false, "head -n 3 a | sort | uniq -c": false, "wc -l main.go": false,
		"git status": false, "git log --oneline": false, "git commit -m x": false, "echo x > a": false, "mkdir -p a && rm a/b": false, "test -e .env": false, "cd sub && pwd": false, "timeout 5 cat a": false, "awk '{print $1}' a": false,
	} {
		if got := asks(files, command, guard.Supervised); got != want {
			t.Errorf("env-19 %s asks: %v, want %v", command, got, want)
		}
		if asks(files, command, guard.Full) {
			t.Errorf("%s asks in the mode full", command)
		}
	}
	for command, want := range map[string]bool{"rg T": true, "ls": false} {
		if got := asks([]string{"_netrc"}, command, guard.Supervised); got != want { // rg leaves out only what begins with a dot
			t.Errorf("%s with _netrc asks: %v, want %v", command, got, want)
		}
	}
	if asks(nil, "grep -rl T .", guard.Supervised) {
		t.Error("nothing is open, and yet it asks")
	}
}
