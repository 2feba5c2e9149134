package extend

import (
	"fmt"

	"rein/hook"
)

// HookSources are where the hooks of a session come from.
type HookSources struct {
	Files   []HookFile
	Read    func(path string) ([]byte, error)   // see ReadHooks
	Trusted func(path string, text []byte) bool // see ReadHooks
	Said    func(path string) bool              // the user knows already that a file is not trusted; nil: of none
	Own     []hook.Hook                         // of the embedder: they run before those of the files
	Off     bool                                // only Own
	Warn    func(string)                        // receives lines for the user; nil drops them
}

// Set makes the set of hooks of a session. The files are read at the first event.
func (r HookRunner) Set(s HookSources, mostStops int) *hook.Set {
	return &hook.Set{MostStops: mostStops, Hooks: func() []hook.Hook {
		if s.Off {
			return s.Own
		}
		entries, warnings := ReadHooks(s.Files, s.Read, s.Trusted)
		if s.Warn != nil {
			for _, line := range append(warnings, s.notRunNotes(entries)...) {
				s.Warn(line)
			}
		}
		return append(s.Own[:len(s.Own):len(s.Own)], r.Hooks(entries)...)
	}}
}

// notRunNotes are the lines for the user about hooks that do not run. Files of other programs may have hooks that rein does not know.
func (s *HookSources) notRunNotes(entries []HookEntry) []string {
	var lines []string
	untrusted := map[string]int{}
	for _, e := range entries {
		switch {
		case e.Untrusted && s.Said != nil && s.Said(e.File.Path):
		case e.Untrusted:
			if untrusted[e.File.Path]++; untrusted[e.File.Path] == 1 {
				lines = append(lines, fmt.Sprintf("%s: its hooks do not run, because you have not trusted the file as it is now; rein hooks list shows them", e.File.Path))
			}
		case e.Skipped != "" && e.File.Format == "rein":
			lines = append(lines, fmt.Sprintf("%s: the hook %q for %s does not run: %s", e.File.Path, e.Handler.Name(), e.Event, e.Skipped))
		}
	}
	return lines
}
