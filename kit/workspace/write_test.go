package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/lab/testkit"
)

func TestWriteKeepsWhatAFileIs(t *testing.T) {
	f := newFixture(t)
	f.put("run.sh", "old")
	f.put("real/target", "old")
	f.put("twin", "old")
	f.link("real/target", "alias")
	f.must(os.Chmod(filepath.Join(f.dir, "run.sh"), 0o754|os.ModeSetgid))
	f.must(os.Link(filepath.Join(f.dir, "twin"), filepath.Join(f.dir, "twin2")))
	for _, n := range []string{"run.sh", "alias", "twin", "new/deep/file"} {
		f.must(f.WriteFile(n, []byte("new")))
		if got, err := f.ReadFile(n); err != nil || string(got) != "new" {
			t.Errorf("%s is %q, %v", n, got, err)
		}
	}
	if info, _ := os.Stat(filepath.Join(f.dir, "run.sh")); info.Mode() != 0o754|os.ModeSetgid {
		t.Errorf("mode is %v", info.Mode())
	}
	if info, _ := os.Lstat(filepath.Join(f.dir, "alias")); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if text, _ := os.ReadFile(filepath.Join(f.dir, "real/target")); string(text) != "new" {
		t.Errorf("the link's target is %q", text)
	}
	if text, _ := os.ReadFile(filepath.Join(f.dir, "twin2")); string(text) != "old" {
		t.Errorf("the other hard link is %q", text)
	}
	f.noLeftovers()
}

func TestDiscardedDraftLeavesNothing(t *testing.T) {
	f := newFixture(t)
	f.put("a", "old")
	s, err := f.locate("a", refuse)
	f.must(err)
	defer s.close()
	d, err := s.draft([]byte("new"))
	f.must(err)
	if d.name == "" {
		f.noLeftovers() // a crash here leaves nothing
	}
	d.discard()
	f.noLeftovers()
	if text, _ := os.ReadFile(filepath.Join(f.dir, "a")); string(text) != "old" {
		t.Errorf("the file is %q", text)
	}
}

// TestDraftsWithANameWorkToo takes the way of file systems that have no nameless files.
func TestDraftsWithANameWorkToo(t *testing.T) {
	f := newFixture(t)
	f.put("there", "old")
	for name, create := range map[string]bool{"there": false, "new": true} {
		s, err := f.locate(name, refuse)
		f.must(err)
		d := &draft{location: s, name: tempName()}
		d.file, err = s.dir.OpenFile(d.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		f.must(err)
		f.must(d.fill([]byte("new")))
		if create {
			f.must(d.create())
		} else {
			f.must(d.replace())
		}
		s.close()
		if text, _ := os.ReadFile(filepath.Join(f.dir, name)); string(text) != "new" {
			t.Errorf("%s is %q", name, text)
		}
	}
	f.noLeftovers()
}

// noLeftovers fails the test when a file that was being written is still there.
func (f *fixture) noLeftovers() {
	f.t.Helper()
	err := filepath.WalkDir(f.dir, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(path, tempPrefix) {
			f.t.Errorf("left behind: %s", path)
		}
		return err
	})
	f.must(err)
}

func TestStoreReplacesOnlyTheVersionItKnows(t *testing.T) {
	f := newFixture(t)
	f.put("a", "one")
	old, err := f.Load("a")
	f.must(err)
	if _, err := f.Store("a", []byte("two"), Sum{}); KindOf(err) != Exists {
		t.Errorf("over an existing file: %v", err)
	}
	f.put("a", "by hand")
	_, err = f.Store("a", []byte("two"), old.Sum)
	if KindOf(err) != Changed || !strings.Contains(err.Error(), SumOf([]byte("by hand")).String()) {
		t.Errorf("over a changed file: %v", err)
	}
	f.must(os.Remove(filepath.Join(f.dir, "a")))
	if _, err = f.Store("a", []byte("two"), old.Sum); KindOf(err) != Changed {
		t.Errorf("over a deleted file: %v", err)
	}
	name, err := f.Store("./a", []byte("two"), Sum{})
	if err != nil || name != "a" {
		t.Errorf("a new file: %q, %v", name, err)
	}
	if _, err = f.Store("a", []byte("three"), SumOf([]byte("two"))); err != nil {
		t.Errorf("over the known version: %v", err)
	}
	f.noLeftovers()
}

func TestSeen(t *testing.T) {
	f := newFixture(t)
	load := func() *Version {
		t.Helper()
		v, err := f.Load("a")
		f.must(err)
		return v
	}
	expect := func(rule string, some, all Kind) {
		t.Helper()
		v := load()
		if got := KindOf(f.SeenSome(v)); got != some {
			t.Errorf("%s: some is %q, want %q", rule, got, some)
		}
		if got := KindOf(f.SeenAll(v)); got != all {
			t.Errorf("%s: all is %q, want %q", rule, got, all)
		}
	}
	f.put("a", "")
	expect("an empty file", "", "")
	f.put("a", "0123456789")
	expect("never read", Unread, Unread)
	f.SawPart("a", load().Info, 5, 8)
	expect("a part", "", Unread)
	f.SawPart("a", load().Info, 0, 5)
	f.SawPart("a", load().Info, 8, 10)
	expect("parts that make the whole", "", "")
	f.put("a", "01234567890")
	expect("changed after parts", Changed, Changed)
	f.Saw(load())
	expect("whole", "", "")
	f.SawPart("a", load().Info, 3, 4)
	expect("a part after the whole", "", "")
	f.put("a", "0123456789x")
	expect("same size, other content", Changed, Changed)
	f.put("a", "01234567890")
	expect("touched, same content", "", "")
	f.Forget("a")
	expect("forgotten", Unread, Unread)
	_, err := f.Store("a", []byte("mine"), load().Sum)
	f.must(err)
	expect("written by this session", "", "")
	f.must(f.Rename("a", "b"))
	f.put("a", "mine")
	expect("moved away", Unread, Unread)
	f.must(f.Rename("b", "a"))
	expect("moved back", "", "")
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	f := newFixture(t)
	testkit.Make(t, filepath.Join(f.dir, "pipe"))
	f.must(os.Mkdir(filepath.Join(f.dir, "dir"), 0o755))
	for _, n := range []string{"pipe", "dir"} {
		if _, err := f.ReadFile(n); KindOf(err) != NotFile {
			t.Errorf("read %s: %v", n, err)
		}
		if err := f.WriteFile(n, nil); KindOf(err) != NotFile {
			t.Errorf("write %s: %v", n, err)
		}
	}
	f.put("x/file", "")
	if _, err := f.ReadFile("x/file/below"); KindOf(err) != NotDir {
		t.Errorf("below a file: %v", err)
	}
}

func TestHardLinkToAPrivateFile(t *testing.T) {
	f := newFixture(t)
	secret := filepath.Join(f.outside, "secret")
	f.must(os.Chmod(secret, 0o600))
	f.must(os.Link(secret, filepath.Join(f.dir, "x")))
	if text, err := f.ReadFile("x"); KindOf(err) != Denied {
		t.Errorf("a private file linked in: %q, %v", text, err)
	}
	f.must(f.WriteFile("x", []byte("mine now")))
	f.untouched()
	f.put("store/a", "package")
	f.must(os.Link(filepath.Join(f.dir, "store/a"), filepath.Join(f.dir, "store/b")))
	if _, err := f.ReadFile("store/b"); err != nil {
		t.Errorf("a file that all may read: %v", err)
	}
}

func TestRefusedWritesLeakNothing(t *testing.T) {
	f := newFixture(t)
	f.put("a/b/c/file", "x")
	count := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("counts open files through /proc, which this platform does not have")
		}
		return len(fds)
	}
	before := count()
	for range 200 {
		_, _ = f.Store("a/b/c/file", []byte("y"), Sum{1})
		_, _ = f.ReadFile("a/b/c/missing")
		_ = f.WriteFile("a/b/c", nil)
		_ = f.WriteFile("a/b/../../../outside/x", nil)
		_, _ = f.Resolve("a/b/none/x/y")
	}
	if after := count(); after > before+5 {
		t.Errorf("%d files were open, now %d", before, after)
	}
	f.noLeftovers()
}

func TestDeletedWorkspaceIsNamed(t *testing.T) {
	f := newFixture(t)
	f.put("a", "x")
	f.must(os.RemoveAll(f.dir))
	_, read := f.ReadFile("a")
	_, list := f.ReadDir(".", 0)
	write := f.WriteFile("d/b", nil)
	_, walk := f.Walk(t.Context(), ".", WalkOptions{})
	for op, err := range map[string]error{"read": read, "write": write, "list": list, "walk": walk} {
		if KindOf(err) != Gone {
			t.Errorf("%s: %v", op, err)
		}
	}
}

func TestMissingFileHasAHint(t *testing.T) {
	f := newFixture(t)
	f.put("src/handler.go", "")
	f.put("src/README.md", "")
	for asked, want := range map[string]string{"src/handlers.go": "handler.go", "src/readme.md": "README.md", "src/handler.py": "handler.go", "src/zzz": "List the directory",
		"scr/handler.go": "The directory scr does not exist. Similar names: src", "ws/src/handler.go": "leave out the first ws"} {
		_, err := f.ReadFile(asked)
		e, ok := err.(*Error)
		if !ok || e.Kind != NotFound || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %#v", asked, err)
		}
	}
}

func TestRenameAndRemoveActOnLinksThemselves(t *testing.T) {
	f := newFixture(t)
	f.put("keep/file", "x")
	f.link(f.outside, "out")
	f.link("keep", "in")
	f.must(f.Rename("out", "moved/out"))
	f.must(f.RemoveAll("moved"))
	f.must(f.RemoveAll("in"))
	if err := f.Rename("keep/file", "../outside/got"); KindOf(err) != Outside {
		t.Errorf("rename out: %v", err)
	}
	if err := f.RemoveAll(f.dir); err == nil {
		t.Error("the workspace itself was removed")
	}
	f.must(f.Rename("keep/file", "keep/sub/file2"))
	if text, err := f.ReadFile("keep/sub/file2"); err != nil || string(text) != "x" {
		t.Errorf("after rename: %q, %v", text, err)
	}
	f.untouched()
}
