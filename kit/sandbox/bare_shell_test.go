package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTheShellOfGitForWindows: it is beside the folder of git, which alone is in PATH; the shell of the Linux subsystem is none.
func TestTheShellOfGitForWindows(t *testing.T) {
	git := filepath.Join(t.TempDir(), "Git")
	if err := os.MkdirAll(filepath.Join(git, "cmd"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(git, "cmd", "git.exe"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	path := []string{filepath.Join("c", "Windows", "System32"), filepath.Join(git, "cmd"), filepath.Join("c", "tools"), filepath.Join("c", "Microsoft", "WindowsApps")}
	want := []string{filepath.Join(git, "cmd"), filepath.Join(git, "bin"), filepath.Join(git, "usr", "bin"), filepath.Join("c", "tools")}
	if got := shellFolders(path); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
