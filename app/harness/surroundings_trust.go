package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// obeyedFiles knows the files that later runs of git obey, in the repositories of the workspace that the session has met. Their
// settings may name any file, so the table of places cannot know them. The zero value has met
// none. Several goroutines may use it at once.
type obeyedFiles struct {
	lock  sync.Mutex
	repos []trustedRepo
}

// trustedRepo is what was found for one repository, and the state of the files that said so.
type trustedRepo struct {
	tree  string
	stamp string
	paths []string
}

// mostRepositories bounds the repositories that a session remembers; the first ones are kept.
const mostRepositories = 50

// See remembers the repository that a path is in. The path need not exist.
func (t *obeyedFiles) See(name string) {
	if !filepath.IsAbs(name) || strings.Contains(name, "…") {
		name, _, _ = strings.Cut(name, "…")
	}
	dir := filepath.Dir(filepath.Clean(name))
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		dir = name
	}
	git, tree := gitDir(dir)
	if git == "" {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	known := slices.ContainsFunc(t.repos, func(r trustedRepo) bool { return r.tree == tree })
	if !known && len(t.repos) < mostRepositories {
		t.repos = append(t.repos, trustedRepo{tree: tree})
	}
}

// Paths lists the files and directories, absolute. What is not looked up again has not changed.
func (t *obeyedFiles) Paths() []string {
	t.lock.Lock()
	defer t.lock.Unlock()
	var all []string
	for i := range t.repos {
		r := &t.repos[i]
		if r.stamp == "" || r.stamp != filesStamp(r.tree, r.paths) {
			repo := readRepository(r.tree)
			r.paths = repo.trusted()
			r.stamp = filesStamp(r.tree, r.paths)
		}
		all = append(all, r.paths...)
	}
	return all
}

// filesStamp identifies the state of files by size and time.
func filesStamp(tree string, names []string) string {
	var b strings.Builder
	for _, name := range append([]string{filepath.Join(tree, ".git")}, names...) {
		b.WriteString(name)
		if info, err := os.Stat(name); err == nil {
			b.WriteString(info.ModTime().String())
			if info.Mode().IsRegular() {
				b.WriteString(info.Mode().String())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
