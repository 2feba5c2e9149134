package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostSteeringFiles bounds the files of one protected directory that are looked at for a change.
const mostSteeringFiles = 500

// Steering describes the files of the user's directories that run programs later, or that tools and agents obey (settings
// of editors, hooks, instructions for agents): for each its path, and which file with which content it is, as far as the
// system's times show it. Changes between two calls are what a program did.
func (v *view) Steering() map[string]string {
	all := map[string]string{}
	paths, _ := v.index.update()
	for _, path := range paths {
		base := strings.ToLower(filepath.Base(path))
		for _, rest := range v.index.told[base] {
			v.describe(all, filepath.Join(path, rest))
		}
		if base == ".git" {
			for _, rest := range []string{"commondir", blockedCommon, "worktrees"} {
				v.describe(all, filepath.Join(path, rest))
			}
		}
	}
	return all
}

// describe adds the files at and below a path.
func (v *view) describe(all map[string]string, path string) {
	if !v.Writable(path) {
		return
	}
	n := 0
	_ = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if n++; err != nil || n > mostSteeringFiles {
			return fs.SkipAll
		}
		// What a worktree's own directory holds changes with every commit, but for what leads elsewhere.
		if base := filepath.Base(file); strings.HasSuffix(path, "/worktrees") && base != "commondir" && base != "gitdir" && base != "config.worktree" {
			return nil
		}
		if info, err := os.Lstat(file); err == nil && !info.IsDir() {
			all[file] = identity(info)
		}
		return nil
	})
}

// changedFiles returns the paths that are new or other files than before, sorted.
func changedFiles(before, after map[string]string) []string {
	var changed []string
	for path, now := range after {
		if before[path] != now {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed
}
