package server

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, files map[string]string) (*fileTree, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, "ws", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := openTree(filepath.Join(dir, "ws"), []string{filepath.Join(dir, "ws", "home")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree, filepath.Join(dir, "ws")
}

// What may hold secrets, what is rein's own, what lies outside: none of it is listed or read, whatever its name or link is.
func TestWhatIsNotShown(t *testing.T) {
	tree, dir := open(t, map[string]string{"a.txt": "hi", ".env": "KEY=1", "sub/.env.production": "KEY=2", "key.pem": "x", ".ssh/id": "x", "secrets/a.txt": "x", ".git/config": "x",
		".rein/settings.json": "{}", "home/settings.json": "{}", "sub/ok.go": "package sub", "deep/er.txt": "hi", "../outside.txt": "no"})
	for link, to := range map[string]string{"link-in": "a.txt", "link-secret": ".env", "link-out": "../outside.txt", "link-dir": "..", "link-home": "home", "sub/link-deep": "../deep"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no links: ", err)
		}
	}
	for _, name := range []string{".env", ".ENV", "./.env", "sub/../.env", "sub/.env.production", "key.pem", ".ssh/id", "secrets/a.txt", ".git/config", ".rein/settings.json", "home/settings.json",
		"../outside.txt", "/etc/passwd", filepath.Join(dir, "a.txt"), "link-secret", "link-out", "link-dir/outside.txt", "link-home/settings.json", "a.txt\x00", "sub/../../outside.txt"} {
		if text, err := tree.Read(t.Context(), name); err == nil || strings.Contains(text.Text, "KEY") {
			t.Errorf("%q is shown: %+v", name, text)
		}
		if tree.MayShow(name) {
			t.Errorf("%q may be shown", name)
		}
	}
	for _, name := range []string{"a.txt", "link-in", "sub/ok.go"} {
		if text, err := tree.Read(t.Context(), name); err != nil || text.Text == "" || !tree.MayShow(name) {
			t.Errorf("%q is not shown: %v", name, err)
		}
	}
	if !tree.MayShow("deleted.go") || tree.MayShow("deleted.pem") {
		t.Error("files that are gone are judged by their names")
	}
	all, hidden, more, err := tree.List("")
	names := ""
	for _, e := range all {
		names += e.Name + " "
	}
	if err != nil || more || names != "deep sub a.txt link-dir link-home link-in link-out link-secret " || hidden != 7 {
		t.Errorf("%s, %d hidden, %v", names, hidden, err)
	}
	if all, _, _, err = tree.List("sub"); err != nil || all[0].Name != "link-deep" || !all[0].Dir || !all[0].Link {
		t.Errorf("a link to a directory: %+v %v", all, err)
	}
	if all, _, _, err = tree.List("sub/link-deep"); err != nil || len(all) != 1 || all[0].Name != "er.txt" {
		t.Errorf("in the link: %+v %v", all, err)
	}
	for _, name := range []string{"home", ".git", "..", "link-dir", "link-home", "nothing", "a.txt"} {
		if all, _, _, err := tree.List(name); err == nil {
			t.Errorf("%q is listed: %v", name, all)
		}
	}
}

// Lists and texts have bounds, and say that there is more.
func TestBounds(t *testing.T) {
	files := map[string]string{"long.txt": strings.Repeat("ä", mostTreeText), "bin": "a\x00b", "latin": "caf\xe9"}
	tree, dir := open(t, files)
	text, err := tree.Read(t.Context(), "long.txt")
	if err != nil || !text.Cut || text.Binary || len(text.Text) > mostTreeText || text.Size != 2*mostTreeText {
		t.Errorf("%v, cut %v, %d bytes of %d", err, text.Cut, len(text.Text), text.Size)
	}
	for _, name := range []string{"bin", "latin"} {
		if text, err := tree.Read(t.Context(), name); err != nil || !text.Binary || text.Text != "" {
			t.Errorf("%s: %+v %v", name, text, err)
		}
	}
	for i := range mostEntries {
		if err := os.WriteFile(filepath.Join(dir, "f"+strings.Repeat("x", i%200)+string(rune('a'+i/200))), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if all, _, more, err := tree.List(""); err != nil || !more || len(all) != mostEntries {
		t.Errorf("%d entries, more %v, %v", len(all), more, err)
	}
}
