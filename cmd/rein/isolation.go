package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"rein/harness/settings"
	"time"

	"rein/event"
	"rein/guard"
	"rein/sandbox"
)

// isolation are the session's sandbox, and what it is worth to the guard.
type isolation struct{ box *sandbox.Box }

// openSandbox makes the sandbox. Which rung works is found out beside the rest of the start.
func (w *wired) openSandbox(warn func(string)) (*isolation, error) {
	mode := sandbox.Mode(w.options.sandbox)
	if mode == "" {
		mode = sandbox.Mode(w.settings.Sandbox)
	}
	if err := settings.CheckSandbox(string(mode)); err != nil {
		return nil, coded{exitUsage, err}
	}
	dirs := w.workspace.Dirs()
	if filepath.Dir(dirs[0]) == dirs[0] {
		return nil, coded{exitInput, fmt.Errorf("the workspace would be the whole machine, %s: go into a directory, or name one with --cwd", dirs[0])}
	}
	opened, err := w.settled(warn)
	if err != nil {
		return nil, err
	}
	box, err := sandbox.New(sandbox.Policy{
		Workspace: dirs[0], Writable: dirs[1:], Mode: mode, Only: w.options.backend, Warn: warn,
		Proxy: w.proxy, Opened: opened, Limits: w.settings.Programs.Limits(),
		Private: w.privateDir(dirs),
	})
	if err != nil {
		return nil, coded{exitConfig, settings.Unwritable(err)}
	}
	return &isolation{box}, nil
}

// privateDir is where programs of this workspace keep what is theirs; "" is a directory for this run only, where ours
// would lie in what programs may write (somebody works in their home directory).
func (w *wired) privateDir(writable []string) string {
	private := filepath.Join(w.dirs.Private, cmp.Or(w.options.private, settings.WorkspaceName(writable[0])))
	for _, dir := range writable {
		if rel, err := filepath.Rel(dir, private); err != nil || filepath.IsLocal(rel) {
			return ""
		}
	}
	return private
}

// stand tells the guard which walls stand.
func (s *isolation) stand() guard.Isolation {
	backend, err := s.box.Backend(context.Background())
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

// warm finds the rung beside other work, and records which one it is.
func (w *wired) warm() {
	w.running.Go(func() {
		backend, err := w.isolation.box.Backend(context.Background())
		says := "walls: " + backend.String()
		if err != nil {
			says = err.Error()
		}
		w.append(event.Event{Kind: event.Audit, Time: time.Now(), Session: w.session, Text: says})
	})
}
