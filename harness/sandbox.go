package harness

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"rein/event"
	"rein/guard"
	"rein/harness/settings"
	"rein/model"
	"rein/sandbox"
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

// checkRoot refuses a workspace that is the whole machine.
func checkRoot(root string) error {
	if filepath.Dir(root) == root {
		return inputError(fmt.Errorf("the workspace would be the whole machine, %s: go into a directory, or name one with --cwd", root))
	}
	return nil
}

// ownDirs are where rein keeps settings, records and keys. No program sees them.
func (h *Harness) ownDirs() []string {
	d := h.dirs
	return []string{d.Config, d.Sessions, d.State, d.Private, d.Output, filepath.Dir(settings.ManagedFile())}
}

// checkOwnDirs refuses a workspace that holds directories of rein's own, such as a REIN_HOME inside a project. In a home
// directory they have their usual places, and the sandbox keeps programs from them.
func (h *Harness) checkOwnDirs() error {
	for _, root := range append([]string{h.root}, h.options.AddDirs...) {
		if lies(settings.HomeDir(), root) {
			continue
		}
		for _, dir := range h.ownDirs() {
			if lies(dir, root) {
				return inputError(fmt.Errorf("%s, where rein keeps its own files, lies in the workspace %s: set REIN_HOME to a directory outside it", dir, root))
			}
		}
	}
	return nil
}

// lies reports whether a path is a directory or lies below it. Links are resolved as far as the path is there.
func lies(path, dir string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// isHome reports whether the workspace is the user's home directory.
func isHome(root string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	return root == home
}

// privateDir is where programs of this workspace keep caches and settings of their own. It is "", a directory for this
// session only, where it would lie in a directory that programs may write, as when the workspace is the home directory.
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
