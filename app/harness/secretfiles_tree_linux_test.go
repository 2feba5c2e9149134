package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rein/kit/sandbox"
	"rein/redact"
)

// searched makes a search and returns the values that it found.
func searched(t *testing.T, f *secretFinder) string {
	t.Helper()
	f.mu.Lock()
	f.begin()
	done := f.done
	f.mu.Unlock()
	<-done
	var values []string
	for _, file := range f.known {
		for _, v := range file.values {
			values = append(values, v.Text)
		}
	}
	slices.Sort(values)
	return strings.Join(slices.Compact(values), " ")
}

// TestASearchFindsWhatChanged: a search knows all that is there, whatever the one before it knew, also in a session that begins with what the last one kept.
func TestASearchFindsWhatChanged(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	for _, name := range []string{"a/b/c/x.go", "a/d/x.go", "e/x.go", "f/g/x.go", "h/secrets/one"} {
		write(t, filepath.Join(dir, name), "package x\n")
	}
	for i := range 200 { // so many are kept
		write(t, filepath.Join(dir, "many", strconv.Itoa(i), "x.go"), "package x\n")
	}
	write(t, filepath.Join(dir, "a/b/.env"), "API_KEY=first-value-1\n")
	session := func() *secretFinder {
		return &secretFinder{Dirs: []string{dir}, Mask: redact.New(nil), Trees: &sandbox.Trees{Kept: state}}
	}
	f := session()
	time.Sleep(2100 * time.Millisecond) // from now on the times of the directories count
	if got := searched(t, f); got != "first-value-1" {
		t.Fatalf("found %q", got)
	}
	for _, row := range []struct {
		what string
		do   func() error
		want string
	}{
		{"nothing", func() error { return nil }, "first-value-1"},
		{"a file of secrets is written in place", func() error {
			return os.WriteFile(filepath.Join(dir, "a/b/.env"), []byte("API_KEY=other-value-2\n"), 0o600)
		}, "other-value-2"},
		{"a new one", func() error {
			return os.WriteFile(filepath.Join(dir, "e/.env"), []byte("API_KEY=third-value-3\n"), 0o600)
		}, "other-value-2 third-value-3"},
		{"its directory gets its old time back", func() error {
			return os.Chtimes(filepath.Join(dir, "e"), time.Unix(1e9, 0), time.Unix(1e9, 0))
		}, "other-value-2 third-value-3"},
		{"a file becomes one of secrets", func() error { return os.Rename(filepath.Join(dir, "a/d/x.go"), filepath.Join(dir, "a/d/x.pem")) }, "other-value-2 third-value-3"},
		{"a directory comes from elsewhere", func() error {
			outside := t.TempDir()
			write(t, filepath.Join(outside, "g/deep/.env"), "API_KEY=moved-value-4\n")
			return os.Rename(filepath.Join(outside, "g"), filepath.Join(dir, "f/g/new"))
		}, "moved-value-4 other-value-2 third-value-3"},
		{"another directory takes a place", func() error {
			return os.Rename(filepath.Join(dir, "f/g/new/deep"), filepath.Join(dir, "h/secrets/deep"))
		}, "moved-value-4 other-value-2 third-value-3"},
		{"one is removed", func() error { return os.RemoveAll(filepath.Join(dir, "a/b")) }, "moved-value-4 third-value-3"},
	} {
		if err := row.do(); err != nil {
			t.Fatal(err)
		}
		next := session()
		for who, f := range map[string]*secretFinder{"this session": f, "the next": next} {
			if got := searched(t, f); got != row.want {
				t.Errorf("%s: %s found %q, want %q", row.what, who, got, row.want)
			}
		}
		if err := next.Close(); err != nil {
			t.Error(err)
		}
	}
	kept, err := os.ReadDir(state)
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept: %v, %v", kept, err)
	}
	text, err := os.ReadFile(filepath.Join(state, kept[0].Name()))
	if err != nil || strings.Contains(string(text), "-value-") {
		t.Errorf("kept: %q, %v", text, err)
	}
}
