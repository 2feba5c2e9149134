package harness

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
)

// TestSecretsOfTheHistoryAreMasked: a file of secrets that was removed from a repository is in its history, and stays hidden in what
// programs print of that.
func TestSecretsOfTheHistoryAreMasked(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	const value = "gone-S3cret-0f-old"
	dir := t.TempDir()
	setUp := exec.Command("sh", "-ec", `git init -q; git config user.name t; git config user.email t@t.test
		mkdir a; echo DB_PASSWORD=`+value+` > a/.env; echo one > x; git add -f .; git commit -qm one; git rm -rqf a; git commit -qm two
		echo DB_PASSWORD=`+value+` > .env.old; git stash -q -u`)
	setUp.Dir, setUp.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := setUp.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	for name, o := range map[string]Options{"none": {Terms: event.Terms{Sandbox: "off"}}, "namespaces": {Backend: "namespaces"}, "bubblewrap": {Backend: "bubblewrap"}, "landlock": {Backend: "landlock"}} {
		o.Dir, o.Mode, o.Person = dir, "full", &approveAll{}
		s := startCalls(t, o)
		if _, err := s.box.Backend(t.Context()); err != nil {
			t.Logf("%s: not tested here: %v", name, err)
			continue
		}
		known(t, s)
		for i, command := range []string{
			"git log -p --all", "git show HEAD~1", "git stash show -p --include-untracked stash@{0}", "git diff HEAD~1 HEAD", "git format-patch --stdout -1", "git log -p --all | rev",
			"git rev-list --all --objects | cut -d' ' -f1 | git cat-file --batch", "git archive HEAD~1 | tr -d '\\000'", "git log -p --all | base64", "git -c core.pager=cat log --patch --reverse",
		} {
			got := callText(t, s, string(rune('a'+i)), "bash", `{"command":`+string(quoted(command))+`}`)
			if strings.Contains(got, value) || len(got) < 20 {
				t.Errorf("env-12 the history of git, %s: %s shows %s", name, command, got)
			}
		}
	}
}

// known waits until the history was searched.
func known(t *testing.T, s *Session) {
	t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err = s.secrets.History(t.Context(), nil); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// TestTheHistoryOfHiddenFilesAsksOnce: what may read the objects of git, with which a program shows what no program may open, asks once in
// a session; what a person refused is not shown.
func TestTheHistoryOfHiddenFilesAsksOnce(t *testing.T) {
	const canary = "c4nary-of-the-test-17"
	dir := repository(t, map[string]string{".env": "TOKEN=" + canary + "\n", "main.go": "package main\n"})
	if out, err := exec.Command("git", "-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "rm", "-q", ".env").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	put(t, filepath.Join(dir, "read.py"), "import glob, zlib\nfor f in glob.glob('.git/objects/??/*'):\n    print(' '.join(zlib.decompress(open(f, 'rb').read()).decode('latin1')))\n")
	var asked []string
	answer := guard.Denied
	person := funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		asked = append(asked, r.Verdict.Reason)
		return guard.Answer{Choice: answer, By: guard.ByPerson("")}, nil
	})
	s := startCalls(t, Options{Dir: dir, Terms: event.Terms{Mode: "supervised"}, Person: person})
	for i, command := range []string{"git grep -h TOKEN HEAD | cut -c9-16", "git archive HEAD~0 | tar xO | tail -c 20", "git log -p | sed 's/./& /g'", "python3 read.py", "python3 -c 'import read'"} {
		before := len(asked)
		if got := callText(t, s, string(rune('a'+i)), "bash", `{"command":`+string(quoted(command))+`}`); len(asked) == before || strings.Contains(got, "c 4 n a r y") || strings.Contains(got, "c4nary") {
			t.Errorf("env-16 %s was not asked for: %s", command, got)
		}
	}
	if got := callText(t, s, "z", "bash", `{"command":"git status --short; git log --oneline"}`); len(asked) != 5 {
		t.Errorf("what shows no contents was asked for: %s, %q", got, asked)
	}
	answer = guard.Approved
	callText(t, s, "y", "bash", `{"command":"git log -p --stat"}`)
	before := len(asked)
	callText(t, s, "x", "bash", `{"command":"git log -p -1"}`)
	if len(asked) != before {
		t.Errorf("it was asked for twice: %q", asked[before:])
	}
}

// Where the secrets of the history are not known, what prints it asks, and nothing else does.
func TestAHistoryThatIsNotKnownAsks(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	person := &approveAll{}
	s := startCalls(t, Options{Dir: dir, Terms: event.Terms{Sandbox: "off", Mode: "full"}, Person: person})
	s.secrets.Git = func(context.Context, []byte, io.Writer, ...string) error { return errors.New("it does not answer") }
	for i, row := range []struct {
		command string
		asks    bool
	}{
		{"git log -p", true}, {"git show", true}, {"git stash show -p", true}, {"cd . && git diff HEAD~1", true}, {"git cat-file -p HEAD", true}, {"git -C . --no-pager show --stat -p", true},
		{"git own-alias", true}, {"git log -c -1", true}, {"git log --oneline -5", false}, {"git status --short", false}, {"git show --stat", false}, {"git diff --name-only", false},
		{"git -c color.ui=false log -n 3", false}, {"ls", false},
	} {
		before := len(person.shown)
		callText(t, s, string(rune('a'+i)), "bash", `{"command":`+string(quoted(row.command))+`}`)
		if asked := strings.Contains(strings.Join(person.shown[before:], "\n"), "secrets of files that are gone"); asked != row.asks {
			t.Errorf("%s: asked %v, shown %q", row.command, asked, person.shown[before:])
		}
	}
}
