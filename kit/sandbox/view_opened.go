package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// unopenable are places whose content is not only files: what is there stays as the sandbox makes it.
var unopenable = []string{"/proc", "/sys", "/dev", "/run"}

// Closes reports whether the view protects or masks a path by this very name.
func (v view) Closes(path string, envFiles bool) bool {
	v = v.Protect(envFiles)
	return slices.ContainsFunc(v.Masked, func(m viewBind) bool { return m.Target == path }) ||
		slices.ContainsFunc(v.Locked, func(l viewBind) bool { return !l.Write && l.Target == path })
}

// Openable returns an error if access to a place cannot be granted, wherever it lies.
func (p *backendPolicy) Openable(path string) error {
	real, err := filepath.EvalSymlinks(path)
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("%q is not an absolute path", path)
	case err != nil:
		return err
	case real != path:
		return fmt.Errorf("%s leads through a link to %s", path, real)
	case real == "/" || slices.ContainsFunc(unopenable, func(dir string) bool { return isAbove(dir, real) }):
		return fmt.Errorf("%s is the system's own", real)
	case slices.ContainsFunc(p.Hidden, func(own string) bool { return isAbove(real, own) || isAbove(own, real) }):
		return fmt.Errorf("%s contains files of the program that runs the sandbox", real)
	case p.Private != "" && (isAbove(real, p.Private) || isAbove(p.Private, real)):
		return fmt.Errorf("%s holds what the sandbox itself needs", real)
	}
	return nil
}

// For returns the policy for a program that may use more, or less; other is false where that is the same one.
func (p backendPolicy) For(spec Spec) (own backendPolicy, other bool, err error) {
	o := spec.Opened
	if o.IsZero() && !spec.ReadOnly {
		return p, false, nil
	}
	p.readOnly = p.readOnly || spec.ReadOnly
	p.Writable, p.Readable = slices.Clone(p.Writable), slices.Clone(p.Readable)
	p.unlocked, p.unmasked = slices.Clone(p.unlocked), slices.Clone(p.unmasked)
	for _, path := range append(slices.Clone(o.Write), o.Read...) {
		if err := p.Openable(path); err != nil {
			return p, false, fmt.Errorf("sandbox: it cannot be opened: %w", err)
		}
	}
	for _, path := range o.Write {
		if p.Grants(path) {
			p.unlocked = append(p.unlocked, path)
		} else {
			p.Writable = append(p.Writable, path)
		}
	}
	for _, path := range o.Read {
		if p.Grants(path) {
			p.unmasked = append(p.unmasked, path)
		} else {
			p.Readable = append(p.Readable, path)
		}
	}
	return p, true, nil
}

// open takes the locks and masks from what was opened by its own name; what was opened for reading only is locked.
func (v *view) open() {
	v.Masked = slices.DeleteFunc(v.Masked, func(m viewBind) bool {
		return slices.Contains(v.unlocked, m.Target) || slices.Contains(v.unmasked, m.Target)
	})
	v.Locked = slices.DeleteFunc(v.Locked, func(l viewBind) bool { return slices.Contains(v.unlocked, l.Target) })
	for _, path := range v.unmasked {
		if info, err := os.Lstat(path); err == nil && !slices.Contains(v.unlocked, path) {
			v.Locked = append(v.Locked, viewBind{Source: path, Target: path, Dir: info.IsDir()})
		}
	}
}
