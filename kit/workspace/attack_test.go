package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNamesThatLeadOutside lists attacks by name, one row each, tried on everything that takes a name.
func TestNamesThatLeadOutside(t *testing.T) {
	f := newFixture(t)
	f.put("a/b/x", "inside")
	f.link(f.outside, "dirlink")
	f.link(filepath.Join(f.outside, "secret"), "filelink")
	f.link("../outside/secret", "rellink")
	f.link("../outside", "a/reldir") // a/../outside is inside and absent
	f.link("../../outside", "a/updir")
	f.link(filepath.Join(f.outside, "new"), "dangling")
	f.link("../outside/new2", "dangling2")
	f.link("/proc/self/environ", "environ")
	f.link("loop2", "loop1")
	f.link("loop1", "loop2")
	f.link("filelink", "chain00")
	for i := range 39 {
		f.link(linkName(i), linkName(i+1))
	}
	rows := []struct {
		rule, name string
		kind       Kind
	}{
		{"climb out", "../outside/secret", Outside},
		{"climb to the root", "../../../../../../../../etc/passwd", Outside},
		{"climb from inside", "a/../../outside/secret", Outside},
		{"climb past the depth", "a/b/../../../outside/secret", Outside},
		{"absolute", "/etc/passwd", Outside},
		{"absolute parent", filepath.Dir(f.dir), Outside},
		{"absolute inside then out", f.dir + "/../outside/secret", Outside},
		{"absolute sibling with the same start", f.dir + "x/secret", Outside},
		{"absolute through proc", "/proc/self/cwd/secret", Outside},
		{"proc root", "/proc/self/root" + f.outside + "/secret", Outside},
		{"proc environ", "/proc/self/environ", Outside},
		{"stdin", "/dev/stdin", Outside},
		{"descriptor", "/proc/self/fd/0", Outside},
		{"home", "~/.ssh/id_rsa", Outside},
		{"URL", "file:///etc/passwd", BadName},
		{"address", "https://example.com/x", BadName},
		{"reference to an output", "output://20261121-1", BadName},
		{"Windows device path", `\\?\C:\x`, BadName},
		{"Windows drive", `C:\Windows\win.ini`, BadName},
		{"NUL", "a\x00b", BadName},
		{"NUL after a good name", "a/b/x\x00/../../../outside/secret", BadName},
		{"empty", "", BadName},
		{"very long", strings.Repeat("a/", 3000) + "x", BadName},
		{"long element", strings.Repeat("n", 300), BadName},
		{"ten thousand elements", strings.Repeat("../", 10000), BadName},
		{"link to a directory outside", "dirlink/secret", Outside},
		{"link to a directory outside, new file", "dirlink/new", Outside},
		{"link to a file outside", "filelink", Outside},
		{"relative link outside", "rellink", Outside},
		{"relative link outside from below", "a/updir/secret", Outside},
		{"dot dot after a link outside", "dirlink/../outside/secret", Outside},
		{"dangling link outside", "dangling", Outside},
		{"dangling relative link outside", "dangling2", Outside},
		{"link to proc", "environ", Outside},
		{"loop of links", "loop1", BadName},
		{"chain of links to outside", linkName(30), Outside},
		{"chain of too many links", linkName(39), BadName},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			for op, try := range f.operations() {
				start := time.Now()
				shown, err := try(r.name)
				var e *Error
				if !errors.As(err, &e) {
					t.Errorf("%s: error is %v, want an *Error", op, err)
					continue
				}
				if e.Kind != r.kind && !(op == "rename" || op == "remove" || op == "removeall") {
					t.Errorf("%s: kind is %q (%v), want %q", op, e.Kind, err, r.kind)
				}
				if strings.Contains(shown, "CANARY") {
					t.Errorf("%s: the canary was shown", op)
				}
				if strings.ContainsRune(err.Error(), 0) || len(err.Error()) > 1000 {
					t.Errorf("%s: the error shows the name raw", op)
				}
				if d := time.Since(start); d > 20*time.Second {
					t.Errorf("%s took %v", op, d)
				}
			}
		})
		f.untouched()
	}
}

func linkName(i int) string { return "chain" + string(rune('0'+i/10)) + string(rune('0'+i%10)) }

// operations is everything that takes a name and must not leave the workspace with it. Removing and renaming act on
// a link itself, so they are left out for links.
func (f *fixture) operations() map[string]func(string) (string, error) {
	none := func(err error) (string, error) { return "", err }
	return map[string]func(string) (string, error){
		"read": func(n string) (string, error) {
			b, err := f.ReadFile(n)
			return string(b), err
		},
		"write":   func(n string) (string, error) { return none(f.WriteFile(n, []byte("owned"))) },
		"store":   func(n string) (string, error) { return f.Store(n, []byte("owned"), Sum{}) },
		"resolve": func(n string) (string, error) { return f.Resolve(n) },
		"mkdir":   func(n string) (string, error) { return none(f.Mkdir(n)) },
		"list": func(n string) (string, error) {
			entries, err := f.ReadDir(n, 0)
			var all []string
			for _, e := range entries {
				all = append(all, e.Name())
			}
			return strings.Join(all, " "), err
		},
	}
}

func TestOddNamesAreLiteral(t *testing.T) {
	f := newFixture(t)
	names := []string{"a\nb", "a\rb", "evil\u202egnp.exe", "zero\u200bwidth", "caf\u00e9", "cafe\u0301", "．．／x", "$HOME", "~user", "-rf", "a b", "%2e%2e", `back\slash`, "....", "名前"}
	for _, n := range names {
		f.must(f.WriteFile(n, []byte(n)))
	}
	for _, n := range names {
		got, err := f.ReadFile(n)
		if err != nil || string(got) != n {
			t.Errorf("%q reads %q, %v", n, got, err)
		}
		if resolved, _ := f.Resolve(n); resolved != n {
			t.Errorf("%q resolves to %q", n, resolved)
		}
	}
	entries, err := os.ReadDir(f.dir)
	f.must(err)
	if len(entries) != len(names) {
		t.Errorf("%d names made %d files", len(names), len(entries))
	}
	_, err = f.ReadFile("evil\u202e\u200b\nname")
	if text := err.Error(); strings.ContainsAny(text, "\u202e\u200b\n") {
		t.Errorf("the error shows hidden characters: %q", text)
	}
}
