package harness

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"rein/guard"
	"rein/harness/settings"
	"rein/harness/surroundings"
	"rein/kit/workspace"
	"rein/spill"
	"rein/tool"
)

// normalize names files by their one canonical name, so that a guard judges the target of a link and not the name
// of the link. It reads the text of a command: a command that only reads need not wait for others as if it wrote everywhere.
func (s *Session) normalize(i tool.Intent) tool.Intent {
	i.Reads, i.Writes = s.canonical(i.Reads), s.canonical(i.Writes)
	for _, name := range i.Writes {
		s.trust.See(filepath.Join(s.workspace.Dir(), name))
	}
	if i.Command == "" {
		return i
	}
	r := s.guards.Programs.Read(guard.Case{Root: s.workspace.Dir(), Intent: i})
	for _, name := range slices.Concat(r.Writes, r.Removes, r.Git) {
		s.trust.See(name)
	}
	if i.Surroundings = surroundings.Of(r, append(s.workspace.Dirs(), settings.HomeDir())); i.Surroundings != nil {
		r = s.guards.Programs.Read(guard.Case{Root: s.workspace.Dir(), Intent: i})
	}
	if r.ChangesNothing() {
		i.Unknown = false
	}
	return i
}

// canonical names files as the workspace does; names outside it, and references to outputs, stay as they are.
func (s *Session) canonical(names []string) []string {
	if len(names) == 0 {
		return names
	}
	all := make([]string, len(names))
	for k, name := range names {
		if all[k] = name; !strings.HasPrefix(name, spill.Scheme) {
			all[k] = s.key(name)
		}
	}
	return all
}

// Files lists the files of the workspace that ignore files do not exclude, relative to it, at most most of them. A front end
// offers them for completion.
func (s *Session) Files(ctx context.Context, most int) ([]string, error) {
	found, err := s.workspace.Walk(ctx, ".", workspace.WalkOptions{MaxEntries: most})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range found.Entries {
		if e.Type == 0 {
			names = append(names, e.Path)
		}
	}
	return names, nil
}
