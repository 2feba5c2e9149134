package view

import (
	"os"
	"path/filepath"
	"strings"

	"rein/internal/plainfile"
)

// gitDirs gives the repository that a linked worktree belongs to: without it git could not commit. A .git file
// that its repository does not know of is not believed: it could name any directory.
func gitDirs(workspace string) []string {
	text, err := plainfile.Read(filepath.Join(workspace, ".git"))
	if err != nil {
		return nil // a directory, or no repository
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(workspace, dir)
	}
	back, err := plainfile.Read(filepath.Join(dir, "gitdir"))
	if err != nil || filepath.Clean(strings.TrimSpace(string(back))) != filepath.Join(workspace, ".git") {
		return nil
	}
	common := filepath.Dir(filepath.Dir(dir))
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(common, name)); err != nil {
			return nil
		}
	}
	real, err := realDir(common)
	if err != nil {
		return nil
	}
	return []string{real}
}
