package harness

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rein/redact"
)

// searchLater searches as if the directories had not changed for a long time, and returns the values and how many directories were read.
func searchLater(t *testing.T, tree *secretTree, dir string) (values []string, reads int) {
	t.Helper()
	f := &secretFinder{Dirs: []string{dir}}
	s := newTreeSearch(context.Background(), f.secretsIn, time.Now().Add(time.Hour))
	s.visit(tree, dir, 0)
	s.collect(tree, dir)
	for _, file := range s.values {
		for _, v := range file {
			values = append(values, v.Text)
		}
	}
	slices.Sort(values)
	return slices.Compact(values), int(s.reads.Load())
}

// TestOnlyWhatChangedIsReadAgain: a second search reads no directory whose names are as they were, and finds all that is new.
func TestOnlyWhatChangedIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	if !keepsTimes(dir) {
		t.Skip("the file system of temporary files is not one whose times count")
	}
	for _, name := range []string{"a/b/c/x.go", "a/d/x.go", "e/x.go", "f/g/x.go", "h/secrets/one"} {
		write(t, filepath.Join(dir, name), "package x\n")
	}
	write(t, filepath.Join(dir, "a/b/.env"), "API_KEY=first-value-1\n")
	tree := &secretTree{}
	const all = 10 // with dir itself
	if got, reads := searchLater(t, tree, dir); reads != all || !slices.Equal(got, []string{"first-value-1"}) {
		t.Fatalf("the first search read %d directories and found %q", reads, got)
	}
	for _, row := range []struct {
		what  string
		do    func() error
		reads int
		want  string
	}{
		{"nothing", func() error { return nil }, 0, "first-value-1"},
		{"a file of secrets is written in place", func() error {
			return os.WriteFile(filepath.Join(dir, "a/b/.env"), []byte("API_KEY=other-value-2\n"), 0o600)
		}, 0, "other-value-2"},
		{"a new one", func() error {
			return os.WriteFile(filepath.Join(dir, "e/.env"), []byte("API_KEY=third-value-3\n"), 0o600)
		}, 1, "other-value-2 third-value-3"},
		{"its directory gets its old time back", func() error {
			return os.Chtimes(filepath.Join(dir, "e"), time.Unix(1e9, 0), time.Unix(1e9, 0))
		}, 1, "other-value-2 third-value-3"},
		{"a file becomes one of secrets", func() error { return os.Rename(filepath.Join(dir, "a/d/x.go"), filepath.Join(dir, "a/d/x.pem")) }, 1, "other-value-2 third-value-3"},
		{"a directory comes from elsewhere", func() error {
			outside := t.TempDir()
			write(t, filepath.Join(outside, "g/deep/.env"), "API_KEY=moved-value-4\n")
			return os.Rename(filepath.Join(outside, "g"), filepath.Join(dir, "f/g/new"))
		}, 3, "moved-value-4 other-value-2 third-value-3"},
		{"another directory takes a place", func() error {
			return os.Rename(filepath.Join(dir, "f/g/new/deep"), filepath.Join(dir, "h/secrets/deep"))
		}, 3, "moved-value-4 other-value-2 third-value-3"},
		{"one is removed", func() error { return os.RemoveAll(filepath.Join(dir, "a/b")) }, 1, "moved-value-4 third-value-3"},
	} {
		if err := row.do(); err != nil {
			t.Fatal(err)
		}
		got, reads := searchLater(t, tree, dir)
		if reads != row.reads || strings.Join(got, " ") != row.want {
			t.Errorf("%s: read %d directories and found %q, want %d and %q", row.what, reads, got, row.reads, row.want)
		}
	}
	f := &secretFinder{Dirs: []string{dir}}
	s := newTreeSearch(context.Background(), f.secretsIn, time.Now())
	if s.visit(tree, dir, 0); s.reads.Load() == 0 {
		t.Error("directories that changed just now were not read again")
	}
}

// TestTheNextSessionReadsOnlyWhatChanged: what is kept of a large tree has no secret, and is used only for directories that are as they were.
func TestTheNextSessionReadsOnlyWhatChanged(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if !keepsTimes(dir) {
		t.Skip("the file system of temporary files is not one whose times count")
	}
	for i := range leastKept {
		write(t, filepath.Join(dir, "d", strconv.Itoa(i), "x.go"), "package x\n")
	}
	write(t, filepath.Join(dir, "d/7/.env"), "API_KEY=first-value-1\n")
	session := func() *secretFinder { return &secretFinder{Dirs: []string{dir}, Mask: &redact.Filter{}, Kept: state} }
	first := session()
	tree := first.load(dir)
	if _, reads := searchLater(t, tree, dir); reads != leastKept+2 {
		t.Fatalf("the first session read %d directories", reads)
	}
	first.trees, first.news = map[string]*secretTree{dir: tree}, true
	first.keep()
	name, _ := first.keptAs(dir)
	kept, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(kept), "first-value") {
		t.Fatalf("kept as %q: %v", kept, err)
	}
	write(t, filepath.Join(dir, "d/7/.env"), "API_KEY=other-value-2\n")
	write(t, filepath.Join(dir, "d/9/.env"), "API_KEY=third-value-3\n")
	if got, reads := searchLater(t, session().load(dir), dir); reads != 1 || strings.Join(got, " ") != "other-value-2 third-value-3" {
		t.Errorf("the next session read %d directories and found %q", reads, got)
	}
	for _, at := range []int{0, 40, len(kept) - 20} { // another program kept it, a damaged file
		bad := slices.Clone(kept)
		bad[at] ^= 1
		write(t, name, string(bad))
		if got, reads := searchLater(t, session().load(dir), dir); reads != leastKept+2 || len(got) != 2 {
			t.Errorf("with byte %d changed: read %d directories and found %q", at, reads, got)
		}
	}
}
