package undo

import (
	"path/filepath"
	"slices"
	"strings"

	"rein/undo/internal/disk"
)

// Git's objects and packs never change, and ordinary commands only add to them. So they are not read: a link to each is kept
// as soon as it is seen. What is added is no change that an undo takes back, and what is removed is put back.

// object reports whether a node is a kept object of git, or a directory of them.
func (n *node) object() bool { return n != nil && n.left == kept }

// object keeps one of git's objects.
func (v *visit) object(name string, old *node, st disk.Stat) *node {
	if old.object() && old.stat.Size == st.Size {
		return old
	}
	if !v.objects.Keep(v.dir, name, v.root+"/"+join(v.path, name), st.Size) {
		return v.without(name, old, st, GitObjects)
	}
	return v.without(name, old, st, kept)
}

// absolute is the absolute path of an entry, as gitobjects.Store knows it.
func (s *Store) absolute(name string) string {
	r, rel := s.rootOf(name)
	return r.dir + "/" + rel
}

// addObjects adds the objects of repositories that go as a whole, because the undone call made them, and leaves out those of
// repositories that will not be there.
func (s *Store) addObjects(p *Plan) {
	wants := map[string]*node{}
	for _, a := range p.actions {
		wants[a.path] = a.want
	}
	p.actions = slices.DeleteFunc(p.actions, func(a action) bool {
		i := strings.LastIndex("/"+a.path+"/", "/objects/")
		if !a.want.object() || i < 0 {
			return false
		}
		head := join(strings.TrimSuffix(a.path[:i], "/"), "HEAD")
		want, changes := wants[head]
		return changes && want == nil || !changes && s.at(head) == nil
	})
	for _, a := range p.actions {
		full := s.at(a.path)
		if a.want != nil && a.want.stat.Mode.IsDir() || full.child("HEAD") == nil {
			continue
		}
		if objects := full.child("objects"); objects.object() {
			objects.walk(join(a.path, "objects"), func(name string, n *node) {
				if n.object() {
					p.actions = append(p.actions, action{path: name, now: n.bare()})
				}
			})
		}
	}
}

// listed gives changes as people see them: the objects of a repository are one entry.
func listed(all []change) []Change {
	var list []Change
	seen := map[string]bool{}
	for _, c := range all {
		if c.before.object() || c.after.object() {
			if i := strings.LastIndex(c.path, "objects/"); i >= 0 {
				c.path = c.path[:i] + "objects"
			}
			if seen[c.path] {
				continue
			}
			seen[c.path] = true
			dir := &node{stat: disk.Stat{Mode: dirMode}}
			if c.before != nil {
				c.before = dir
			}
			if c.after != nil {
				c.after = dir
			}
		}
		list = append(list, c.public())
	}
	return list
}

// objectPaths gives the absolute paths of the objects that are there, or that an undo can put back.
func (s *Store) objectPaths() (live []string) {
	add := func(r *root, path string, n *node) {
		n.walk(path, func(path string, n *node) {
			if n.object() {
				live = append(live, filepath.ToSlash(r.dir)+"/"+path)
			}
		})
	}
	for _, r := range s.roots {
		add(r, "", r.tree)
	}
	for _, rec := range s.log.records {
		for _, c := range rec.changes {
			if r, path := s.rootOf(c.path); r != nil {
				add(r, path, c.before)
			}
		}
	}
	return live
}
