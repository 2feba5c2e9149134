package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzName hands any name to the workspace: none leads outside, and the canonical name is the same on the second try.
func FuzzName(f *testing.F) {
	for _, n := range []string{"a/x", "../outside/secret", "out/secret", "up/outside/secret", "abs/x", "a/../in/../x", "loop", "new/../a/x", "/etc/passwd", "~/x", "a\x00", "out/../ws/a/x", "in/up/../../secret", "twin/../../outside/secret"} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, name string) {
		w := newFixture(t)
		w.put("a/x", "inside")
		w.link(w.outside, "out")
		w.link("..", "up")
		w.link("a", "in")
		w.link("../..", "a/up")
		w.link(w.dir+"/a", "abs")
		w.link("loop", "loop")
		w.link("up/ws/up", "twin")
		name = strings.ReplaceAll(name, "@", w.dir) // lets the fuzzer write absolute names
		check := func(err error) {
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%q: a raw error: %v", name, err)
			}
		}
		text, err := w.ReadFile(name)
		check(err)
		if strings.Contains(string(text), "CANARY") {
			t.Errorf("%q reads the outside", name)
		}
		canonical, err := w.Resolve(name)
		check(err)
		if err == nil {
			again, err := w.Resolve(canonical)
			if err != nil || again != canonical || filepath.IsAbs(canonical) || !filepath.IsLocal(canonical) {
				t.Errorf("%q is %q, and then %q, %v", name, canonical, again, err)
			}
		}
		check(w.WriteFile(name, []byte("owned")))
		if err == nil {
			after, err := w.Resolve(name)
			if err == nil && after != canonical {
				t.Errorf("%q was %q and is %q once written", name, canonical, after)
			}
		}
		check(w.Mkdir(name))
		check(w.Rename("a/x", name))
		check(w.RemoveAll(name))
		w.untouched()
		if entries, err := os.ReadDir(filepath.Dir(w.dir)); err != nil || len(entries) != 2 {
			t.Errorf("%q: beside the workspace there is %v, %v", name, entries, err)
		}
	})
}
