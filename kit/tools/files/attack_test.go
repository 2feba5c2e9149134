package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rein/kit/places"
	"rein/lab/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pathCalls are all ways to hand a path to a tool.
func pathCalls(path string) map[string]string {
	return map[string]string{
		"read_file":  args("path", path),
		"write_file": args("path", path, "content", "owned"),
		"list_dir":   args("path", path, "depth", 3),
		"glob":       args("pattern", "**", "path", path),
		"grep":       args("pattern", "CANARY|root:|PATH=", "path", path),

		"edit_file":     args("path", path, "old_text", "CANARY", "new_text", "owned"),
		"insert":        args("path", path, "line", 0, "text", "owned"),
		"undo_edit":     args("path", path),
		"notebook_edit": args("path", path, "cell", 0, "source", "owned"),
		"apply_patch":   args("patch", "*** Begin Patch\n*** Add File: "+path+"\n+owned\n*** End Patch\n"),
	}
}

// TestHostilePaths lists attacks, one row each; every tool that takes a path refuses every one, at once, without
// showing or changing anything outside.
func TestHostilePaths(t *testing.T) {
	r := newRoom(t)
	r.put("a/b/x", "inside")
	outside := r.outside
	for name, target := range map[string]string{
		"dirlink": outside, "filelink": outside + "/secret", "rel": "../outside/secret", "reldir": "../outside", "a/up": "../../outside",
		"dangling": outside + "/planted", "dangling2": "../outside/planted", "environ": "/proc/self/environ", "rootlink": "/", "cwd": "/proc/self/cwd",
		"loop1": "loop2", "loop2": "loop1", "stdin": "/dev/stdin", "zero": "/dev/zero", "fd": "/proc/self/fd/0", "chain1": "chain2", "chain2": "filelink",
	} {
		r.must(os.Symlink(target, filepath.Join(r.dir, name)))
	}
	rows := []struct{ rule, path string }{
		{"climb out", "../outside/secret"}, {"climb far", "../../../../../../etc/passwd"}, {"climb from inside", "a/../../outside/secret"},
		{"climb past the depth", "a/b/../../../outside/secret"}, {"absolute", "/etc/passwd"}, {"absolute through the workspace", r.dir + "/../outside/secret"},
		{"a sibling with the same start", r.dir + "2/x"}, {"home", "~/.ssh/id_rsa"}, {"home itself", "~"}, {"URL", "file:///etc/passwd"}, {"long Windows path", `\\?\C:\x`},
		{"Windows path", `C:\x`}, {"NUL", "a/b/x\x00.txt"}, {"NUL hides a climb", "a\x00/../../outside/secret"}, {"empty element", ""},
		{"dot dot after a link", "dirlink/../outside/secret"}, {"link to a file", "filelink"}, {"relative link", "rel"}, {"link to a directory", "dirlink"},
		{"file behind a link", "dirlink/secret"}, {"new file behind a link", "dirlink/planted"}, {"relative link to a directory", "reldir/secret"}, {"link from below", "a/up/secret"},
		{"dangling link", "dangling"}, {"dangling relative link", "dangling2"}, {"link to proc", "environ"}, {"link to the root", "rootlink/etc/passwd"},
		{"link to the current directory", "cwd/../outside/secret"}, {"loop", "loop1"}, {"links to links", "chain1"}, {"link to stdin", "stdin"}, {"link to a device", "zero"}, {"link to a descriptor", "fd"},
		{"proc environ", "/proc/self/environ"}, {"proc root", "/proc/self/root" + outside + "/secret"}, {"proc cwd", "/proc/self/cwd/x"}, {"stdin", "/dev/stdin"},
		{"a path longer than any", strings.Repeat("a/", 5000)}, {"ten thousand elements", strings.Repeat("../", 10000) + "etc/passwd"}, {"a name longer than any", strings.Repeat("n", 256)},
		{"a megabyte", strings.Repeat("x", 1<<20)},
	}
	for _, row := range rows {
		for name, call := range pathCalls(row.path) {
			if _, optional := map[string]bool{"list_dir": true, "glob": true, "grep": true}[name]; optional && row.path == "" {
				continue // an empty path is the workspace there
			}
			start := time.Now()
			got := r.call(name, call)
			kind, _, _ := strings.Cut(got, ":")
			if refused := kind == "outside" || kind == "bad_arguments"; !refused && (name != "undo_edit" || kind == got) {
				t.Errorf("%s: %s answers %.200q", row.rule, name, got)
			}
			if strings.Contains(got, "CANARY") || strings.Contains(got, "root:") || strings.ContainsRune(got, 0) || len(got) > 2000 {
				t.Errorf("%s: %s shows %.200q", row.rule, name, got)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("%s: %s took %v", row.rule, name, d)
			}
		}
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside there is %v, %v", entries, err)
	}
	if text, _ := os.ReadFile(outside + "/secret"); string(text) != canary {
		t.Errorf("the canary is %q", text)
	}
}

// TestHostilePatterns tries patterns that are slow in other engines.
func TestHostilePatterns(t *testing.T) {
	r := newRoom(t)
	long := strings.Repeat("a", 200)
	r.put(strings.Repeat("a/", 50)+long, strings.Repeat("a", 50_000)+"\n"+strings.Repeat("aaaa bbbb\n", 10_000))
	rows := []struct{ rule, tool, args string }{
		{"nested repeats", "grep", args("pattern", `(a+)+$`)}, {"repeats of repeats", "grep", args("pattern", `(a*)*b`)}, {"many options", "grep", args("pattern", strings.Repeat("a?", 300)+strings.Repeat("a", 300))},
		{"counted repeats", "grep", args("pattern", `(a{500}b{500}){2}`)}, {"counted too far", "grep", args("pattern", `((a{1000}){1000}){1000}`)},
		{"a class on long lines", "grep", args("pattern", `[a-z]*[0-9]`)}, {"words", "grep", args("pattern", `\b\w+\b.*\b\d`)}, {"a megabyte", "grep", args("pattern", strings.Repeat("x", 1<<20))},
		{"many brackets", "grep", args("pattern", strings.Repeat("(", 9000))}, {"every letter of Unicode", "grep", args("pattern", `\pL+\pN+\x{10ffff}`)},
		{"braces", "glob", args("pattern", strings.Repeat("{a,aa}", 30)+"b")}, {"nested braces", "glob", args("pattern", strings.Repeat("{a,", 40)+"b"+strings.Repeat("}", 40))},
		{"stars", "glob", args("pattern", strings.Repeat("*a", 100)+"b")}, {"directories", "glob", args("pattern", strings.Repeat("**/a*/", 100)+"b")}, {"braces in grep", "grep", args("pattern", "a", "glob", strings.Repeat("{a,aa}", 30)+"b")},
		{"a class that does not end", "glob", args("pattern", "[a")}, {"a megabyte of stars", "glob", args("pattern", strings.Repeat("*", 1<<20))},
	}
	for _, row := range rows {
		start := time.Now()
		got := r.call(row.tool, row.args)
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%s took %v", row.rule, d)
		}
		if len(got) > 40_000 {
			t.Errorf("%s answers %d bytes", row.rule, len(got))
		}
	}
}

func TestSpecialFilesInside(t *testing.T) {
	r := newRoom(t)
	testkit.Make(t, filepath.Join(r.dir, "pipe"))
	r.must(os.Mkdir(filepath.Join(r.dir, "d"), 0o755))
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	r.must(err)
	defer syscall.Close(fd)
	t.Chdir(r.dir)
	r.must(syscall.Bind(fd, &syscall.SockaddrUnix{Name: "sock"}))
	start := time.Now()
	for _, path := range []string{"pipe", "sock", "d"} {
		for _, name := range []string{"read_file", "write_file"} {
			if got := r.call(name, pathCalls(path)[name]); !strings.HasPrefix(got, "unsupported: "+path+" is a ") {
				t.Errorf("%s %s: %q", name, path, got)
			}
		}
	}
	for name, want := range map[string]string{"grep": "no match in 0 files", "glob": "pipe\nsock\n", "list_dir": "d/\npipe  (not a regular file)\nsock  (not a regular file)\n"} {
		if got := r.call(name, pathCalls(".")[name]); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestAHardLinkToASecretIsNotRead(t *testing.T) {
	r := newRoom(t)
	secret := filepath.Join(r.outside, "secret")
	r.must(os.Chmod(secret, 0o600))
	r.must(os.Link(secret, filepath.Join(r.dir, "notes.txt")))
	if got := r.call("read_file", `{"path":"notes.txt"}`); !strings.HasPrefix(got, "denied: ") {
		t.Errorf("read_file: %q", got)
	}
	if got := r.call("grep", `{"pattern":"CANARY"}`); strings.Contains(got, "outside the workspace") {
		t.Errorf("grep: %q", got)
	}
}

func TestParentReplacedByALinkAfterJudgement(t *testing.T) {
	r := newRoom(t)
	name, err := r.files.Workspace.Resolve("new/dir/f") // what a guard judges
	if err != nil || name != "new/dir/f" {
		t.Fatal(name, err)
	}
	r.must(os.Symlink(r.outside, filepath.Join(r.dir, "new")))
	if got := r.call("write_file", `{"path":"new/dir/f","content":"owned"}`); !strings.HasPrefix(got, "outside: ") {
		t.Errorf("got %q", got)
	}
	if entries, _ := os.ReadDir(r.outside); len(entries) != 1 {
		t.Errorf("outside there is %v", entries)
	}
}

// TestProtectedNamesHaveOneSpelling checks that what a guard judges does not depend on how a path is spelt.
func TestProtectedNamesHaveOneSpelling(t *testing.T) {
	r := newRoom(t)
	r.put(".git/hooks/x", "")
	r.put("sub/x", "")
	r.must(os.Symlink(".git/hooks", filepath.Join(r.dir, "innocent")))
	where := places.Context{Workspaces: r.files.Workspace.Dirs()}
	for _, path := range []string{".git/hooks/pre-commit", ".git/./hooks/pre-commit", ".git//hooks/pre-commit", "sub/../.git/hooks/pre-commit",
		"./.git/hooks/../hooks/pre-commit", "innocent/pre-commit", r.dir + "/.git/hooks/pre-commit", ".GIT/hooks/pre-commit"} {
		name, err := r.files.Workspace.Resolve(path)
		if err != nil {
			t.Fatal(err)
		}
		if class := places.Classify(r.files.Workspace.Abs(name), where); class != places.Protected {
			t.Errorf("%s is %s, of class %v", path, name, class)
		}
	}
}

func TestAnAbsoluteLinkThatStaysInsideIsFollowed(t *testing.T) {
	r := newRoom(t)
	r.put("a", "inside\n")
	r.must(os.Symlink(filepath.Join(r.dir, "a"), filepath.Join(r.dir, "b")))
	if got := r.call("read_file", `{"path":"b"}`); got != "     1\tinside\n" {
		t.Errorf("got %q", got)
	}
}

// A workspace that was moved, perhaps as a copy to keep, is not read or changed where it is now, and neither is what took its place.
func TestAWorkspaceThatIsNotThereIsReported(t *testing.T) {
	for how, away := range map[string]func(r *room) error{
		"deleted": func(r *room) error { return os.RemoveAll(r.dir) },
		"moved":   func(r *room) error { return os.Rename(r.dir, r.dir+".bak") },
		"replaced": func(r *room) error {
			return errors.Join(os.Rename(r.dir, r.dir+".bak"), os.Mkdir(r.dir, 0o700), os.WriteFile(filepath.Join(r.dir, "a"), []byte("x"), 0o600))
		},
	} {
		t.Run(how, func(t *testing.T) {
			r := newRoom(t)
			r.put("a", "x")
			r.must(away(r))
			for name, call := range pathCalls("a") {
				if name == "undo_edit" {
					continue // it opens nothing: no change was made here
				}
				if got := r.call(name, call); !strings.Contains(got, "was deleted or moved") {
					t.Errorf("%s: %q", name, got)
				}
			}
		})
	}
}
