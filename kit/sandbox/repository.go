package sandbox

import (
	"os"
	"path/filepath"
	"strings"

	"rein/internal/plainfile"
)

// Repository returns the git directory, links resolved, of the repository that a linked worktree belongs to; "" where dir is none.
// A .git file that its repository does not know of is not believed: it could name any directory.
func Repository(dir string) string {
	text, err := plainfile.Read(filepath.Join(dir, ".git"))
	if err != nil {
		return "" // a directory, or no repository
	}
	own, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(own) {
		own = filepath.Join(dir, own)
	}
	back, err := plainfile.Read(filepath.Join(own, "gitdir"))
	if err != nil || filepath.Clean(strings.TrimSpace(string(back))) != filepath.Join(dir, ".git") {
		return ""
	}
	return gitDir(filepath.Dir(filepath.Dir(own)))
}

// RepositoryAbove returns the git directory that git finds from dir, where it is not below dir: that of a directory above, or of the
// repository that a linked worktree belongs to. It is "" where there is none.
func RepositoryAbove(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		name := filepath.Join(at, ".git")
		if info, err := os.Lstat(name); err == nil {
			switch {
			case !info.IsDir():
				return Repository(at)
			case at == dir:
				return ""
			}
			return gitDir(name)
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// gitDir returns a directory without links, if it is that of a repository.
func gitDir(dir string) string {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return ""
		}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return real
}
