package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"rein/internal/plainfile"
)

// Repository returns the git directory, links resolved, of the repository that a linked worktree or a submodule belongs to; "" where dir is
// none. A .git file that its repository does not know of is not believed: it could name any directory.
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
	if back, err := plainfile.Read(filepath.Join(own, "gitdir")); err == nil {
		if filepath.Clean(strings.TrimSpace(string(back))) != filepath.Join(dir, ".git") {
			return ""
		}
		return gitDir(filepath.Dir(filepath.Dir(own)))
	}
	config, err := plainfile.Read(filepath.Join(own, "config"))
	if tree := worktreeOf().FindSubmatch(config); err != nil || tree == nil || resolve(own, string(tree[1])) != dir {
		return ""
	}
	return gitDir(own)
}

// worktreeOf is where the settings of a submodule's repository say that its files are.
var worktreeOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)^\s*worktree\s*=\s*"?([^"\r\n]+?)"?\s*$`) })

// RepositoryAbove returns the git directory that git finds from dir, where it is not below dir: that of a directory above, or of the
// repository that a linked worktree or a submodule belongs to. It is "" where there is none.
func RepositoryAbove(dir string) string {
	if info, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && info.IsDir() {
		return ""
	}
	_, git := repositoryFrom(dir)
	return git
}

// RepositoryAround returns the top of the user's repository that a directory is a part of, and its git directory. Both are "" where it is in
// none, or is its top, and where the repository is that of a home directory, of the machine, or of somebody else.
func RepositoryAround(dir, home string) (top, git string) {
	top, git = repositoryFrom(dir)
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	if git == "" || top == dir || isAbove(top, home) || isSystem(top) {
		return "", ""
	}
	if info, err := os.Lstat(top); err != nil || plainfile.Owner(info) != os.Geteuid() {
		return "", ""
	}
	return top, git
}

// repositoryFrom returns the directory in which git finds a repository from dir, and its git directory.
func repositoryFrom(dir string) (at, git string) {
	for at = dir; ; at = filepath.Dir(at) {
		name := filepath.Join(at, ".git")
		if info, err := os.Lstat(name); err == nil {
			if info.IsDir() {
				return at, gitDir(name)
			}
			return at, Repository(at)
		}
		if at == filepath.Dir(at) {
			return "", ""
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
