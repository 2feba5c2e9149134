package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"rein/kit/places"
)

// view is what a program sees of the file system: the machine read-only, some places covered, and what is shown
// again on top of that. Every backend that can hide things uses the same view. Paths have no links in them.
type view struct {
	Covers  []string   // directories that look empty but for what is shown inside them
	Shown   []viewBind // outer before inner
	Locked  []viewBind // read-only inside what is writable: protected files, and directories that must not be moved
	Masked  []viewBind // files and directories that nobody may open
	Fixed   int        // how many of the masks, the first ones, are the same for all programs: see Protect
	private string     // our own directory: mount points may be made in it

	unlocked, unmasked []string // what the user opened by its own name: see Opened
	starts             []string // start files of a home directory that programs may write
	hidden             []string // our own directories in places that programs may write
	configs            []*config
	index              *viewIndex // what needs protection in the places that are the user's
	shared             bool       // the index is that of the session
}

// viewBind shows one place of the host at a path of the programs.
type viewBind struct {
	Source, Target string
	Write          bool
	Dir            bool
	Layer          string // a directory of ours for what programs write, laid over the source; "": they cannot
	Work           bool   // given by the user, not part of the system: it may hold credentials
}

// isAbove reports whether dir is path or above it.
func isAbove(dir, path string) bool {
	return dir == path || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// newView makes the part of the view that stays the same for all programs of a session.
func newView(p backendPolicy) (view, error) {
	v := view{private: p.Private, unlocked: p.unlocked, unmasked: p.unmasked}
	v.show(viewBind{Source: p.Own.Tmp(), Target: "/tmp", Write: true})
	v.show(viewBind{Source: p.Own.VarTmp(), Target: "/var/tmp", Write: true})
	if p.hosts != "" {
		v.show(viewBind{Source: p.hosts, Target: hostsFile})
	}
	v.cover(foreignDirs()...)
	v.cover("/run", "/root", "/home", p.Home) // a home in a place that is covered already is hidden with it
	v.showHome(p)
	v.showPath(p)
	for _, path := range p.Readable {
		v.show(viewBind{Source: path, Target: path, Work: true})
	}
	for _, path := range append([]string{p.Workspace}, p.Writable...) {
		v.show(viewBind{Source: path, Target: path, Write: !p.readOnly, Work: true})
	}
	sort.SliceStable(v.Shown, func(i, j int) bool { return len(v.Shown[i].Target) < len(v.Shown[j].Target) })
	v.Covers = slices.DeleteFunc(v.Covers, v.buried)
	v.keepMountable()
	v.maskSecrets(p)
	v.lockStart(p)
	if err := v.hide(p); err != nil {
		return v, err
	}
	v.index, v.shared = p.indexOf(v.work())
	return v, v.makeMountPoints()
}

// hostsFile is where programs look names up first.
const hostsFile = "/etc/hosts"

// work are the directories that the user gave.
func (v *view) work() []string {
	var all []string
	for _, b := range v.Shown {
		if b.Work && b.Source == b.Target && b.Dir {
			all = append(all, b.Target)
		}
	}
	return all
}

// plainView is the view of programs that nothing isolates: what is known of the user's directories.
func plainView(p backendPolicy) view {
	v := view{}
	for _, dir := range append([]string{p.Workspace}, p.Writable...) {
		v.show(viewBind{Source: dir, Target: dir, Write: true, Work: true})
	}
	v.index, v.shared = p.indexOf(v.work())
	return v
}

// Close ends what the view needs to know of changes. A view that could not be made has nothing to end.
func (v *view) Close() {
	if v.index != nil && !v.shared {
		v.index.Close()
	}
}

// buried reports whether a cover is in a place of the host that is shown: it would be laid below that, and hide nothing.
func (v *view) buried(cover string) bool {
	return slices.ContainsFunc(v.Shown, func(b viewBind) bool {
		return b.Target == b.Source && b.Target != cover && isAbove(b.Target, cover)
	})
}

// keepMountable leaves out what cannot be shown, and what lies in it. The places are in the order of their length.
func (v *view) keepMountable() {
	all := v.Shown
	v.Shown = nil
	for _, b := range all {
		if v.hasMountPoint(b) {
			v.Shown = append(v.Shown, b)
		}
	}
}

// hasMountPoint reports whether there is, or can be made, something to show a place on: a home directory need not exist.
func (v *view) hasMountPoint(b viewBind) bool {
	place, seen := v.Innermost(filepath.Dir(b.Target))
	if !seen || place >= 0 && v.isOurs(v.Shown[place]) {
		return true
	}
	info, err := os.Stat(b.Target)
	return err == nil && info.IsDir() == b.Dir
}

// isOurs reports whether what is shown is in our own directory.
func (v *view) isOurs(b viewBind) bool { return strings.HasPrefix(b.Source, v.private+"/") }

// elsewhere takes from a view what is not there where programs run elsewhere: of the machine they see what the user gave, and what is ours.
func (v view) elsewhere() view {
	v.Shown = slices.DeleteFunc(slices.Clone(v.Shown), func(b viewBind) bool { return !b.Work && !v.isOurs(b) })
	v.Masked = slices.DeleteFunc(slices.Clone(v.Masked), func(m viewBind) bool { return !v.mounted(m.Target) })
	return v
}

// mounted reports whether a path is in a place that is shown.
func (v *view) mounted(path string) bool {
	return slices.ContainsFunc(v.Shown, func(b viewBind) bool { return isAbove(b.Target, path) })
}

// cover hides directories, if they are there and hold anything.
func (v *view) cover(dirs ...string) {
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !v.Visible(real) {
			continue
		}
		if info, err := os.Stat(real); err == nil && info.IsDir() && !isSystem(real) {
			v.Covers = append(v.Covers, real)
		}
	}
	slices.SortFunc(v.Covers, func(a, b string) int { return len(a) - len(b) })
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
func (v *view) show(b viewBind) {
	source, err := filepath.EvalSymlinks(b.Source)
	if err != nil {
		return
	}
	target, err := filepath.EvalSymlinks(b.Target)
	if err != nil {
		target = b.Target
	}
	info, err := os.Stat(source)
	if err != nil {
		return
	}
	b.Source, b.Target, b.Dir = source, target, info.IsDir()
	v.Shown = slices.DeleteFunc(v.Shown, func(o viewBind) bool { return o.Target == target })
	v.Shown = append(v.Shown, b)
}

// showHidden shows a place of the host read-only that a cover hides; what the programs have their own of stays theirs.
func (v *view) showHidden(p backendPolicy, path string) {
	place, seen := v.Innermost(path)
	if !seen && place < 0 && !isAbove(path, p.Home) {
		v.show(viewBind{Source: path, Target: path})
	}
}

// mask hides a place if it exists, the view shows it, and the user did not name it.
func (v *view) mask(path string) {
	if !exists(path) || !v.Visible(path) {
		return
	}
	real, err := filepath.EvalSymlinks(path)
	named := slices.Contains(v.unlocked, real) || slices.Contains(v.unmasked, real)
	masked := slices.ContainsFunc(v.Masked, func(m viewBind) bool { return isAbove(m.Target, real) })
	if err == nil && !named && !masked && v.Visible(real) {
		info, err := os.Stat(real)
		v.Masked = append(v.Masked, viewBind{Target: real, Dir: err == nil && info.IsDir()})
	}
}

// Innermost returns the shown place or the cover that decides about a path: the index of the place, or -1 for a cover or
// the machine itself, and whether anything of the path can be seen.
func (v *view) Innermost(path string) (place int, seen bool) {
	place, longest, seen := -1, 0, true
	for _, dir := range v.Covers {
		if isAbove(dir, path) && len(dir) > longest {
			longest, seen = len(dir), false
		}
	}
	for i, b := range v.Shown {
		if isAbove(b.Target, path) && len(b.Target) >= longest {
			place, longest, seen = i, len(b.Target), true
		}
	}
	return place, seen
}

// Visible reports whether programs see what the host has at a path.
func (v *view) Visible(path string) bool {
	place, seen := v.Innermost(path)
	return seen && (place < 0 || v.Shown[place].Source == v.Shown[place].Target)
}

// Writable reports whether programs may write at a path, as far as the mounts decide.
func (v *view) Writable(path string) bool {
	place, seen := v.Innermost(path)
	return seen && place >= 0 && v.Shown[place].Write
}

// makeMountPoints makes, in our own private directories, the places where something is shown.
func (v *view) makeMountPoints() error {
	for _, b := range v.Shown {
		inside, _ := v.Innermost(filepath.Dir(b.Target))
		if inside < 0 || !v.isOurs(v.Shown[inside]) {
			continue
		}
		rest := strings.Trim(strings.TrimPrefix(b.Target, v.Shown[inside].Target), "/")
		if err := mountPoint(v.Shown[inside].Source, rest, b.Dir); err != nil {
			return err
		}
	}
	return nil
}

// mountPoint makes a file or a directory below a directory of ours. Programs may write there: what they put in its place is
// neither followed, where it leads out, nor opened.
func mountPoint(below, name string, dir bool) error {
	root, err := os.OpenRoot(below + "/.")
	if err != nil {
		return err
	}
	defer root.Close()
	if dir {
		return root.MkdirAll(name, 0o755)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}
