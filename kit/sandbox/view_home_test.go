//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSandboxWorksWhereverHomeIs(t *testing.T) {
	const cached = `mkdir -p "${XDG_CACHE_HOME:-$HOME/.cache}" && echo x > "${XDG_CACHE_HOME:-$HOME/.cache}/x" && echo cached; `
	for name, row := range map[string]struct {
		home   func(workspace string) string
		script string
		want   string
	}{
		"home that does not exist":          {func(string) string { return "/rein-no-home" }, cached + "ls /rein-no-home 2>&1 | grep -c 'No such'", "cached\n1\n"},
		"home below a home's place":         {func(string) string { return "/home/rein-nobody/deep" }, cached, "cached\n"},
		"home below a system directory":     {func(string) string { return "/usr/rein-no-home" }, cached, "cached\n"},
		"caches that the host has not":      {func(string) string { return "/root" }, "echo x > ~/.yarn/x && echo y > ~/.pnpm-store/y && cat ~/.yarn/x", "x\n"},
		"home that is a file":               {func(string) string { return "/etc/passwd" }, cached, "cached\n"},
		"home that is the machine":          {func(string) string { return "/" }, cached, "cached\n"},
		"home that is the workspace":        {func(ws string) string { return ws }, cached + "echo y > sub/tool && ! echo y 2>/dev/null > bin/tool && cat own .ssh/id_rsa 2>&1 | sed 's/.*: //'", "cached\nmine\nPermission denied\n"},
		"home inside the workspace":         {func(ws string) string { return filepath.Join(ws, "home") }, cached + "cat home/.ssh/id_rsa home/own 2>&1 | sed 's/.*: //'", "cached\nPermission denied\nmine\n"},
		"home in the workspace yet to come": {func(ws string) string { return filepath.Join(ws, "later") }, cached + "ls later/.cache", "cached\nx\n"},
	} {
		t.Run(name, func(t *testing.T) {
			ws := t.TempDir()
			for _, file := range []string{"own", "bin/tool", "sub/tool", ".ssh/id_rsa", "home/own", "home/.ssh/id_rsa"} {
				path := filepath.Join(ws, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("mine\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			// Each backend is opened by itself: a fall to a weaker one is what this test is about.
			box := onBackend(t, Policy{Workspace: ws, Home: row.home(ws)}, BackendNamespaces)
			out, result := try(t, box, row.script)
			if out != row.want || result.Code != 0 {
				t.Errorf("got %q %+v", out, result)
			}
			if left, _ := filepath.Glob(filepath.Join(ws, ".npm")); len(left) > 0 {
				t.Errorf("the workspace was given %q", left)
			}
		})
	}
}
