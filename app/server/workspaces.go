package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"rein/app/harness"
	"rein/app/server/api"
)

// workspaces are the directories that are served.
type workspaces struct {
	all      []*servedWorkspace // in the order of Options.Workspaces; they do not change
	changing sync.Mutex         // held while a settings file is changed

	reloading sync.Mutex         // held while the settings are read; it guards old
	old       []*harness.Harness // of reloads before the last one: their sessions continue
}

// servedWorkspace is one directory that is served.
type servedWorkspace struct {
	dir   string
	h     *harness.Harness                // since the start: recordings, the inbox, and the sessions that began before a reload
	fresh atomic.Pointer[harness.Harness] // with the settings of the last reload; nil before the first one
	inbox inboxState
}

// shortName is the last part of a workspace's directory, or all of it where another one has the same.
func shortName(dir string, all []*servedWorkspace) string {
	name := filepath.Base(dir)
	if slices.ContainsFunc(all, func(w *servedWorkspace) bool { return w.dir != dir && filepath.Base(w.dir) == name }) {
		return dir
	}
	return name
}

// newest returns the harness with the settings that new sessions have.
func (w *servedWorkspace) newest() *harness.Harness {
	if h := w.fresh.Load(); h != nil {
		return h
	}
	return w.h
}

// open opens the directories of the options; the same one counts once.
func (s *workspaces) open(ctx context.Context, o Options) error {
	dirs := o.Workspaces
	if len(dirs) == 0 {
		dirs = []string{o.Harness.Dir}
	}
	for _, dir := range dirs {
		own := o.Harness
		own.Dir, own.Person, own.Unattended = dir, nil, harness.Wait
		h, err := harness.Open(ctx, own)
		if err != nil {
			return err
		}
		if s.of(h.Root()) != nil {
			if err := h.Close(ctx); err != nil {
				return err
			}
			continue
		}
		h.WarnUntrusted()
		s.all = append(s.all, &servedWorkspace{dir: h.Root(), h: h})
	}
	return nil
}

// of returns the workspace of a directory; nil when it is not served.
func (s *workspaces) of(dir string) *servedWorkspace {
	for _, w := range s.all {
		if w.dir == dir {
			return w
		}
	}
	return nil
}

// visible returns the workspaces that a user sees.
func (s *workspaces) visible(u User) (all []*servedWorkspace) {
	for _, w := range s.all {
		if u.Sees(w.dir) {
			all = append(all, w)
		}
	}
	return all
}

// find returns a workspace that the user sees: the one of a directory, or the first one.
func (s *workspaces) find(u User, dir string) (*servedWorkspace, error) {
	for _, w := range s.visible(u) {
		if dir == "" || dir == w.dir {
			return w, nil
		}
	}
	return nil, problem(http.StatusNotFound, "workspace", "the server does not serve this directory")
}

// mayChange returns the workspace for which a user may change settings. What holds for all workspaces changes only who sees all.
func (s *workspaces) mayChange(c requestSender, dir, scope string) (*servedWorkspace, error) {
	if scope == "always" && !c.SeesAll() {
		return nil, errSeesSome
	}
	return s.find(c.User, dir)
}

var errSeesSome = problem(http.StatusForbidden, "sees_some", "this would hold for all workspaces, and you see only some")

// shown returns the workspaces that a user sees, with the model and the mode of new sessions: those of the options come first.
func (s *workspaces) shown(u User, o harness.Options) []api.Workspace {
	all := []api.Workspace{}
	visible := s.visible(u)
	for _, w := range visible {
		set := w.newest().Settings()
		all = append(all, api.Workspace{Dir: w.dir, Name: shortName(w.dir, visible), Model: cmp.Or(o.Model, set.Model), Mode: cmp.Or(o.Mode, set.Mode, "supervised")})
	}
	return all
}

// mask hides the secrets of all workspaces in what is sent.
func (s *workspaces) mask(text []byte) []byte {
	for _, w := range s.all {
		text = w.h.Mask().Bytes(text)
		if fresh := w.fresh.Load(); fresh != nil {
			text = fresh.Mask().Bytes(text)
		}
	}
	return text
}

// masked is mask for a string.
func (s *workspaces) masked(text string) string { return string(s.mask([]byte(text))) }

// harnesses returns all that are open.
func (s *workspaces) harnesses() (all []*harness.Harness) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	all = slices.Clone(s.old)
	for _, w := range s.all {
		if all = append(all, w.h); w.fresh.Load() != nil {
			all = append(all, w.fresh.Load())
		}
	}
	return all
}

// reload reads the settings of the workspaces again, and then applies those of the server. When something fails, nothing changes.
func (s *workspaces) reload(ctx context.Context, apply func() error) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	fresh := make([]*harness.Harness, len(s.all))
	var err error
	for i, w := range s.all {
		if fresh[i], err = w.h.Reopened(ctx); err != nil {
			break
		}
	}
	if err == nil {
		err = apply()
	}
	if err != nil {
		for _, h := range slices.DeleteFunc(fresh, func(h *harness.Harness) bool { return h == nil }) {
			err = errors.Join(err, h.Close(ctx))
		}
		return err
	}
	for i, w := range s.all {
		if before := w.fresh.Swap(fresh[i]); before != nil {
			s.old = append(s.old, before)
		}
	}
	return nil
}

// closeOld closes what was opened by former reloads and has no session any more.
func (s *workspaces) closeOld(ctx context.Context, used map[*harness.Harness]bool) (err error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	s.old = slices.DeleteFunc(s.old, func(h *harness.Harness) bool {
		if used[h] {
			return false
		}
		err = errors.Join(err, h.Close(ctx))
		return true
	})
	return err
}
