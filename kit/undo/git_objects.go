package undo

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// absolute is the absolute path of an entry, as gitStore knows it.
func (s *Store) absolute(name string) string {
	r, rel := s.rootOf(name)
	return r.dir + "/" + rel
}

// addObjects adds the objects of repositories that go as a whole, because the undone call made them, and leaves out those of
// repositories that will not be there.
func (s *Store) addObjects(p *Plan) {
	wants := map[string]*treeNode{}
	for _, a := range p.actions {
		wants[a.path] = a.want
	}
	p.actions = slices.DeleteFunc(p.actions, func(a action) bool {
		i := strings.LastIndex("/"+a.path+"/", "/objects/")
		if !a.want.Object() || i < 0 {
			return false
		}
		head := joinPath(strings.TrimSuffix(strings.TrimSuffix(a.path[:i], "/"), "/lfs"), "HEAD")
		want, changes := wants[head]
		return changes && want == nil || !changes && s.at(head) == nil
	})
	for _, a := range p.actions {
		full := s.at(a.path)
		if a.want != nil && a.want.Stat.Mode.IsDir() || full.Child("HEAD") == nil {
			continue
		}
		for _, dir := range []string{"objects", "lfs/objects"} {
			full.Find(dir).Each(joinPath(a.path, dir), func(name string, n *treeNode) {
				if n.Object() {
					p.actions = append(p.actions, action{path: name, now: n.Bare()})
				}
			})
		}
	}
}

// listed returns changes as people see them: the objects of a repository are one entry.
func listed(all []treeChange) []Change {
	var list []Change
	seen := map[string]bool{}
	for _, c := range all {
		if c.Before.Object() || c.After.Object() {
			if i := strings.LastIndex(c.Path, "objects/"); i >= 0 {
				c.Path = c.Path[:i] + "objects"
			}
			if seen[c.Path] {
				continue
			}
			seen[c.Path] = true
			dir := &treeNode{Stat: fileStat{Mode: fs.ModeDir | 0o755}}
			if c.Before != nil {
				c.Before = dir
			}
			if c.After != nil {
				c.After = dir
			}
		}
		list = append(list, public(c))
	}
	return list
}

// objectPaths returns the absolute paths of the objects that are there, or that an undo can put back.
func (s *Store) objectPaths() (live []string) {
	add := func(r *root, path string, n *treeNode) {
		n.Each(path, func(path string, n *treeNode) {
			if n.Object() {
				live = append(live, filepath.ToSlash(r.dir)+"/"+path)
			}
		})
	}
	for _, r := range s.roots {
		add(r, "", r.tree)
	}
	for _, rec := range s.log.records {
		for _, c := range rec.changes {
			if r, path := s.rootOf(c.Path); r != nil {
				add(r, path, c.Before)
			}
		}
	}
	return live
}
