package harness

import (
	"path/filepath"
	"slices"
	"strings"

	"rein/app/settings"
	"rein/guard"
	"rein/tool"
)

// normalize names files by their one canonical name, so that a guard judges the target of a link and not the name
// of the link. It reads the text of a command: a command that only reads need not wait for others as if it wrote everywhere.
func (g *guarded) normalize(i tool.Intent) tool.Intent {
	i.Reads, i.Writes = g.canonical(i.Reads), g.canonical(i.Writes)
	for _, name := range i.Writes {
		g.trust.See(filepath.Join(g.workspace.Dir(), name))
	}
	if i.Command == "" {
		return i
	}
	r := g.guards.Programs.Read(guard.Case{Root: g.workspace.Dir(), Intent: i})
	for _, name := range slices.Concat(r.Writes, r.Removes, r.Git) {
		g.trust.See(name)
	}
	if i.Surroundings = surroundingsOf(r, append(g.workspace.Dirs(), settings.HomeDir())); i.Surroundings != nil {
		r = g.guards.Programs.Read(guard.Case{Root: g.workspace.Dir(), Intent: i})
	}
	if r.ChangesNothing() {
		i.Unknown = false
	}
	return i
}

// canonical names files as the workspace does; names outside it, and references to outputs, stay as they are.
func (e *equipped) canonical(names []string) []string {
	if len(names) == 0 {
		return names
	}
	all := make([]string, len(names))
	for k, name := range names {
		if all[k] = name; !strings.HasPrefix(name, tool.OutputScheme) {
			all[k] = e.key(name)
		}
	}
	return all
}

// key returns the one name of a file, whatever its spelling. The name of a file outside the workspace keeps its spelling.
func (e *equipped) key(path string) string {
	if name, err := e.workspace.Resolve(path); err == nil {
		return name
	}
	return filepath.ToSlash(filepath.Clean(settings.UnderHome(path)))
}
