package endtoend_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const cloneScript = `
turns:
- calls: [{name: write_file, args: {path: new.txt, content: by the model}}]
- text: First done.
- calls: [{name: bash, args: {command: "cat new.txt a.txt; git log --oneline | wc -l"}}]
- text: Second done.
- calls: [{name: bash, args: {command: "echo again; cat new.txt a.txt"}}]
- text: Third done.
`

// A host clones the repository of a session. When its machine is lost with all its files, another one goes on after a move, with what was changed.
// The directory is gone when the session is closed.
func TestAMachineWithClonesIsLost(t *testing.T) {
	p := newPrograms(t)
	p.file("home/.config/rein/settings.json", `{"permissions": {"allow": ["bash"]}}`)
	repo := filepath.Dir(p.file("repo/a.txt", "from the repository\n"))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = repo, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	clones := filepath.Join(p.root, "clones")
	p.run("rein-temporal", "worker", "--models").says("working on", 1)
	worker := func() *started {
		w := p.run("rein-temporal", "worker", "--host", "pool", "--clones", clones, "--clone-from", "file")
		w.says("working on", 1)
		return w
	}
	start := func(text string) *started {
		return p.run("rein-temporal", "start", "--id", "s1", "--host", "pool", "--clone", "file://"+repo, "--model", "script/"+p.file("script.yaml", cloneScript), text)
	}
	first := worker()
	start("go").ends(0, "First done.")
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait()
	if err := os.RemoveAll(clones); err != nil {
		t.Fatal(err)
	}
	worker()
	second := start("look")
	c := p.client()
	p.soon(func() bool {
		s, err := c.State(t.Context(), "s1")
		return err == nil && len(s.Messages) > 0
	})
	p.run("rein-temporal", "move", "s1", "pool").ends(0, "continues on pool")
	second.ends(0, "Second done.")
	journal, err := os.ReadFile(filepath.Join(p.root, "home/.local/state/rein-temporal/sessions/s1/journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`by the modelfrom the repository\n1\n`, "The workspace was made again on another one"} {
		if !strings.Contains(string(journal), text) {
			t.Errorf("the journal has no %q:\n%s", text, journal)
		}
	}
	p.run("rein-temporal", "close", "s1").ends(0, "")
	p.soon(func() bool {
		_, err := os.Stat(filepath.Join(clones, "s1"))
		return os.IsNotExist(err)
	})
	start("again").ends(0, "Third done.") // a session that was closed goes on in the workspace as it was
	if journal, err = os.ReadFile(filepath.Join(p.root, "home/.local/state/rein-temporal/sessions/s1/journal.jsonl")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(journal), `again\nby the modelfrom the repository\n`) {
		t.Errorf("the workspace is another one:\n%s", journal)
	}
}
