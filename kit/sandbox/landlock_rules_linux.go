package sandbox

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// landlockRules expresses the view in Landlock rules, as far as possible: rules only allow, so whatever holds a hidden place
// is allowed child by child.
func landlockRules(v view, p backendPolicy) []rule {
	hidden := slices.Clone(v.Covers)
	for _, m := range v.Masked {
		hidden = append(hidden, m.Target)
	}
	hidden = append(hidden, "/tmp", "/var/tmp", "/dev", p.Private)
	rules := allowExcept("/", hidden)
	rules = append(rules, rule{"/dev/pts", rightsDevice})
	for _, name := range append(deviceNames(), "ptmx") {
		rules = append(rules, rule{"/dev/" + name, rightsDevice})
	}
	for _, b := range v.Shown {
		switch {
		case b.Source != b.Target && b.Write:
			rules = append(rules, rule{b.Source, rightsAll})
		case b.Source != b.Target: // nothing can be put in its place: see GitEnv
			rules = append(rules, rule{b.Source, rightsRead})
		case b.Write:
			rules = append(rules, writeExcept(b.Target, v.Masked, v.Starts())...)
		case !slices.ContainsFunc(v.Masked, func(m viewBind) bool { return isAbove(b.Target, m.Target) }):
			rules = append(rules, rule{b.Target, rightsRead})
		default:
			rules = append(rules, allowExcept(b.Target, hidden)...)
		}
	}
	return rules
}

// writeExcept allows all use of a directory but for masked places in it, and allows the use of start files for reading only.
// Where one of these is below a directory, new entries cannot be made in the directory itself.
func writeExcept(dir string, masked []viewBind, starts []string) []rule {
	below := func(path string) bool { return isAbove(dir, path) }
	switch {
	case slices.ContainsFunc(masked, func(m viewBind) bool { return m.Target == dir }):
		return nil
	case slices.Contains(starts, dir):
		return []rule{{dir, rightsRead}}
	case !slices.ContainsFunc(starts, below) && !slices.ContainsFunc(masked, func(m viewBind) bool { return below(m.Target) }):
		return []rule{{dir, rightsAll}}
	}
	rules := []rule{{dir, unix.LANDLOCK_ACCESS_FS_READ_DIR}}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			rules = append(rules, writeExcept(dir+"/"+e.Name(), masked, starts)...)
		}
	}
	return rules
}

// allowExcept allows reading a directory but for some places in it.
func allowExcept(dir string, hidden []string) []rule {
	if slices.Contains(hidden, dir) {
		return nil
	}
	if !slices.ContainsFunc(hidden, func(h string) bool { return isAbove(dir, h) }) {
		return []rule{{dir, rightsRead}}
	}
	entries, _ := os.ReadDir(dir)
	var rules []rule
	if dir != "/" {
		rules = append(rules, rule{dir, unix.LANDLOCK_ACCESS_FS_READ_DIR})
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			rules = append(rules, allowExcept(strings.TrimSuffix(dir, "/")+"/"+e.Name(), hidden)...)
		}
	}
	return rules
}
