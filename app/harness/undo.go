package harness

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/app/settings"
	"rein/event"
	"rein/kit/sandbox"
	"rein/kit/undo"
)

// errNoUndo is the error where the settings keep nothing.
var errNoUndo = errors.New("undo is switched off in the settings: undo.off")

// FileHistory returns what the session did to files.
func (s *Session) FileHistory() (*UndoHistory, error) {
	if s.keeper == nil {
		return nil, usageError(errNoUndo)
	}
	return &UndoHistory{Store: s.keeper.Store, Session: s.id, Done: func(e event.Event) error {
		s.record.append(e)
		if e.Files != nil { // the model reads which files are not as its calls left them
			s.record.hint("", undoneNote(e.Files))
		}
		return nil
	}}, nil
}

// FileHistory returns what a recorded session did to files; "" is all sessions of this directory. It need not be open.
func (h *Harness) FileHistory(session string) (*UndoHistory, error) {
	if h.settings.Undo.Off {
		return nil, usageError(errNoUndo)
	}
	roots := []string{h.root}
	if session != "" {
		if s, ok := h.sessions.Load(session); ok {
			return s.(*Session).FileHistory()
		}
		recorded, err := Recorded(h.dirs.Sessions, session)
		if err != nil {
			return nil, err
		}
		roots = append(roots, recorded.AddDirs...)
	}
	store, err := h.undoStore(append(roots, h.options.AddDirs...))
	if err != nil {
		return nil, err
	}
	return &UndoHistory{Store: store, Session: session, Done: func(e event.Event) error { return h.store.Record(session, e, h.mask.Bytes) }}, nil
}

// undoStore opens what is kept of the directories. Sessions of the same directories share it.
func (h *Harness) undoStore(roots []string) (*undo.Store, error) {
	key := strings.Join(roots, "\x00")
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.stores[key]; s != nil {
		return s, nil
	}
	d := h.dirs
	for _, dir := range slices.Clone(roots) {
		if git := sandbox.RepositoryAbove(dir); git != "" && !slices.ContainsFunc(roots, func(r string) bool { return strings.HasPrefix(git, r+string(filepath.Separator)) }) {
			roots = append(roots, git)
		}
	}
	set := h.settings.Undo
	s, err := undo.Open(h.UndoDir(h.root), undo.Options{Roots: roots, Skip: []string{d.Config, d.Sessions, d.Output, d.Private, d.State}, Alive: aliveProcesses(h.jobs),
		Quota: set.Quota, Age: time.Duration(set.Age), MaxFile: set.MaxFile, MaxIgnored: set.MaxIgnored, Ignored: set.Ignored, MaxEntries: set.MaxEntries, MinFree: set.MinFree, KeepTimes: set.KeepTimes})
	if err == nil {
		h.stores[key] = s
	}
	return s, err
}

// UndoDir is where is kept what calls did to the files of a workspace.
func (h *Harness) UndoDir(root string) string {
	return filepath.Join(h.dirs.State, "undo", settings.WorkspaceName(root))
}

// jobs counts the commands that run in the background.
func (h *Harness) jobs() (n int) {
	for _, s := range h.sessions.Range {
		n += len(s.(*Session).jobs.Running())
	}
	return n
}

// keepAhead keeps the files while the model thinks, where calls may change them.
func (s *Session) keepAhead() {
	if s.keeper != nil && !s.terms.readOnly() {
		s.keeper.Ahead()
	}
}
