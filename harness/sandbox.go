package harness

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"sync"

	"rein/event"
	"rein/guard"
	"rein/harness/settings"
	"rein/kit/sandbox"
	"rein/model"
)

// openSandbox makes the session's sandbox. It starts nothing: the first program does, or preparing.
func (s *Session) openSandbox() error {
	places, err := settings.FilesOf(s.h.layers)
	if err != nil {
		return err
	}
	dirs := s.workspace.Dirs()
	s.confine = sandbox.Policy{
		Workspace: dirs[0], Writable: dirs[1:], Mode: sandbox.Mode(s.how.Sandbox), Only: s.h.options.Backend, Warn: s.h.options.Warn,
		Limits: s.h.settings.Programs.Limits(), Private: s.privateDir(dirs), Hidden: s.h.ownDirs(), Readable: s.readable,
	}
	own := s.confine
	own.Proxy, own.Opened = s.access.Proxy(), s.access.Settle(places, s.h.options.Warn)
	s.box, err = sandbox.New(own)
	if err != nil {
		return settings.Error{Err: settings.Unwritable(err)}
	}
	return nil
}

// ownDirs are where rein keeps settings, records and keys. No program sees them.
func (h *Harness) ownDirs() []string {
	d := h.dirs
	return []string{d.Config, d.Sessions, d.State, d.Private, d.Output, filepath.Dir(settings.ManagedFile())}
}

// privateDir is where programs of this workspace keep caches and settings of their own. It is "", a directory for this
// session only, where it would be in a directory that programs may write, as when the workspace is the home directory.
func (s *Session) privateDir(writable []string) string {
	private := filepath.Join(s.h.dirs.Private, cmp.Or(s.h.options.Private, settings.WorkspaceName(writable[0])))
	for _, dir := range writable {
		if rel, err := filepath.Rel(dir, private); err != nil || filepath.IsLocal(rel) {
			return ""
		}
	}
	return private
}

// isolation gives the guards what the sandbox enforces. It prepares the sandbox if nothing has done so yet.
func (s *Session) isolation() guard.Isolation {
	backend, err := s.backend()
	switch {
	case err != nil:
		return guard.NoIsolation
	case backend == sandbox.BackendNamespaces || backend == sandbox.BackendBubblewrap:
		return guard.FullIsolation
	case backend == sandbox.BackendLandlock || backend == sandbox.BackendSeatbelt:
		return guard.FileIsolation
	}
	return guard.NoIsolation
}

// backend prepares the sandbox if nothing has done so yet, and records, the first time, which backend it has.
func (s *Session) backend() (sandbox.Backend, error) {
	backend, err := s.box.Backend(context.Background())
	s.prepared.Do(func() {
		text := "sandbox backend: " + backend.String()
		if err != nil {
			text = err.Error()
		}
		s.append(event.Event{Kind: event.Audit, Text: text})
	})
	return backend, err
}

// preparing is a model that prepares the session's sandbox when an answer begins a tool call: while the rest of the call
// comes, and not before anything needs it.
type preparing struct {
	model.Model
	session *Session
	begun   *sync.Once
}

// Stream passes the answer on.
func (p preparing) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for chunk, err := range p.Model.Stream(ctx, r) {
			if chunk.Kind == model.CallStart {
				p.begun.Do(func() { p.session.running.Go(func() { _, _ = p.session.backend() }) })
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}
