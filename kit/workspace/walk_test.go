package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/lab/testkit"
)

func (f *fixture) walk(dir string, o WalkOptions) string {
	f.t.Helper()
	l, err := f.Walk(context.Background(), dir, o)
	f.must(err)
	var all []string
	for _, e := range l.Entries {
		p := e.Path
		if e.Type.IsDir() {
			p += "/"
		}
		all = append(all, p)
	}
	return strings.Join(all, " ")
}

func TestWalk(t *testing.T) {
	f := newFixture(t)
	f.put(".gitignore", "*.log\nbuild/\n/top\n")
	f.put(".git/info/exclude", "excluded\n")
	f.put(".git/config", "")
	f.put("a/.gitignore", "!keep.log\nlocal\n")
	f.put("a/.ignore", "local2\n")
	f.put("a/.reinignore", "!local2\nlocal3\n")
	for _, n := range []string{"x.log", "top", "a/top", "build/out", "a/build/out", "a/keep.log", "a/x.log", "a/local", "a/local2", "a/local3",
		"a/b/local", "a/b/f", "excluded", "a.go", "z/.hidden", tempPrefix + "abc"} {
		f.put(n, "")
	}
	f.link(f.outside, "z/out")
	testkit.Make(t, filepath.Join(f.dir, "z/pipe"))
	rows := []struct {
		rule, dir string
		options   WalkOptions
		want      string
	}{
		{"all rules, links not followed", ".", WalkOptions{}, ".gitignore a/ a/.gitignore a/.ignore a/.reinignore a/b/ a/b/f a/keep.log a/local2 a/top a.go z/ z/.hidden z/out z/pipe"},
		{"rules from above a start", "a", WalkOptions{}, ".gitignore .ignore .reinignore b/ b/f keep.log local2 top"},
		{"one level", ".", WalkOptions{Depth: 1}, ".gitignore a/ a.go z/"},
		{"a file", "a/b/f", WalkOptions{}, "f"},
		{"a start that is ignored is walked", "build", WalkOptions{}, "out"},
		{"without rules", "a", WalkOptions{NoIgnore: true}, ".gitignore .ignore .reinignore b/ b/f b/local build/ build/out keep.log local local2 local3 top x.log"},
		{"everything of one level", ".", WalkOptions{NoIgnore: true, Depth: 1}, ".git/ .gitignore a/ a.go build/ excluded top x.log z/"},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			for i := range 20 { // workers must not change the order
				f.trees[0].slow = i%2 == 1 // nor the way files are opened
				if got := f.walk(r.dir, r.options); got != r.want {
					t.Fatalf("got  %s\nwant %s", got, r.want)
				}
			}
		})
	}
	for _, dir := range []string{"z/out", "../outside", "missing"} {
		if _, err := f.Walk(context.Background(), dir, WalkOptions{}); err == nil {
			t.Errorf("%s was walked", dir)
		}
	}
}

func TestRulesOfTheRepositoryAboveCount(t *testing.T) {
	repository := t.TempDir()
	for name, text := range map[string]string{".git/HEAD": "", ".gitignore": "node_modules/\n/app/gen/\n*.log\n", "app/.gitignore": "!keep.log\n", "app/sub/x.go": "",
		"app/sub/node_modules/m.js": "", "app/sub/gen/y.go": "", "app/gen/z.go": "", "app/sub/a.log": "", "app/sub/keep.log": ""} {
		full := filepath.Join(repository, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for start, want := range map[string]string{"app/sub": "gen/ gen/y.go keep.log x.go", "app": ".gitignore sub/ sub/gen/ sub/gen/y.go sub/keep.log sub/x.go"} {
		w, err := Open(filepath.Join(repository, start))
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{Workspace: w, t: t}
		if got := f.walk(".", WalkOptions{}); got != want {
			t.Errorf("%s: got %s", start, got)
		}
		w.Close()
	}
}

func TestWalkIsBounded(t *testing.T) {
	f := newFixture(t)
	for i := range 50 {
		f.put(fmt.Sprintf("d%d/f", i), "")
	}
	l, err := f.Walk(context.Background(), ".", WalkOptions{MaxEntries: 20})
	if err != nil || !l.More || len(l.Entries) > 60 {
		t.Errorf("%d entries, more %v, %v", len(l.Entries), l.More, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Walk(ctx, ".", WalkOptions{}); err == nil {
		t.Error("a cancelled walk gave no error")
	}
}

// TestAWalkIsNoDeeperThanNames: what has a name that no tool opens is not walked.
func TestAWalkIsNoDeeperThanNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", 2*maxDepth)), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	l, err := w.Walk(t.Context(), ".", WalkOptions{})
	if err != nil || len(l.Entries) != maxDepth+1 || l.Unread != 1 {
		t.Errorf("%d entries, %d not read, %v", len(l.Entries), l.Unread, err)
	}
}

func TestReadOfAListing(t *testing.T) {
	f := newFixture(t)
	f.put("a/f", "hello")
	f.put("secret", "x")
	f.must(os.Chmod(filepath.Join(f.dir, "secret"), 0o600))
	f.must(os.Link(filepath.Join(f.dir, "secret"), filepath.Join(f.dir, "secret2")))
	f.link("a/f", "link")
	testkit.Make(t, filepath.Join(f.dir, "pipe"))
	l, err := f.Walk(context.Background(), ".", WalkOptions{})
	f.must(err)
	buf := make([]byte, 5)
	if n, whole, err := l.Read(Entry{Path: "a/f"}, buf); n != 5 || whole && n < 5 || err != nil {
		t.Errorf("read: %d %v %v", n, whole, err)
	}
	if n, whole, err := l.Read(Entry{Path: "a/f"}, make([]byte, 100)); n != 5 || !whole || err != nil {
		t.Errorf("read with room: %d %v %v", n, whole, err)
	}
	f.trees[0].slow = true
	if n, whole, err := l.Read(Entry{Path: "a/f"}, make([]byte, 100)); n != 5 || !whole || err != nil {
		t.Errorf("read without openat2: %d %v %v", n, whole, err)
	}
	f.trees[0].slow = false
	for _, p := range []string{"link", "pipe", "secret2", "a", "../outside/secret", "none"} {
		if n, _, err := l.Read(Entry{Path: p}, buf); err == nil {
			t.Errorf("%s gave %d bytes", p, n)
		}
		if file, err := l.Open(Entry{Path: p}); err == nil {
			file.Close()
			t.Errorf("%s was opened", p)
		}
	}
}

// tenThousand makes a tree of 10,000 small source files in 500 directories.
func tenThousand(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	text := strings.Repeat("func handle(w http.ResponseWriter, r *http.Request) error { return nil }\n", 60)
	for d := range 500 {
		sub := filepath.Join(dir, fmt.Sprintf("pkg%d", d/25), fmt.Sprintf("mod%d", d))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		for i := range 20 {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("file%d.go", i)), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.o\nnode_modules/\n/bin/\n*.test\n[56].out\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	return dir
}

func BenchmarkWalk10000(b *testing.B) {
	w, err := Open(tenThousand(b))
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for b.Loop() {
		if _, err := w.Walk(context.Background(), ".", WalkOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadSmallFile(b *testing.B) {
	dir := b.TempDir()
	w, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	if err := w.WriteFile("a/b/c/file", make([]byte, 1000)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := w.ReadFile("a/b/c/file"); err != nil {
			b.Fatal(err)
		}
	}
}
