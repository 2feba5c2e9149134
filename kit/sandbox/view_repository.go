package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"rein/internal/plainfile"
)

// lockRepository protects what git would read of a repository: by a ".git" that is a directory, or a file that names one.
// The directories above a repository inside the workspace cannot be renamed: another repository in its place would be
// the attacker's.
func (v *view) lockRepository(entry string, dir bool) {
	v.pin(entry)
	git := entry
	if dir {
		v.lockOnce(viewBind{Source: entry, Target: entry, Write: true, Dir: true})
	} else {
		v.lock(entry, "", false)
		git = linkedDir(entry)
	}
	v.lockGitDir(git, filepath.Dir(entry), 0)
}

// linkedDir is the directory that a ".git" file names; "" if it names none.
func linkedDir(file string) string {
	text, err := plainfile.Read(file)
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if err != nil || !ok {
		return ""
	}
	return resolve(filepath.Dir(file), strings.TrimSpace(dir))
}

// resolve returns a path that a file of a directory names, without links; "" if it is not there.
func resolve(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(os.Getenv("HOME"), rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

// mostModules bounds how deep repositories of submodules lie in each other.
const mostModules = 6

// lockGitDir protects the settings and hooks of a repository's own directory: here, in its common directory, where its
// settings lead, and in those of its submodules. worktree is where relative paths of hooks start.
func (v *view) lockGitDir(git, worktree string, depth int) {
	if git == "" || depth > mostModules || !v.Writable(git) || !exists(filepath.Join(git, "HEAD")) {
		return
	}
	v.checkCommon(git)
	v.makeMissing(git, "config.worktree", false)
	if !exists(filepath.Join(git, "commondir")) { // else git reads these of the common directory
		v.makeMissing(git, "hooks", true)
		v.makeMissing(git, "config", false)
		v.makeMissing(git, "info/attributes", false)
	}
	v.lockParts(git)
	v.lockWorktrees(git)
	v.lockSettings(filepath.Join(git, "config"), worktree, 0)
	v.lockSettings(filepath.Join(git, "config.worktree"), worktree, 0)
	if text, err := plainfile.Read(filepath.Join(git, "commondir")); err == nil {
		v.lockGitDir(resolve(git, strings.TrimSpace(string(text))), worktree, depth+1)
	}
	v.lockModules(filepath.Join(git, "modules"), depth)
}

// lockParts locks what is there of the settings and hooks of a repository.
func (v *view) lockParts(git string) {
	for _, name := range []string{"hooks", "config", "config.worktree", "info/attributes", "commondir"} {
		v.lockBelow(filepath.Join(git, name))
	}
}

// lockBare protects a directory that git takes for a repository by what is in it. No file is made in it: it may belong to the files of another
// repository, as those of tests do, which keeps no empty directories.
func (v *view) lockBare(git string) {
	if v.Writable(git) {
		v.makeMissing(git, "hooks", true)
		v.lockParts(git)
		v.lockSettings(filepath.Join(git, "config"), git, 0)
	}
}

// worktreeConfig matches the setting with which git reads settings of each work tree.
var worktreeConfig = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)worktreeconfig`) })

// lockWorktrees protects what leads git from the work trees of a repository to it. The HEAD of a tree that programs do not see stays, too: to
// them it looks as if the tree were gone, and git would forget it. Each lock costs time, and there may be many trees: no more than that is
// locked. Their directories must be writable, or git could not collect garbage.
func (v *view) lockWorktrees(git string) {
	trees, err := os.ReadDir(filepath.Join(git, "worktrees"))
	if err != nil {
		return
	}
	settings, _ := plainfile.Read(filepath.Join(git, "config")) // what cannot be read sets nothing
	for _, e := range trees {
		tree := filepath.Join(git, "worktrees", e.Name())
		text, err := plainfile.Read(filepath.Join(tree, "gitdir"))
		if err != nil {
			continue
		}
		if worktreeConfig().Match(settings) {
			v.makeMissing(tree, "config.worktree", false)
		}
		v.lockParts(tree)
		if at := resolve(tree, filepath.Dir(strings.TrimSpace(string(text)))); !v.Writable(at) || !v.Visible(at) {
			v.lockBelow(filepath.Join(tree, "HEAD"))
		}
	}
}

// lockModules protects the repositories of submodules: their names may have slashes in them.
func (v *view) lockModules(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	if err != nil || depth > mostModules {
		return
	}
	for _, e := range entries {
		below := filepath.Join(dir, e.Name())
		switch {
		case !e.IsDir():
		case exists(filepath.Join(below, "HEAD")):
			v.lockOnce(viewBind{Source: below, Target: below, Write: true, Dir: true})
			v.lockGitDir(below, below, depth+1)
		default:
			v.lockModules(below, depth+1)
		}
	}
}

// lockBelow locks a place that programs may write, and keeps what leads to it where it is.
func (v *view) lockBelow(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink == 0 && v.Writable(path) && !v.isTop(path) {
		v.pin(path)
		v.lockOnce(viewBind{Source: path, Target: path, Dir: info.IsDir()})
	}
}

// Settings of git that lead to other files: to hooks, and to more settings.
var (
	hooksPath   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)^\s*hookspath\s*=\s*"?([^"\r\n]+?)"?\s*$`) })
	includePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)^\s*path\s*=\s*"?([^"\r\n]+?)"?\s*$`) })
)

// lockSettings locks a file of settings and what it leads to.
func (v *view) lockSettings(file, worktree string, depth int) {
	text, err := plainfile.Read(file)
	if err != nil || depth > mostModules {
		return
	}
	v.lockBelow(file)
	for _, m := range hooksPath().FindAllSubmatch(text, -1) {
		v.makeMissing(worktree, string(m[1]), true)
		if dir := resolve(worktree, string(m[1])); dir != "" {
			v.lockBelow(dir)
		}
	}
	for _, m := range includePath().FindAllSubmatch(text, -1) {
		v.makeMissing(filepath.Dir(file), string(m[1]), false)
		if other := resolve(filepath.Dir(file), string(m[1])); other != "" {
			v.lockSettings(other, worktree, depth+1)
		}
	}
}

// makeMissing makes the directory of hooks, or the file of settings, that git would read and that is not there: a program could
// make it. git does the same without it and with an empty one, which can be locked. base is where a relative path starts.
func (v *view) makeMissing(base, path string, dir bool) {
	missing := ""
	for depth := 0; resolve(base, path) == "" && depth < mostModules; depth++ {
		path, missing = filepath.Dir(path), filepath.Join(filepath.Base(path), missing)
	}
	there := resolve(base, path)
	place, seen := v.Innermost(there)
	if missing == "" || there == "" || !seen || place < 0 || !v.Shown[place].Write || v.Shown[place].Source != v.Shown[place].Target { // in a /tmp of its own nothing stays
		return
	}
	_ = mountPoint(there, missing, dir) // what cannot be made here, a program cannot make either
}

// blockedCommon is the name that a file "commondir" gets which a program made where there was none.
const blockedCommon = "commondir.blocked-by-rein"

// checkCommon takes away a file "commondir" that was not there when the repository was first seen: git would take settings
// and hooks from the directory that it names. Nothing but an attack makes one in the repository of a main worktree.
func (v *view) checkCommon(git string) {
	path := filepath.Join(git, "commondir")
	v.index.mu.Lock()
	defer v.index.mu.Unlock()
	had, known := v.index.repos[git]
	if !known {
		v.index.repos[git] = exists(path)
		return
	}
	if !had {
		blockCommon(git)
	}
}

// Settle does the same for all repositories that were seen, as soon as a program has ended: the user's own git may be next.
func (v *view) Settle() {
	v.index.mu.Lock()
	defer v.index.mu.Unlock()
	for git, had := range v.index.repos {
		if !had {
			blockCommon(git)
		}
	}
}

func blockCommon(git string) {
	if path := filepath.Join(git, "commondir"); exists(path) {
		_ = os.Rename(path, filepath.Join(git, blockedCommon))
	}
}
