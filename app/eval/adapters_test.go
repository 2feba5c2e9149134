package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Three instances of each format: the solutions that they hold pass, and a model that does nothing does not.
func TestAdapters(t *testing.T) {
	for _, dir := range []string{"swe", "terminal", "tau"} {
		t.Run(dir, func(t *testing.T) {
			cases, err := Read(filepath.Join("testdata", dir))
			if err != nil {
				t.Fatal(err)
			}
			if len(cases) != 3 {
				t.Errorf("%d cases", len(cases))
			}
			o := testOptions(t, cases)
			for _, a := range run(t, o).Attempts {
				if a.Status != Passed && a.Status != Skipped {
					t.Errorf("the solution of %s: %s: %s", a.Case, a.Status, a.Why())
				}
			}
			o.Model = quality(1, 0)
			for _, a := range run(t, o).Attempts {
				if a.Status != Failed && a.Status != Skipped {
					t.Errorf("nothing done for %s: %s: %s", a.Case, a.Status, a.Why())
				}
			}
		})
	}
}

// A repository is checked out at the commit, from a clone or a bundle; tests that the model changed are restored.
func TestSWEBenchWithHistory(t *testing.T) {
	dir := t.TempDir()
	script := `set -e
mkdir -p repos/a__b && cd repos/a__b && git init -q . && echo 'f() { echo 1; }' > f.sh
printf '. ./f.sh\ntest "$(f)" = 1\n' > test.sh
git add -A && git -c user.name=a -c user.email=a@b commit -qm one && git rev-parse HEAD > ../../base
echo later > later.txt && git add -A && git -c user.name=a -c user.email=a@b commit -qm two
sed -i.bak 's/= 1/= 2/' test.sh && git diff > ../../test.patch && git checkout -q test.sh`
	shell(t, dir, script)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	a := &Adapter{Test: "sh test.sh {test}"}
	c, err := a.sweCase(dir, "x", &sweInstance{ID: "a__b-1", Repo: "a/b", Base: strings.TrimSpace(read("base")), Problem: "f is 2", TestPatch: read("test.patch"), Fail: names{"f"},
		Patch: "--- a/f.sh\n+++ b/f.sh\n@@ -1 +1 @@\n-f() { echo 1; }\n+f() { echo 2; }\n"})
	if err != nil {
		t.Fatal(err)
	}
	shell(t, dir, "git -C repos/a__b bundle create -q ../c__d.bundle --all")
	c.Workspace.Setup = []string{"test ! -e later.txt", `test "$(git log --oneline --all | wc -l)" = 1`, "echo 'exit 0' > test.sh"} // as a model that spoils the tests
	other := *c
	other.Name, other.Workspace.Git = "bundle", &Git{"repos/c__d.bundle", c.Workspace.Git.Ref}
	for _, a := range run(t, testOptions(t, []*Case{c, &other})).Attempts {
		if a.Status != Passed {
			t.Errorf("%s: %s: %s", a.Case, a.Status, a.Why())
		}
	}
}

// What an image would install is said, and the task is skipped.
func TestTerminalTaskNeedsItsImage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"adapter.yaml": "format: terminal-bench\n", "a/task.yaml": "instruction: Use R.\n", "a/Dockerfile": "FROM x\nRUN apt-get install -y \\\n  r-base\n",
		"a/run-tests.sh": "exit 0\n", "a/tests/x": ""} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a := run(t, testOptions(t, cases)).Attempts[0]; a.Status != Skipped || !strings.Contains(a.Error, "apt-get install") {
		t.Errorf("%+v", a)
	}
	if err := os.WriteFile(filepath.Join(dir, "adapter.yaml"), []byte("format: other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "swe-bench, terminal-bench or tau-bench") {
		t.Errorf("another format: %v", err)
	}
}
