package git

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// object is the name of an object, which follows from what it holds, or the time of a commit.
var object = regexp.MustCompile(`\b[0-9a-f]{7,40}\b|\b20\d\d-\d\d-\d\d[T ][0-9:]+( ?[+-][0-9:]+)?`)

// TestHiddenFilesChangeNoAnswer compares the answers in two repositories that differ only in what their files of secrets hold, and
// held: whatever is asked, they are the same but for the names of commits.
func TestHiddenFilesChangeNoAnswer(t *testing.T) {
	const guess = "KEY=right-guess-1\n"
	answers := func(t *testing.T, value string) []string {
		g := repository(t)
		write(t, g.Dir, ".env", value+value)
		write(t, g.Dir, "sub/.env", value)
		git(t, g.Dir, "add", ".")
		git(t, g.Dir, "commit", "-q", "-m", "secrets")
		git(t, g.Dir, "rm", "-q", "--cached", "sub/.env")
		write(t, g.Dir, "copy.txt", guess) // what the model takes for the value: git would call it renamed
		git(t, g.Dir, "add", "copy.txt")
		git(t, g.Dir, "commit", "-q", "-m", "a guess")
		git(t, g.Dir, "rm", "-q", "--cached", ".env")
		write(t, g.Dir, "other.txt", guess+guess)
		git(t, g.Dir, "add", "other.txt")
		if err := os.Symlink("a.txt", filepath.Join(g.Dir, "x.env")); err != nil {
			t.Fatal(err)
		}
		blob := strings.TrimSpace(run(t, g.Dir, "rev-parse", "HEAD:.env"))
		var all []string
		for _, call := range [][]any{
			{"git_log", "search", "right-guess"}, {"git_log", "search", "right-guess", "path", "."}, {"git_log", "stat", true}, {"git_log", "full", true},
			{"git_status"}, {"git_diff", "staged", true}, {"git_diff", "rev", "HEAD"}, {"git_diff", "rev", "HEAD~1..HEAD"}, {"git_diff", "rev", "HEAD~2..HEAD", "stat", true},
			{"git_show"}, {"git_show", "rev", "HEAD~1"}, {"git_show", "stat", true}, {"git_show", "rev", blob}, {"git_show", "rev", "HEAD:.env", "path", "."},
			{"git_diff", "rev", blob}, {"git_diff", "rev", blob + ".." + blob[:20]}, {"git_diff", "rev", blob, "path", "copy.txt"}, {"git_log", "rev", blob},
			{"git_show", "rev", blob, "path", "a.txt", "file", true}, {"git_blame", "path", "copy.txt"}, {"git_blame", "path", "a.txt", "rev", blob},
			{"git_diff", "rev", "HEAD:sub..HEAD"}, {"git_log", "search", "KEY", "stat", true},
		} {
			text := g.call(t, call[0].(string), call[1:]...)
			all = append(all, strings.ReplaceAll(object.ReplaceAllString(text, "OBJECT"), blob, "BLOB"))
		}
		if text := g.call(t, "git_diff", "path", ".env", "rev", "HEAD"); !strings.Contains(text, "-KEY=") {
			t.Errorf("a file that the call names is not shown: %s", text)
		}
		return all
	}
	right, wrong := answers(t, guess), answers(t, "KEY=some-other-and-longer-value\n")
	for i, text := range right {
		if text != wrong[i] || strings.Contains(text, "-KEY=") || strings.Contains(text, "KEY=right-guess-1\nKEY") {
			t.Errorf("env-13 answer %d depends on a hidden value:\n%s\nbut else\n%s", i, text, wrong[i])
		}
	}
}

// TestALinkIsReadWhereItLeads: guards judge where a link leads; git knows the file that had its name.
func TestALinkIsReadWhereItLeads(t *testing.T) {
	g := repository(t)
	if err := os.Remove(filepath.Join(g.Dir, ".env")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(g.Dir, ".env")); err != nil {
		t.Fatal(err)
	}
	if text := g.call(t, "git_show", "path", ".env", "file", true); strings.Contains(text, "KEY") || !strings.Contains(text, "three") {
		t.Errorf("got %s", text)
	}
}
