package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

const canary = "CANARY-7f3a outside the workspace"

// fixture makes a workspace beside a directory with a canary in it, which nothing may ever show or change.
type fixture struct {
	*Workspace
	t       *testing.T
	dir     string // of the workspace
	outside string
}

func newFixture(t *testing.T, extra ...string) *fixture {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, dir: filepath.Join(base, "ws"), outside: filepath.Join(base, "outside")}
	f.must(os.MkdirAll(f.dir, 0o755))
	f.must(os.MkdirAll(f.outside, 0o755))
	f.must(os.WriteFile(filepath.Join(f.outside, "secret"), []byte(canary), 0o644))
	f.Workspace, err = Open(f.dir, extra...)
	f.must(err)
	t.Cleanup(func() { f.Close() })
	return f
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// put writes a file below the workspace without the package under test.
func (f *fixture) put(name, text string) {
	f.t.Helper()
	full := filepath.Join(f.dir, name)
	f.must(os.MkdirAll(filepath.Dir(full), 0o755))
	f.must(os.WriteFile(full, []byte(text), 0o644))
}

func (f *fixture) link(target, name string) {
	f.t.Helper()
	full := filepath.Join(f.dir, name)
	f.must(os.MkdirAll(filepath.Dir(full), 0o755))
	f.must(os.Symlink(target, full))
}

// untouched fails the test when the outside is not as it was.
func (f *fixture) untouched() {
	f.t.Helper()
	entries, err := os.ReadDir(f.outside)
	f.must(err)
	if len(entries) != 1 {
		f.t.Errorf("outside now holds %v", entries)
	}
	text, err := os.ReadFile(filepath.Join(f.outside, "secret"))
	if err != nil || string(text) != canary {
		f.t.Errorf("the canary is %q, %v", text, err)
	}
}
