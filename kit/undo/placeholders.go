package undo

import (
	"path"
	"strings"
)

// addPlaceholders adds to a plan that what the sandbox made in a directory of git goes with it.
func addPlaceholders(s *Store, p *Plan) {
	planned := map[string]bool{}
	for _, a := range p.actions {
		planned[a.path] = true
	}
	for _, a := range p.actions {
		if a.want == nil && a.now != nil && a.now.Stat.Mode.IsDir() {
			addPlaceholdersIn(s, a.path, s.at(a.path), planned, p)
		}
	}
}

func addPlaceholdersIn(s *Store, dir string, n *treeNode, planned map[string]bool, p *Plan) {
	for _, k := range n.Kids {
		if name := joinPath(dir, k.Name); !planned[name] && isPlaceholder(s, name, k) {
			p.actions = append(p.actions, action{path: name, now: k.Bare()})
			addPlaceholdersIn(s, name, k, planned, p)
		}
	}
}

// isPlaceholder reports what the sandbox makes in a repository where it is missing, so that no program makes it: empty files, and an empty
// directory of hooks. They appear between calls, belong to none, and say nothing.
func isPlaceholder(s *Store, name string, n *treeNode) bool {
	if n == nil || n.Left != "" || !s.gitPath(name) {
		return false
	}
	switch base := path.Base(name); {
	case n.Stat.Mode.IsDir():
		return base == "hooks" && len(n.Kids) == 0 || base == "info" && len(n.Kids) == 1 && isPlaceholder(s, joinPath(name, n.Kids[0].Name), n.Kids[0])
	case n.Stat.Mode.IsRegular():
		return n.Stat.Size == 0 && (base == "config" || base == "config.worktree" || strings.HasSuffix(name, "info/attributes"))
	}
	return false
}
