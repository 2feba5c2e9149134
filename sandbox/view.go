package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rein/places"
)

// view is what a program sees of the file system: the machine read-only, some places covered, and what is shown
// again on top of that. Every backend that can hide things uses the same view. Paths have no links in them.
type view struct {
	covers  []string // directories that look empty but for what is shown inside them
	shown   []bind   // outer before inner
	locked  []bind   // read-only inside what is writable: protected files, and directories that must not be moved
	masked  []bind   // files and directories that nobody may open
	private string   // our own directory: mount points may be made in it

	unlocked, unmasked []string // what the user opened by its own name: see Opened
}

// bind shows one place of the host at a path of the programs.
type bind struct {
	source, target string
	write          bool
	dir            bool
	work           bool // given by the user, not part of the system: it may hold credentials
}

// above reports whether dir is path or above it.
func above(dir, path string) bool {
	return dir == path || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// newView makes the part of the view that stays the same for all programs of a session.
func newView(p Policy) (view, error) {
	v := view{private: p.Private, unlocked: p.unlocked, unmasked: p.unmasked}
	v.show(bind{source: p.own.Tmp(), target: "/tmp", write: true})
	v.show(bind{source: p.own.VarTmp(), target: "/var/tmp", write: true})
	v.cover(foreignDirs()...)
	v.cover("/run", "/root", "/home", p.Home) // a home in a place that is covered already is hidden with it
	v.showHome(p)
	for _, dir := range filepath.SplitList(lookEnv(childEnv(p.Parent, nil), "PATH")) {
		v.showHidden(p, dir)
		// What a program needs beside it lies in the directory above its bin.
		if top := filepath.Dir(dir); filepath.Base(dir) == "bin" && filepath.Dir(top) != "/" && !above(top, p.Workspace) {
			v.showHidden(p, top)
		}
	}
	for _, path := range p.Readable {
		v.show(bind{source: path, target: path, work: true})
	}
	for _, path := range append([]string{p.Workspace}, p.Writable...) {
		v.show(bind{source: path, target: path, write: true, work: true})
	}
	slices.SortStableFunc(v.shown, func(a, b bind) int { return len(a.target) - len(b.target) })
	v.covers = slices.DeleteFunc(v.covers, v.buried)
	v.shown = slices.DeleteFunc(slices.Clone(v.shown), func(b bind) bool { return !v.hasMountPoint(b) })
	v.maskSecrets(p)
	return v, v.makeMountPoints()
}

// showHome shows what programs need of the home directory. A home in the workspace is the workspace's: nothing in it is
// put in place of what lies there.
func (v *view) showHome(p Policy) {
	for _, name := range privateCaches() {
		if path := filepath.Join(p.Home, name); !p.grants(path) {
			v.show(bind{source: p.own.Cache(name), target: path, write: true})
		}
	}
	for _, name := range append(places.ToolNames(), shownConfig()...) {
		if path := filepath.Join(p.Home, name); !p.grants(path) {
			v.showHidden(p, path)
		}
	}
}

// grants reports whether a path lies in the workspace or in a further directory that programs may write.
func (p *Policy) grants(path string) bool {
	return above(p.Workspace, path) || slices.ContainsFunc(p.Writable, func(dir string) bool { return above(dir, path) })
}

// buried reports whether a cover lies in a place of the host that is shown: it would be laid below that, and hide nothing.
func (v *view) buried(cover string) bool {
	return slices.ContainsFunc(v.shown, func(b bind) bool {
		return b.target == b.source && b.target != cover && above(b.target, cover)
	})
}

// hasMountPoint reports whether there is, or can be made, something to show a place on: a home directory need not exist.
func (v *view) hasMountPoint(b bind) bool {
	place, seen := v.innermost(filepath.Dir(b.target))
	if !seen || place >= 0 && v.isOurs(v.shown[place]) {
		return true
	}
	info, err := os.Stat(b.target)
	return err == nil && info.IsDir() == b.dir
}

// isOurs reports whether what is shown lies in our own directory.
func (v *view) isOurs(b bind) bool { return strings.HasPrefix(b.source, v.private+"/") }

// shownConfig are settings of the home directory that tools need and that are no secrets.
func shownConfig() []string {
	return []string{".gitconfig", ".config/git/config", ".config/git/ignore", ".local/bin", "bin"}
}

// privateCaches are places of the home directory where tools keep what they can make again: the programs get their
// own, kept with the workspace.
func privateCaches() []string {
	return []string{".cache", ".npm", ".yarn", ".pnpm-store", ".local/state"}
}

// cover hides directories, if they are there and hold anything.
func (v *view) cover(dirs ...string) {
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !v.visible(real) {
			continue
		}
		if info, err := os.Stat(real); err == nil && info.IsDir() && !isSystem(real) {
			v.covers = append(v.covers, real)
		}
	}
	slices.SortFunc(v.covers, func(a, b string) int { return len(a) - len(b) })
}

// foreignDirs are top directories that do not belong to the system: other work, other people's data.
func foreignDirs() []string {
	entries, _ := os.ReadDir("/")
	var dirs []string
	for _, e := range entries {
		if dir := "/" + e.Name(); e.IsDir() && places.Classify(dir, places.Context{}) == places.Outside {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// isSystem keeps a home in an odd place from hiding the machine.
func isSystem(dir string) bool {
	return slices.Contains([]string{"/", "/usr", "/etc", "/var", "/opt", "/bin", "/lib", "/dev", "/proc", "/sys", "/tmp", "/var/tmp"}, dir)
}

// show adds a place if it exists, in place of an earlier one with the same target.
func (v *view) show(b bind) {
	source, err := filepath.EvalSymlinks(b.source)
	if err != nil {
		return
	}
	target, err := filepath.EvalSymlinks(b.target)
	if err != nil {
		target = b.target
	}
	info, err := os.Stat(source)
	if err != nil {
		return
	}
	b.source, b.target, b.dir = source, target, info.IsDir()
	v.shown = slices.DeleteFunc(v.shown, func(o bind) bool { return o.target == target })
	v.shown = append(v.shown, b)
}

// showHidden shows a place of the host read-only that a cover hides; what the programs have their own of stays theirs.
func (v *view) showHidden(p Policy, path string) {
	place, seen := v.innermost(path)
	if !seen && place < 0 && !above(path, p.Home) {
		v.show(bind{source: path, target: path})
	}
}

// maskSecrets hides stores of credentials that the view would show.
func (v *view) maskSecrets(p Policy) {
	for _, name := range places.SecretNames() {
		v.mask(filepath.Join(p.Home, name))
	}
	for _, pattern := range places.MachineSecretNames() {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			v.mask(path)
		}
	}
}

// mask hides a place if it exists, the view shows it, and the user did not name it.
func (v *view) mask(path string) {
	if _, err := os.Lstat(path); err != nil || !v.visible(path) {
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil && v.visible(real) {
		info, err := os.Stat(real)
		v.masked = append(v.masked, bind{target: real, dir: err == nil && info.IsDir()})
	}
}

// innermost gives the shown place or the cover that decides about a path: the index of the place, or -1 for a cover or
// the machine itself, and whether anything of the path can be seen.
func (v *view) innermost(path string) (place int, seen bool) {
	place, longest, seen := -1, 0, true
	for _, dir := range v.covers {
		if above(dir, path) && len(dir) > longest {
			longest, seen = len(dir), false
		}
	}
	for i, b := range v.shown {
		if above(b.target, path) && len(b.target) >= longest {
			place, longest, seen = i, len(b.target), true
		}
	}
	return place, seen
}

// visible reports whether programs see what the host has at a path.
func (v *view) visible(path string) bool {
	place, seen := v.innermost(path)
	return seen && (place < 0 || v.shown[place].source == v.shown[place].target)
}

// writable reports whether programs may write at a path, as far as the mounts decide.
func (v *view) writable(path string) bool {
	place, seen := v.innermost(path)
	return seen && place >= 0 && v.shown[place].write
}

// makeMountPoints makes, in our own private directories, the places where something is shown.
func (v *view) makeMountPoints() error {
	for _, b := range v.shown {
		inside, _ := v.innermost(filepath.Dir(b.target))
		if inside < 0 || !v.isOurs(v.shown[inside]) {
			continue
		}
		rest := strings.TrimPrefix(b.target, v.shown[inside].target)
		if err := mountPoint(v.shown[inside].source+rest, b.dir); err != nil {
			return err
		}
	}
	return nil
}

func mountPoint(path string, dir bool) error {
	if dir {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}
