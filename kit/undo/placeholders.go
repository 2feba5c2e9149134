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
		if a.want != nil || a.now == nil || !a.now.Stat.Mode.IsDir() {
			continue
		}
		for _, k := range s.at(a.path).Kids {
			if name := joinPath(a.path, k.Name); !planned[name] && isPlaceholder(s, name, k) {
				p.actions = append(p.actions, action{path: name, now: k})
			}
		}
	}
}

// isPlaceholder reports an empty file that the sandbox makes in a repository where it is missing, so that no program makes it. It appears
// between calls, belongs to none, and says nothing.
func isPlaceholder(s *Store, name string, n *treeNode) bool {
	if n == nil || n.Left != "" || !n.Stat.Mode.IsRegular() || n.Stat.Size > 0 || !s.gitPath(name) {
		return false
	}
	base := path.Base(name)
	return base == "config" || base == "config.worktree" || strings.HasSuffix(name, "info/attributes")
}
