package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rein/lab/testkit"
)

// TestAttacks are the known attacks by path, one row each; more spellings of each are in TestNamesThatLeadOutside. The
// rows stay forever. docs/maintainers/attacks.md lists the others.
func TestAttacks(t *testing.T) {
	for _, row := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"path-01 climbing", outsideAll("../outside/secret", "../../../../../../etc/passwd", "a/../../outside/secret", "a/b/../../../outside/secret")},
		{"path-02 absolute and expanded names", func(t *testing.T) {
			outsideAll("/etc/passwd", "~/.ssh/id_rsa", "file:///etc/passwd", `\\?\C:\x`, `C:\x`)(t)
			literal("~root", "$HOME", "${HOME}", "%2e%2e", "~user")(t)
		}},
		{"path-03 hidden letters", func(t *testing.T) {
			literal("a\nb", "a\rb", "x\u202egnp.exe", "zero\u200bwidth", "cafe\u0301", "caf\u00e9", "．．／x")(t)
			outsideAll("a\x00b", "a/x\x00/../../outside/secret")(t)
		}},
		{"path-04 dot dot after a link", outsideAll("dirlink/../outside/secret", "dirlink/../secret")},
		{"path-05 links of all kinds", outsideAll("filelink", "dirlink/secret", "dirlink/new", "dangling", "dangling2", "chain30", "chain39", "loop1")},
		{"path-06 an absolute link that stays inside", insideLink},
		{"path-10 a hard link to a secret", TestHardLinkToAPrivateFile},
		{"path-11 pipes, sockets and devices", specialFiles},
		{"path-12 proc", outsideAll("/proc/self/environ", "/proc/self/root/etc/passwd", "/proc/self/cwd/../outside/secret", "/proc/self/fd/0", "/dev/stdin", "environ")},
		{"path-15 a parent that becomes a link later", laterLink},
		{"path-16 names without end", outsideAll(strings.Repeat("a/", 3000)+"x", strings.Repeat("../", 10_000), strings.Repeat("n", 300), strings.Repeat("x", 1<<20))},
	} {
		t.Run(row.name, row.check)
	}
}

// trapped is a workspace with links of all kinds that lead out.
func trapped(t *testing.T) *fixture {
	f := newFixture(t)
	f.put("a/b/x", "inside")
	for name, target := range map[string]string{
		"dirlink": f.outside, "filelink": filepath.Join(f.outside, "secret"), "dangling": filepath.Join(f.outside, "new"), "dangling2": "../outside/new2",
		"environ": "/proc/self/environ", "loop1": "loop2", "loop2": "loop1", "chain00": "filelink",
	} {
		f.link(target, name)
	}
	for i := range 39 {
		f.link(linkName(i), linkName(i+1))
	}
	return f
}

// outsideAll checks that nothing that takes a name goes outside with one of these, shows the canary, or takes long.
func outsideAll(names ...string) func(*testing.T) {
	return func(t *testing.T) {
		f := trapped(t)
		for _, name := range names {
			for op, try := range f.operations() {
				start := time.Now()
				shown, err := try(name)
				var e *Error
				if !errors.As(err, &e) || strings.Contains(shown+err.Error(), "CANARY") || strings.ContainsRune(err.Error(), 0) || len(err.Error()) > 2000 {
					t.Errorf("%s %.60q: %.200q, %.200v", op, name, shown, err)
				}
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("%s %.60q took %v", op, name, took)
				}
			}
		}
		f.untouched()
	}
}

// literal checks that these are ordinary names.
func literal(names ...string) func(*testing.T) {
	return func(t *testing.T) {
		f := newFixture(t)
		for _, n := range names {
			f.must(f.WriteFile(n, []byte(n)))
		}
		for _, n := range names {
			if got, err := f.ReadFile(n); err != nil || string(got) != n {
				t.Errorf("%q reads %q, %v", n, got, err)
			}
		}
		f.untouched()
	}
}

// insideLink pins what we decided: it is followed, as the kernel would, but never out.
func insideLink(t *testing.T) {
	f := newFixture(t)
	f.put("a", "inside")
	f.link(filepath.Join(f.dir, "a"), "b")
	f.link(filepath.Join(f.dir, "..", "outside", "secret"), "c")
	if got, err := f.ReadFile("b"); string(got) != "inside" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if got, err := f.ReadFile("c"); err == nil {
		t.Errorf("%q", got)
	}
}

func specialFiles(t *testing.T) {
	f := newFixture(t)
	testkit.Make(t, filepath.Join(f.dir, "pipe"))
	f.link("/dev/zero", "zero")
	f.link("/dev/stdin", "stdin")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	f.must(err)
	defer syscall.Close(fd)
	t.Chdir(f.dir)
	f.must(syscall.Bind(fd, &syscall.SockaddrUnix{Name: "sock"}))
	start := time.Now()
	for _, name := range []string{"pipe", "sock", "zero", "stdin"} {
		if got, err := f.ReadFile(name); err == nil {
			t.Errorf("%s reads %q", name, got)
		}
		if err := f.WriteFile(name, []byte("x")); err == nil {
			t.Errorf("%s is written", name)
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func laterLink(t *testing.T) {
	f := newFixture(t)
	if name, err := f.Resolve("new/dir/f"); err != nil || name != "new/dir/f" { // what is judged
		t.Fatal(name, err)
	}
	f.must(os.Symlink(f.outside, filepath.Join(f.dir, "new")))
	if err := f.WriteFile("new/dir/f", []byte("owned")); err == nil {
		t.Error("it was written")
	}
	f.untouched()
}
