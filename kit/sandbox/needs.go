package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
)

// FileEffects are what a program would do to files, by absolute paths.
type FileEffects struct {
	Reads   []string
	Writes  []string // files, and directories in which it would make something
	Removes []string
}

// Closed is the error that a place cannot be opened to a program.
type Closed struct {
	Path string
	Why  string
}

// Error names the place and the reason.
func (c *Closed) Error() string { return c.Path + " cannot be opened to a program: " + c.Why }

// Needs returns what must be opened so that a program has effects that it would have outside of the sandbox: nothing for what it can do
// as it is. may is asked about each place outside of the workspace; it returns an error where nobody may open it. The error is a
// *Closed where an effect would not be had whatever is opened.
func (b *Box) Needs(ctx context.Context, e FileEffects, may func(path string, write bool) error) (Opened, error) {
	if err := b.Prepare(ctx); err != nil || b.view == nil {
		return Opened{}, err
	}
	v := b.view.Protect(b.inner.EnvFiles)
	n := needs{view: &v, policy: &b.inner, may: may}
	for _, path := range e.Reads {
		n.read(path)
	}
	for _, path := range e.Writes {
		n.write(path, false)
	}
	for _, path := range e.Removes {
		n.write(path, true)
	}
	n.opened.Read = slices.DeleteFunc(n.opened.Read, func(path string) bool { // a mount of its own could not be replaced
		return slices.ContainsFunc(n.opened.Write, func(dir string) bool { return isAbove(dir, path) })
	})
	if n.err == nil && !n.opened.IsZero() {
		n.view = b.seenBy(Spec{Opened: n.opened})
		n.check(e)
	}
	if n.err != nil {
		return Opened{}, n.err
	}
	return n.opened, nil
}

// needs collects what must be opened.
type needs struct {
	view   *view
	policy *backendPolicy
	may    func(path string, write bool) error
	opened Opened
	err    error // the first
}

func (n *needs) closed(path, why string) {
	if n.err == nil {
		n.err = &Closed{path, why}
	}
}

// open adds a place outside of the workspace.
func (n *needs) open(place string, write bool) {
	list := &n.opened.Read
	if write {
		list = &n.opened.Write
	}
	if slices.Contains(*list, place) {
		return
	}
	err := n.may(place, write)
	if err == nil {
		err = n.policy.Openable(place)
	}
	if err != nil {
		n.closed(place, err.Error())
		return
	}
	*list = append(*list, place)
}

// read opens what is needed to read a path. What is not there is no more there outside.
func (n *needs) read(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	if n.masked(real) {
		if n.policy.Grants(real) && !slices.Contains(n.opened.Read, real) {
			n.opened.Read = append(n.opened.Read, real)
		} else if !n.policy.Grants(real) {
			n.closed(path, "it may hold credentials")
		}
		return
	}
	if !n.view.Visible(real) {
		n.open(real, false)
	}
}

// write opens what is needed to write or remove a path: its directory outside of the workspace, since programs replace files as often as
// they write into them; in the workspace what the sandbox protects by its name.
func (n *needs) write(path string, remove bool) {
	place := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() || remove {
		place = filepath.Dir(path)
	}
	for !exists(place) {
		place = filepath.Dir(place)
	}
	dir, err := filepath.EvalSymlinks(place)
	if err != nil {
		n.closed(path, err.Error())
		return
	}
	target := dir
	if rest, err := filepath.Rel(place, path); err == nil {
		target = filepath.Join(dir, rest)
	}
	if real, err := filepath.EvalSymlinks(target); err == nil && !remove {
		target = real // what is written is what a link leads to
		if dir != real {
			dir = filepath.Dir(real)
		}
	}
	switch {
	case slices.ContainsFunc(n.policy.Hidden, func(own string) bool { return isAbove(target, own) || isAbove(own, target) }):
		n.closed(path, "it contains files of the program that runs the sandbox")
	case n.policy.Grants(target):
		n.unlock(target, remove)
	case !n.view.Visible(dir) || !n.view.Writable(dir):
		n.open(dir, true)
	}
}

// unlock opens what protects a path of the workspace, and, for what is removed, all below it.
func (n *needs) unlock(target string, remove bool) {
	for _, l := range slices.Concat(n.view.Locked, n.view.Masked) {
		above, below := isAbove(l.Target, target) && !l.Write, remove && isAbove(target, l.Target)
		if (above || below) && !slices.Contains(n.opened.Write, l.Target) {
			n.opened.Write = append(n.opened.Write, l.Target)
		}
	}
}

func (n *needs) masked(path string) bool {
	return slices.ContainsFunc(n.view.Masked, func(m viewBind) bool { return isAbove(m.Target, path) })
}

// check makes sure that what is opened suffices: a file of secrets in an opened directory stays closed, and so does what is protected.
func (n *needs) check(e FileEffects) {
	for _, path := range e.Reads {
		if real, err := filepath.EvalSymlinks(path); err == nil && (n.masked(real) || !n.view.Visible(path) || !n.view.Visible(real)) {
			n.closed(path, "it may hold credentials, or is reached through a link")
		}
	}
	for _, path := range slices.Concat(e.Writes, e.Removes) {
		real := path
		for !exists(real) {
			real = filepath.Dir(real)
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(real))
		if err != nil {
			continue
		}
		if real = filepath.Join(dir, filepath.Base(real)); n.masked(real) || where(n.view, real) != placeWritable || !n.view.Visible(path) {
			n.closed(path, "it may hold credentials, or is protected there")
		}
	}
}
