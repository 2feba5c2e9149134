package sandbox

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

//go:embed home.txt
var homeList string

// homeLines are the lines of home.txt, by their first word.
var homeLines = sync.OnceValue(func() map[string][]string {
	lines := map[string][]string{}
	for line := range strings.Lines(homeList) {
		kind, path, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && kind != "#" {
			lines[kind] = append(lines[kind], path)
		}
	}
	return lines
})

// privateCaches are places of the home directory where tools keep what they can make again: the programs get their
// own, kept with the workspace.
func privateCaches() []string {
	return []string{".cache", ".npm", ".yarn", ".pnpm-store", ".local/state"}
}

// showHome shows what programs need of the home directory. A home in the workspace is the workspace's: nothing in it is
// put in place of what is there.
func (v *view) showHome(p backendPolicy) {
	for _, name := range privateCaches() {
		v.own(p, name)
	}
	for _, name := range homeLines()["show"] {
		for _, path := range spread(p.Home, strings.Split(name, "/")) {
			if !p.Grants(path) {
				v.showHidden(p, path)
			}
		}
	}
	for _, name := range homeLines()["fill"] {
		v.fill(p, name)
	}
	for _, name := range homeLines()["own"] {
		v.own(p, name)
	}
	v.showConfigs(p)
}

// fill shows what tools fill, with a layer over it for what the programs add.
func (v *view) fill(p backendPolicy, name string) {
	path := filepath.Join(p.Home, name)
	real, err := filepath.EvalSymlinks(path)
	switch {
	case err != nil:
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(homeLines()["own"], top) {
			v.own(p, name)
		}
		return
	case p.Grants(path):
		return
	}
	v.showHidden(p, path)
	layer := p.Own.Layer(name)
	if i := slices.IndexFunc(v.Shown, func(b viewBind) bool { return b.Target == real }); i >= 0 && layer != "" && isLayered(real+layer) {
		v.Shown[i].Layer = layer
	}
}

// isLayered reports whether paths can be named to the file system of layers, which gives some characters a meaning.
func isLayered(paths string) bool { return !strings.ContainsAny(paths, `:,\`) }

// own shows a directory of ours in the home directory.
func (v *view) own(p backendPolicy, name string) {
	path := filepath.Join(p.Home, name)
	if p.Own.Session() == "" || p.Grants(path) || os.MkdirAll(p.Own.Cache(name), 0o700) != nil {
		return
	}
	v.show(viewBind{Source: p.Own.Cache(name), Target: path, Write: true})
}

// spread returns the paths below a directory that there are for a path with stars for whole names.
func spread(dir string, names []string) []string {
	for i, name := range names {
		if name != "*" {
			continue
		}
		below := filepath.Join(append([]string{dir}, names[:i]...)...)
		entries, _ := os.ReadDir(below)
		var all []string
		for _, e := range entries {
			all = append(all, spread(filepath.Join(below, e.Name()), names[i+1:])...)
		}
		return all
	}
	path := filepath.Join(append([]string{dir}, names...)...)
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return []string{path}
}

// showPath shows the directories of the user's PATH that are hidden, and what their programs need beside them: the
// parts of a toolchain. What else is there (keys, other projects) stays hidden.
func (v *view) showPath(p backendPolicy) {
	for _, dir := range filepath.SplitList(lookupEnv(childEnv(p.Parent, nil), "PATH")) {
		v.showHidden(p, dir)
		top := filepath.Dir(dir)
		if filepath.Base(dir) != "bin" || filepath.Dir(top) == "/" || isAbove(top, p.Workspace) || isAbove(top, p.Home) {
			continue
		}
		for _, name := range homeLines()["sdk"] {
			if path := filepath.Join(top, name); exists(path) {
				v.showHidden(p, path)
			}
		}
		// A toolchain of Go has its library in src. Elsewhere src holds projects.
		if exists(filepath.Join(top, "src", "runtime")) && exists(filepath.Join(top, "VERSION")) {
			v.showHidden(p, filepath.Join(top, "src"))
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// HasCache reports whether programs can use, or make, the usual place for caches.
func (v *view) HasCache(home string) bool {
	path := filepath.Join(home, ".cache")
	return v.Writable(path) && (len(v.starts) == 0 || exists(path))
}

// lockStart keeps programs from writing, or making, what runs at the user's next login or start, where the home directory
// is in a place that they may write.
func (v *view) lockStart(p backendPolicy) {
	if !exists(p.Home) {
		return
	}
	names := slices.Clone(homeLines()["start"])
	entries, _ := os.ReadDir(p.Home)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !slices.Contains(homeLines()["free"], e.Name()) {
			names = append(names, e.Name())
		}
	}
	for _, name := range homeLines()["there"] {
		if exists(filepath.Join(p.Home, name)) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if path := filepath.Join(p.Home, name); p.Grants(path) {
			v.starts = append(v.starts, path)
		}
	}
	slices.Sort(v.starts)
	v.starts = slices.Compact(v.starts)
}

// Starts are the start files of a home directory that programs may write, whether they are there or not.
func (v *view) Starts() []string { return v.starts }

// freezeStart locks the start files that there are. A directory in which one could be made is read-only itself, and what it
// holds now can be written.
func (v *view) freezeStart() {
	frozen := map[string]bool{}
	for _, path := range v.starts {
		if slices.Contains(v.unlocked, path) {
			continue
		}
		if !exists(path) {
			dir := filepath.Dir(path)
			for !exists(dir) {
				dir = filepath.Dir(dir)
			}
			frozen[dir] = true
		}
	}
	dirs := make([]string, 0, len(frozen))
	for dir := range frozen {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs) // outer before inner
	for _, dir := range dirs {
		v.freeze(dir, frozen)
	}
	for _, path := range v.starts {
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink == 0 && !slices.Contains(v.unlocked, path) {
			v.pin(path)
			v.lockOnce(viewBind{Source: path, Target: path, Dir: info.IsDir()})
		}
	}
}

// freeze makes a directory read-only, but not what it holds, unless that is to be frozen too.
func (v *view) freeze(dir string, frozen map[string]bool) {
	v.lockOnce(viewBind{Source: dir, Target: dir, Dir: true})
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); e.Type()&os.ModeSymlink == 0 && !frozen[path] && !slices.Contains(v.starts, path) {
			v.lockOnce(viewBind{Source: path, Target: path, Write: true, Dir: e.IsDir()})
		}
	}
}

// pin keeps the directories above a path from being renamed, up to the place that programs may write.
func (v *view) pin(path string) {
	var up []string
	for dir := filepath.Dir(path); v.Writable(dir) && !v.isTop(dir); dir = filepath.Dir(dir) {
		up = append(up, dir)
	}
	for _, dir := range slices.Backward(up) {
		v.lockOnce(viewBind{Source: dir, Target: dir, Write: true, Dir: true})
	}
}

// isTop reports whether a path is a place that is shown: it is a mount already.
func (v *view) isTop(path string) bool {
	return slices.ContainsFunc(v.Shown, func(b viewBind) bool { return b.Target == path })
}

// lockOnce adds a bind unless its target has one.
func (v *view) lockOnce(b viewBind) {
	if !slices.ContainsFunc(v.Locked, func(l viewBind) bool { return l.Target == b.Target }) {
		v.Locked = append(v.Locked, b)
	}
}
