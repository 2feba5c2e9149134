package harness

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"rein/event"
	"rein/guard"
	"rein/harness/settings"
	"rein/harness/snapshot"
	"rein/journal"
	"rein/undo"
)

// FileHistory is what the calls of a session did to the files of the workspace: it lists it, and takes it back. The calls of
// sub-agents and jobs are part of it.
type FileHistory struct {
	store   *undo.Store
	session string
	done    func(event.Event) error // records what was taken back
}

// ErrNoUndo is the error where the settings keep nothing.
var ErrNoUndo = errors.New("undo is switched off in the settings: undo.off")

// FileHistory gives what the session did to files.
func (s *Session) FileHistory() (*FileHistory, error) {
	if s.keeper == nil {
		return nil, usageError(ErrNoUndo)
	}
	return &FileHistory{store: s.keeper.Store, session: s.id, done: func(e event.Event) error {
		s.append(e)
		s.hintUndone(e)
		return nil
	}}, nil
}

// FileHistory gives what a recorded session did to files; "" is all sessions of this directory. It need not be open.
func (h *Harness) FileHistory(session string) (*FileHistory, error) {
	if h.settings.Undo.Off {
		return nil, usageError(ErrNoUndo)
	}
	roots := []string{h.root}
	if session != "" {
		if s := h.session(session); s != nil {
			return s.FileHistory()
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
	return &FileHistory{store: store, session: session, done: func(e event.Event) error { return h.recordIn(session, e) }}, nil
}

// session gives an open session; nil if it is not open here.
func (h *Harness) session(id string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

// Steps lists the calls that changed files, the oldest first, and what was taken back. See undo.Step.
func (f *FileHistory) Steps(ctx context.Context, of undo.Filter) ([]undo.Step, error) {
	return f.store.Steps(ctx, f.mine(of))
}

// Changes gives what calls changed together, with diffs: all calls of the session, or those that the filter lets pass.
func (f *FileHistory) Changes(ctx context.Context, of undo.Filter) ([]undo.Change, error) {
	return f.store.Changes(ctx, f.mine(of))
}

// Plan finds out what taking back a selection would do, with diffs and conflicts. Nothing changes.
//
//	the last call                    undo.Selection{Last: 1}
//	one call                         undo.Selection{Filter: undo.Filter{Call: id}}
//	the last undo (a redo)           undo.Selection{Last: 1, Redo: true}
//	all since a message of the user  undo.Selection{Filter: undo.Filter{Message: seq}}, seq is the number of its event
//	a sub-agent                      undo.Selection{Filter: undo.Filter{SubAgent: id}}
//
// undo.ErrNothing means that there is nothing to take back.
func (f *FileHistory) Plan(ctx context.Context, sel undo.Selection) (*undo.Plan, error) {
	sel.Filter = f.mine(sel.Filter)
	return f.store.Plan(ctx, sel)
}

// Undo does what a plan says. Conflicts stay as they are, unless the answers name them. See undo.Store.Apply.
func (f *FileHistory) Undo(ctx context.Context, p *undo.Plan, answers *undo.Answers) (*undo.Outcome, error) {
	out, err := f.store.Apply(ctx, p, undo.Call{Session: f.session}, answers)
	if err != nil || out.Step == 0 {
		return out, err
	}
	e := event.Event{Kind: event.FilesUndone, Files: snapshot.Files(out.Changes)}
	for _, st := range out.Steps {
		e.Files.Steps = append(e.Files.Steps, st.Name())
		e.Files.Redo = e.Files.Redo || st.Undo
	}
	return out, f.done(e)
}

// LastMessage gives the number of the event of the user's last message that a call which changed files serves; 0 if
// there is none.
func (f *FileHistory) LastMessage(ctx context.Context) (int64, error) {
	steps, err := f.Steps(ctx, undo.Filter{})
	var last int64
	for _, st := range steps {
		if !st.Undo && !st.Undone {
			last = max(last, st.Call.Message)
		}
	}
	return last, err
}

func (f *FileHistory) mine(of undo.Filter) undo.Filter {
	if of.Session == "" {
		of.Session = f.session
	}
	return of
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
	o := h.settings.Undo.Options(roots, []string{d.Config, d.Sessions, d.Output, d.Private, d.State})
	o.Alive = snapshot.Alive(h.jobs)
	s, err := undo.Open(filepath.Join(d.State, "undo", settings.WorkspaceName(h.root)), o)
	if err == nil {
		h.stores[key] = s
	}
	return s, err
}

// jobs counts the jobs of all sessions.
func (h *Harness) jobs() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		n += len(s.jobs.Running())
	}
	return n
}

// openKeeper makes what keeps files around the session's calls.
func (s *Session) openKeeper() error {
	if s.h.settings.Undo.Off {
		return nil
	}
	store, err := s.h.undoStore(s.workspace.Dirs())
	if err != nil {
		return err
	}
	s.keeper = &snapshot.Keeper{Store: store, Session: s.id, Mask: s.h.mask.String, Goes: s.jobOf, Record: s.append}
	if len(s.h.settings.Format) == 0 { // a formatter may change other files
		s.keeper.Exact = ConfinedTools()
	}
	return nil
}

// lastChange gives undo_edit the last change of a file.
func (s *Session) lastChange() func(string) (undo.Replaced, bool, error) {
	if s.keeper == nil {
		return nil
	}
	return func(name string) (undo.Replaced, bool, error) {
		return s.keeper.Store.LastOf(context.Background(), undo.Filter{Session: s.id, Path: name}, "undo_edit")
	}
}

// jobOf gives a channel that is closed when the job that a call left running ends; nil when it left none.
func (s *Session) jobOf(call string) <-chan struct{} {
	for _, job := range s.jobs.Running() {
		if job.Call == call {
			return job.Done()
		}
	}
	return nil
}

// keepAhead keeps the files while the model thinks, where calls may change them.
func (s *Session) keepAhead() {
	s.changing.Lock()
	mode := s.mode
	s.changing.Unlock()
	if s.keeper != nil && mode != guard.ReadOnly && mode != guard.Plan {
		s.keeper.Ahead()
	}
}

// seen takes note of an event of the session, as it is recorded or read again.
func (s *Session) seen(e event.Event) {
	if s.keeper != nil && e.Kind == event.Prompted {
		s.keeper.Message.Store(e.Seq)
	}
	s.reviewer.See(e)
	s.touched(e)
}

// hintUndone tells the model which files are not as its calls left them.
func (s *Session) hintUndone(e event.Event) {
	if s.conversation != nil && e.Files != nil {
		s.conversation.Hint(snapshot.Undone(e.Files))
	}
}

// recordIn records an event in the journal of a session that is not open here. Another process that has it open goes on
// without it.
func (h *Harness) recordIn(session string, e event.Event) error {
	if session == "" {
		return nil
	}
	dir, err := journal.Dir(h.dirs.Sessions, session)
	if err != nil {
		return err
	}
	f, _, err := journal.Open(dir)
	if errors.Is(err, journal.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	f.Mask = h.mask.Bytes
	e.Session = session
	return errors.Join(f.Append(e), f.Close())
}
