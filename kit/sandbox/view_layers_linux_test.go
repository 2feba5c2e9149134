package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWorkspaceFillsItsCaches has programs that add to caches of tools: what they write stays with the workspace, also where the user has such a
// cache, which does not change.
func TestWorkspaceFillsItsCaches(t *testing.T) {
	home, ws, private := homeForTests(t), t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go/pkg/mod/m/m.go": "package m\n", ".cargo/registry/cache/c": "crate\n", ".cargo/credentials.toml": "token", ".m2/settings.xml": "password", ".cargo/bin/tool": "mine\n",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	open := func() *Box {
		return onBackend(t, Policy{Workspace: ws, Home: home, Private: private}, BackendNamespaces)
	}
	box := open()
	if _, result := try(t, box, "touch ~/go/pkg/mod/new"); result.Code != 0 {
		t.Skip("no layers on this machine: the caches of the user stay read-only")
	}
	runs := func(box *Box, script, want string) {
		t.Helper()
		if out, result := try(t, box, script); out != want || result.Code != 0 {
			t.Errorf("%s: got %q %+v, want %q", script, out, result, want)
		}
	}
	runs(box, "cat ~/go/pkg/mod/m/m.go && echo changed > ~/go/pkg/mod/m/m.go && mkdir -p ~/go/pkg/sumdb && cat ~/go/pkg/mod/m/m.go", "package m\nchanged\n")
	runs(box, "rm ~/.cargo/registry/cache/c && mkdir ~/.cargo/registry/index && echo x > ~/.cargo/registry/index/i && ls ~/.cargo/registry/cache", "")
	runs(box, "mkdir -p ~/.m2/repository/g && echo jar > ~/.m2/repository/g/j && ls ~/.m2 && cat ~/.m2/repository/g/j", "repository\njar\n")
	runs(box, "ls ~/.cargo ~/.cargo/bin && ! touch ~/.cargo/bin/other 2>/dev/null", home+"/.cargo:\nbin\nregistry\n\n"+home+"/.cargo/bin:\ntool\n")
	other := open() // while the first one is open
	runs(other, "cat ~/go/pkg/mod/m/m.go; ls ~/go/pkg/mod; cat ~/.m2/repository/g/j; touch ~/go/pkg/mod/lost", "package m\nm\njar\n")
	for _, b := range []*Box{other, box} {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	runs(open(), "cat ~/go/pkg/mod/m/m.go; ls ~/go/pkg/mod ~/.cargo/registry/cache", "changed\n"+home+"/.cargo/registry/cache:\n\n"+home+"/go/pkg/mod:\nm\nnew\n")
	for name, want := range map[string]string{"go/pkg/mod/m/m.go": "package m\n", ".cargo/registry/cache/c": "crate\n"} {
		if text, err := os.ReadFile(filepath.Join(home, name)); string(text) != want {
			t.Errorf("the user's %s: %q %v", name, text, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(home, "go/pkg/*")); len(left) != 1 {
		t.Errorf("the user was given %q", left)
	}
}
