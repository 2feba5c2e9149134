package harness

import (
	"strings"

	"rein/guard"
	"rein/guard/shell"
	"rein/spill"
	"rein/tool"
)

// normalize names files by their one canonical name, so that a guard judges the target of a link and not the name
// of the link. It reads the text of a command: a command that only reads need not wait for others as if it wrote everywhere.
func (s *Session) normalize(i tool.Intent) tool.Intent {
	i.Reads, i.Writes = s.canonical(i.Reads), s.canonical(i.Writes)
	if i.Command == "" {
		return i
	}
	r := s.guards.Programs.Read(guard.Case{Root: s.workspace.Dir(), Intent: i})
	if i.Surroundings = around(r); i.Surroundings != nil {
		r = s.guards.Programs.Read(guard.Case{Root: s.workspace.Dir(), Intent: i})
	}
	if r.Class() <= shell.Own && len(r.Writes)+len(r.Removes) == 0 {
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
