package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAddedPlacesAreOpenUntilTheyAreRemoved(t *testing.T) {
	f := newFixture(t)
	f.must(os.WriteFile(filepath.Join(f.outside, "beside"), []byte("beside"), 0o644))
	file, dir := filepath.Join(f.outside, "beside"), filepath.Join(f.outside, "sub")
	f.must(os.MkdirAll(dir, 0o755))
	for _, row := range []struct {
		rule  string
		path  string
		write bool
		ops   map[string]bool // whether each is let through
	}{
		{"a directory to write", dir, true, map[string]bool{"write": true, "mkdir": true, "beside": false, "rename": true}},
		{"a directory to read", dir, false, map[string]bool{"list": true, "write": false, "mkdir": false, "remove": false, "rename": false, "beside": false}},
		{"one file", file, false, map[string]bool{"beside": true, "list": false, "write": false, "over": false}},
		{"one file is never written", file, true, map[string]bool{"beside": true, "over": false}},
	} {
		f.must(os.WriteFile(filepath.Join(dir, "old"), nil, 0o644))
		ops := map[string]func() error{
			"write":  func() error { return f.WriteFile(filepath.Join(dir, "new"), []byte("x")) },
			"mkdir":  func() error { return f.Mkdir(filepath.Join(dir, "a", "b")) },
			"remove": func() error { return f.Remove(filepath.Join(dir, "old")) },
			"rename": func() error { return f.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "older")) },
			"list":   func() error { _, err := f.ReadDir(dir, 0); return err },
			"beside": func() error { _, err := f.ReadFile(file); return err },
			"over":   func() error { return f.WriteFile(file, []byte("x")) },
		}
		remove, err := f.Add(row.path, row.write)
		f.must(err)
		for name, want := range row.ops {
			if err := ops[name](); (err == nil) != want {
				t.Errorf("%s: %s: %v", row.rule, name, err)
			}
		}
		remove()
		for name := range row.ops {
			if err := ops[name](); err == nil {
				t.Errorf("%s: %s works when it is over", row.rule, name)
			}
		}
	}
}

func TestAnAddedFileThatBecomesALinkIsNotFollowed(t *testing.T) {
	f := newFixture(t)
	file, other := filepath.Join(f.outside, "given"), filepath.Join(f.outside, "other")
	f.must(os.WriteFile(file, []byte("given"), 0o644))
	f.must(os.WriteFile(other, []byte(canary), 0o644))
	_, err := f.Add(file, false)
	f.must(err)
	f.must(os.Remove(file))
	f.must(os.Symlink("other", file))
	if text, err := f.ReadFile(file); err == nil {
		t.Errorf("read %q", text)
	}
}

func TestHintForAPathOutside(t *testing.T) {
	f := newFixture(t)
	f.Ask = "ask like this"
	_, err := f.ReadFile(filepath.Join(f.outside, "x"))
	e, ok := err.(*Error)
	if !ok || e.Kind != Outside || e.Hint != "Use a path inside "+f.Dir()+"; ask like this" {
		t.Errorf("%v", err)
	}
}
