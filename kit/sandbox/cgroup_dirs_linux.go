package sandbox

import (
	"path"
	"slices"
	"strings"
)

// cgroupDir is a directory in which control groups might be made.
type cgroupDir struct {
	dir          string
	old          bool // of version 1
	memory, pids bool // what is counted in it; with version 2 known when it was tried
}

func (s cgroupDir) version() string {
	if s.old {
		return "cgroup v1"
	}
	return "cgroup v2"
}

func (s cgroupDir) counts(k cgroupKind) bool {
	if k == cgroupMemory {
		return s.memory
	}
	return s.pids
}

// cgroupDirs are the places for groups of a process, by what /proc/self/cgroup and mountinfo say of it: its own group, and
// with version 2 the one above, because a group that holds processes cannot have groups that count.
func cgroupDirs(own, mounts string) []cgroupDir {
	var all []cgroupDir
	for line := range strings.Lines(own) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		if f[0] == "0" && f[1] == "" {
			for _, dir := range groupDirs(mounts, "cgroup2", "", f[2]) {
				all = append(all, cgroupDir{dir: dir, memory: true, pids: true})
			}
			continue
		}
		kinds := strings.Split(f[1], ",")
		for _, kind := range []string{"memory", "pids"} {
			if slices.Contains(kinds, kind) {
				if dirs := groupDirs(mounts, "cgroup", kind, f[2]); len(dirs) > 0 {
					all = append(all, cgroupDir{dir: dirs[0], old: true, memory: kind == "memory", pids: kind == "pids"})
				}
			}
		}
	}
	return all
}

// groupDirs returns the directory of a group, and the one above it, where its hierarchy is mounted.
func groupDirs(mounts, kind, option, group string) []string {
	for line := range strings.Lines(mounts) {
		before, after, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 5 || len(g) < 3 || g[0] != kind || option != "" && !slices.Contains(strings.Split(g[2], ","), option) {
			continue
		}
		root, point := f[3], f[4]
		if !above(root, group) {
			continue // another namespace's
		}
		dir := path.Join(point, strings.TrimPrefix(group, root))
		if dir == point {
			return []string{dir}
		}
		return []string{dir, path.Dir(dir)}
	}
	return nil
}

// above reports whether dir is path or above it.
func above(dir, path string) bool {
	return dir == path || dir == "/" || strings.HasPrefix(path, dir+"/")
}
