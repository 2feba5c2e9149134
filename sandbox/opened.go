package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Opened are places that a program may use beside those of the policy: what the user opened later, for a while. They
// are absolute and have no links in them. A file or directory of the workspace that the sandbox protects or hides is
// opened by its own name; one that lies below a place here stays as it is.
type Opened struct {
	Write []string // directories, with all below them
	Read  []string // files and directories
}

// IsZero reports whether nothing is opened.
func (o Opened) IsZero() bool { return len(o.Write)+len(o.Read) == 0 }

// unopenable are places whose content is not only files: what lies there stays as the sandbox makes it.
var unopenable = []string{"/proc", "/sys", "/dev", "/run"}

// CheckOpened returns an error if access to a place cannot be granted: it must be there, be named without links, and hold neither what
// belongs to the system nor what belongs to the sandbox itself; in the workspace only what the sandbox closes can be.
func (b *Box) CheckOpened(path string) error {
	if err := b.policy.openable(path); err != nil || !b.policy.grants(path) {
		return err
	}
	_, err := b.Backend(context.Background())
	if err == nil && !b.closes(path) {
		err = fmt.Errorf("%s lies in the workspace, and the sandbox does not close it by this name", path)
	}
	return err
}

// closes reports whether the sandbox protects or masks a path by this very name.
func (b *Box) closes(path string) bool {
	if b.view == nil {
		return false
	}
	v := b.view.protect(b.policy.EnvFiles)
	return slices.ContainsFunc(v.masked, func(m bind) bool { return m.target == path }) ||
		slices.ContainsFunc(v.locked, func(l bind) bool { return !l.write && l.target == path })
}

func (p *Policy) openable(path string) error {
	real, err := filepath.EvalSymlinks(path)
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("%q is not an absolute path", path)
	case err != nil:
		return err
	case real != path:
		return fmt.Errorf("%s leads through a link to %s", path, real)
	case real == "/" || slices.ContainsFunc(unopenable, func(dir string) bool { return above(dir, real) }):
		return fmt.Errorf("%s is the system's own", real)
	case p.Private != "" && (above(real, p.Private) || above(p.Private, real)):
		return fmt.Errorf("%s holds what the sandbox itself needs", real)
	}
	return nil
}

// opened gives the policy for a program that may use more; more is false where that is the same one.
func (p Policy) opened(o Opened) (wide Policy, more bool, err error) {
	if o.IsZero() {
		return p, false, nil
	}
	p.Writable, p.Readable = slices.Clone(p.Writable), slices.Clone(p.Readable)
	p.unlocked, p.unmasked = slices.Clone(p.unlocked), slices.Clone(p.unmasked)
	for _, path := range append(slices.Clone(o.Write), o.Read...) {
		if err := p.openable(path); err != nil {
			return p, false, fmt.Errorf("sandbox: it cannot be opened: %w", err)
		}
	}
	for _, path := range o.Write {
		if p.grants(path) {
			p.unlocked = append(p.unlocked, path)
		} else {
			p.Writable = append(p.Writable, path)
		}
	}
	for _, path := range o.Read {
		if p.grants(path) {
			p.unmasked = append(p.unmasked, path)
		} else {
			p.Readable = append(p.Readable, path)
		}
	}
	return p, true, nil
}

// open takes the locks and masks from what was opened by its own name; what was opened for reading only is locked.
func (v *view) open() {
	v.masked = slices.DeleteFunc(v.masked, func(m bind) bool {
		return slices.Contains(v.unlocked, m.target) || slices.Contains(v.unmasked, m.target)
	})
	v.locked = slices.DeleteFunc(v.locked, func(l bind) bool { return !l.write && slices.Contains(v.unlocked, l.target) })
	for _, path := range v.unmasked {
		if info, err := os.Lstat(path); err == nil && !slices.Contains(v.unlocked, path) {
			v.locked = append(v.locked, bind{source: path, target: path, dir: info.IsDir()})
		}
	}
}

// key names a set of openings.
func (o Opened) key() string {
	return strings.Join(o.Write, "\x00") + "\x00\x00" + strings.Join(o.Read, "\x00")
}
