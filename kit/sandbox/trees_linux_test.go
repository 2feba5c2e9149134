package sandbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// walkLater walks as if the directories had not changed for a long time, and returns the files below dir and how many directories were read.
func walkLater(t *testing.T, x *Trees, dir string) (files string, reads int) {
	t.Helper()
	tree, reads := x.walk(context.Background(), dir, false, time.Now().Add(time.Hour))
	var all []string // files of secrets
	var collect func(*Tree, string)
	collect = func(tree *Tree, path string) {
		for _, e := range tree.Entries {
			if e.Secret != strings.HasSuffix(e.Name, ".pem") {
				t.Errorf("%s%s: secret is %v", path, e.Name, e.Secret)
			}
			if e.Secret {
				all = append(all, path+e.Name)
			}
			if e.Tree != nil {
				collect(e.Tree, path+e.Name+"/")
			}
		}
	}
	collect(tree, "")
	slices.Sort(all)
	return strings.Join(all, " "), reads
}

func writeAt(t *testing.T, dir, name string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestOnlyWhatChangedIsReadAgain: a second walk reads no directory whose names are as they were, and finds all that is new.
func TestOnlyWhatChangedIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	if !keepsTimes(dir) {
		t.Skip("the file system of temporary files is not one whose times count")
	}
	for _, name := range []string{"a/b/x.pem", "a/d/x.pem", "e/x.pem", "f/g/x.pem", "r/HEAD", "r/objects/00/1.pem"} {
		writeAt(t, dir, name)
	}
	x := &Trees{}
	if got, reads := walkLater(t, x, dir); reads != 8 || got != "a/b/x.pem a/d/x.pem e/x.pem f/g/x.pem" {
		t.Fatalf("the first walk read %d directories and found %q", reads, got)
	}
	for _, row := range []struct {
		what  string
		do    func() error
		reads int
		want  string
	}{
		{"nothing", func() error { return nil }, 0, "a/b/x.pem a/d/x.pem e/x.pem f/g/x.pem"},
		{"a file is written in place", func() error { return os.WriteFile(filepath.Join(dir, "e/x.pem"), []byte("new"), 0o600) }, 0, "a/b/x.pem a/d/x.pem e/x.pem f/g/x.pem"},
		{"a new one", func() error { return os.WriteFile(filepath.Join(dir, "e/y.pem"), nil, 0o600) }, 1, "a/b/x.pem a/d/x.pem e/x.pem e/y.pem f/g/x.pem"},
		{"its directory gets its old time back", func() error { return os.Chtimes(filepath.Join(dir, "e"), time.Unix(1e9, 0), time.Unix(1e9, 0)) }, 1, "a/b/x.pem a/d/x.pem e/x.pem e/y.pem f/g/x.pem"},
		{"a directory comes from elsewhere", func() error {
			outside := t.TempDir()
			writeAt(t, outside, "g/deep/z.pem")
			return os.Rename(filepath.Join(outside, "g"), filepath.Join(dir, "f/new"))
		}, 3, "a/b/x.pem a/d/x.pem e/x.pem e/y.pem f/g/x.pem f/new/deep/z.pem"},
		{"it moves", func() error { return os.Rename(filepath.Join(dir, "f/new/deep"), filepath.Join(dir, "a/deep")) }, 3, "a/b/x.pem a/d/x.pem a/deep/z.pem e/x.pem e/y.pem f/g/x.pem"},
		{"a link takes a place", func() error {
			return os.Symlink(filepath.Join(dir, "f"), filepath.Join(dir, "a/b/link"))
		}, 1, "a/b/x.pem a/d/x.pem a/deep/z.pem e/x.pem e/y.pem f/g/x.pem"},
		{"one is removed", func() error { return os.RemoveAll(filepath.Join(dir, "a/b")) }, 1, "a/d/x.pem a/deep/z.pem e/x.pem e/y.pem f/g/x.pem"},
	} {
		if err := row.do(); err != nil {
			t.Fatal(err)
		}
		if got, reads := walkLater(t, x, dir); reads != row.reads || got != row.want {
			t.Errorf("%s: read %d directories and found %q, want %d and %q", row.what, reads, got, row.reads, row.want)
		}
	}
	if _, reads := x.walk(context.Background(), dir, true, time.Now()); reads == 0 {
		t.Error("directories that changed just now were not read again")
	}
}

// TestTheNextSessionReadsOnlyWhatChanged: what is kept of a large tree is used only for directories that are as they were.
func TestTheNextSessionReadsOnlyWhatChanged(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if !keepsTimes(dir) {
		t.Skip("the file system of temporary files is not one whose times count")
	}
	for i := range leastKept {
		writeAt(t, dir, "d/"+strconv.Itoa(i)+"/x.pem")
	}
	first := &Trees{Kept: state}
	want, reads := walkLater(t, first, dir)
	if reads != leastKept+2 {
		t.Fatalf("the first session read %d directories", reads)
	}
	first.Keep()
	name := first.keptAs(dir)
	kept, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, reads := walkLater(t, &Trees{Kept: state}, dir); reads != 0 || got != want {
		t.Errorf("the next session read %d directories and found %q", reads, got)
	}
	writeAt(t, dir, "d/9/y.pem")
	if got, reads := walkLater(t, &Trees{Kept: state}, dir); reads != 1 || got != strings.Replace(want, "d/9/x.pem", "d/9/x.pem d/9/y.pem", 1) {
		t.Errorf("the next session read %d directories and found %q", reads, got)
	}
	for _, at := range []int{0, 20, len(kept) - 20} { // another version kept it, a damaged file
		bad := slices.Clone(kept)
		bad[at] ^= 1
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, reads := walkLater(t, &Trees{Kept: state}, dir); reads != leastKept+2 {
			t.Errorf("with byte %d changed: read %d directories", at, reads)
		}
	}
}

// TestWhatIsKeptIsBounded: what no session uses any more goes, and the oldest where all is too much.
func TestWhatIsKeptIsBounded(t *testing.T) {
	state := t.TempDir()
	x := &Trees{Kept: state}
	age := func(name string, days int, size int64) string {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		x.all, x.news = map[string]*Tree{}, map[string]bool{}
		tree := &Tree{State: folderState{Ctime: 1}}
		for i := range leastKept {
			tree.Entries = append(tree.Entries, Entry{Name: fmt.Sprintf("%03d", i), Type: os.ModeDir, Tree: &Tree{}})
		}
		x.all[dir], x.news[dir] = tree, true
		x.Keep()
		if n := x.load(dir).size(); n != leastKept+1 { // also those of which nothing is known are gone into
			t.Fatalf("%d directories are kept", n)
		}
		kept, when := x.keptAs(dir), time.Now().AddDate(0, 0, -days)
		if err := os.Truncate(kept, size); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(kept, when, when); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	const part = allKept / 2 // sparse
	used, old, large, largest := age("used", 1, 4096), age("old", 31, 4096), age("large", 3, part), age("largest", 2, part)
	x.Keep()
	for dir, want := range map[string]bool{used: true, old: false, large: false, largest: true} {
		if got := exists(x.keptAs(dir)); got != want {
			t.Errorf("%s: kept is %v, want %v", filepath.Base(dir), got, want)
		}
	}
}

// TestTheIndexOfAKnownTree: an index that begins with what a walk knew, however old that is, finds what one that reads everything finds.
func TestTheIndexOfAKnownTree(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	names := []string{"a", "b", "node_modules", ".env", ".git", ".vscode", "AGENTS.md", "HEAD", "objects", "refs"}
	r := rand.New(rand.NewPCG(3, 4))
	path := func() string {
		p := top
		for range 1 + r.IntN(5) {
			p = filepath.Join(p, names[r.IntN(len(names))])
		}
		return p
	}
	x := &Trees{}
	writeAt(t, top, "a/b/x")
	x.walk(context.Background(), top, false, time.Now().Add(time.Hour))
	for _, dir := range []string{"", "a", "a/b"} {
		info, err := os.Lstat(filepath.Join(top, dir))
		if tree := x.known(top, 0); err != nil || dir == "" && !tree.is(info) || dir == "a" && !tree.child("a").is(info) || dir == "a/b" && !tree.child("a").child("b").is(info) {
			t.Fatalf("%q is not known: %v", dir, err)
		}
	}
	for i := range 1500 {
		one, other := path(), path()
		switch r.IntN(6) {
		case 0, 1, 2:
			_ = os.MkdirAll(one, 0o755)
		case 3:
			_ = os.WriteFile(one, nil, 0o644)
		case 4:
			_ = os.Rename(one, other)
		case 5:
			_ = os.RemoveAll(one)
		}
		if i%7 == 0 { // as if it were long ago; inodes are used again, times are not
			x.walk(context.Background(), top, i%2 == 0, time.Now().Add(time.Hour))
			time.Sleep(10 * time.Millisecond) // the times of later changes are others
		}
		if i%5 != 0 {
			continue
		}
		known, whole := newIndex([]string{top}, x), newIndex([]string{top}, nil)
		got, kinds := known.update()
		want, wantKinds := whole.update()
		known.Close()
		whole.Close()
		if !slices.Equal(got, want) || !slices.Equal(kinds, wantKinds) {
			t.Fatalf("after change %d: got %q, want %q", i, got, want)
		}
	}
}

// TestViewsShareAnIndex: a program that may write nothing has the index of the session, and one that may open more has its own.
func TestViewsShareAnIndex(t *testing.T) {
	dir, more := t.TempDir(), t.TempDir()
	p, err := (Policy{Workspace: dir}).inner()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Index.Close()
	for _, row := range []struct {
		name  string
		spec  Spec
		share bool
	}{
		{"any", Spec{}, true},
		{"read only", Spec{ReadOnly: true}, true},
		{"more opened", Spec{Opened: Opened{Write: []string{more}}}, false},
	} {
		own, _, err := p.For(row.spec)
		if err != nil {
			t.Fatal(err)
		}
		own.Own, err = newPrivate(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := newView(own)
		if err != nil {
			t.Fatal(err)
		}
		if v.Close(); v.shared != row.share || (v.index == p.Index) != row.share || p.Index.ended {
			t.Errorf("%s: shared is %v", row.name, v.shared)
		}
	}
}
