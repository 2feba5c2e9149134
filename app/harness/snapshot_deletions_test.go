package harness

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/undo"
)

// deletionRows are commands that delete: whether somebody is asked, by the settings.
var deletionRows = []struct {
	name, set, command string
	asks               bool
	gone               string // what a command that nobody is asked about deletes
}{
	{"a committed file", ``, `rm a.txt`, false, "a.txt"},
	{"a file that is not committed", ``, `rm new.txt`, false, "new.txt"},
	{"a directory", ``, `rm -rf sub`, false, "sub"},
	{"by a wildcard", ``, `rm *.txt`, false, "new.txt"},
	{"what find finds by its name", ``, `find . -name __pycache__ -exec rm -rf {} +`, false, "sub/__pycache__"},
	{"what find deletes", ``, `find . -name '*.txt' -delete`, false, "new.txt"},
	{"a target that cleans", ``, `make clean`, false, "made"},
	{"changes that git throws away", ``, `git checkout -- b.md`, false, ""},
	{"a file of the session's /tmp", ``, `touch /tmp/x && rm /tmp/x`, false, ""},
	{"a listing above", ``, `ls ..`, false, ""},
	{"what git packs", ``, `git gc -q`, false, ".git/objects/info/commit-graph.lock"},

	{"the whole workspace", ``, `rm -rf *`, true, ""},
	{"all files of the workspace", ``, `rm *`, true, ""},
	{"a directory that is not kept", ``, `rm -rf build`, true, ""},
	{"a file that is too large", `{"undo":{"maxFile":10}}`, `rm large`, true, ""},
	{"more files than the limit", `{"undo":{"deletions":2}}`, `rm -rf sub`, true, ""},
	{"where the settings want it", `{"undo":{"deletions":-1}}`, `rm a.txt`, true, ""},
	{"without undo", `{"undo":{"off":true}}`, `rm a.txt`, true, ""},
	{"untracked files", ``, `git clean -fdx`, true, ""},
	{"a file of secrets", ``, `rm .env`, true, ""},
	{"with something else", ``, `rm a.txt && curl http://example.com`, true, ""},
	{"a path that is not known", ``, `rm -rf "$(cat where)"`, true, ""},
}

// TestADeletionThatCanBeUndoneDoesNotAsk: where the snapshot keeps all that a command deletes, it runs, its result says so, and an undo brings it
// back; everything else asks.
func TestADeletionThatCanBeUndoneDoesNotAsk(t *testing.T) {
	for _, row := range deletionRows {
		t.Run(row.name, func(t *testing.T) {
			t.Setenv("REIN_HOME", t.TempDir())
			home := effectHome(t)
			dir := filepath.Join(home, "project")
			for name, text := range map[string]string{"b.md": "b\n", "new.txt": "x\n", "sub/one": "1", "sub/two": "2", "sub/__pycache__/x": "3", "build/x": strings.Repeat("x", 100<<10), ".gitignore": "build\n", "large": strings.Repeat("x", 100),
				"Makefile": "clean:\n\trm -f made\n", "made": "", "where": "sub\n"} {
				put(t, filepath.Join(dir, name), text)
			}
			if out, err := exec.Command("git", "-C", dir, "add", "b.md").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if out, err := exec.Command("git", "-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "b", "--", "a.txt", "b.md").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			put(t, filepath.Join(dir, "b.md"), "changed\n")
			if row.set != "" {
				put(t, filepath.Join(settings.DefaultDirs().Config, "settings.json"), row.set)
			}
			asked := false
			s := startCalls(t, Options{Dir: dir, Terms: event.Terms{Sandbox: "auto"}, Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
				asked = true
				return r.Claim(guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")})
			})})
			defer s.Close(context.Background())
			needsIsolation(t, s)
			args, _ := json.Marshal(map[string]string{"command": row.command})
			result := callText(t, s, "1", "bash", string(args))
			_, err := os.Lstat(filepath.Join(dir, row.gone))
			if asked != row.asks || row.gone != "" && err == nil {
				t.Fatalf("asked: %v, gone: %v, result: %s", asked, err != nil, result)
			}
			if said := strings.Contains(result, "no list of what is there"); said != (row.command == "ls ..") {
				t.Errorf("what the sandbox shows of a directory above: %s", result)
			}
			if row.gone == "" || row.gone == "made" {
				return
			}
			if packs := strings.HasPrefix(row.gone, ".git"); packs {
				if strings.Contains(result, "can be undone") {
					t.Errorf("the result says so: %s", result)
				}
				return
			}
			if !strings.Contains(result, "can be undone") {
				t.Errorf("the result does not say so: %s", result)
			}
			files, err := s.FileHistory()
			if err != nil {
				t.Fatal(err)
			}
			plan, err := files.Plan(t.Context(), undo.Selection{Last: 1})
			if err == nil {
				_, err = files.Undo(t.Context(), plan, nil)
			}
			if _, there := os.Lstat(filepath.Join(dir, row.gone)); err != nil || there != nil {
				t.Errorf("undone: %v, %v", err, there)
			}
		})
	}
}
