package harness

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"rein/event"
	"rein/guard"
	"rein/harness/settings"
	"rein/sandbox"
)

// openSandbox makes the session's sandbox. Which backend works is found out while the session starts.
func (s *Session) openSandbox() error {
	opened, err := s.accessOfSettings()
	if err != nil {
		return err
	}
	dirs := s.workspace.Dirs()
	s.box, err = sandbox.New(sandbox.Policy{
		Workspace: dirs[0], Writable: dirs[1:], Mode: sandbox.Mode(s.how.Sandbox), Only: s.h.options.Backend, Warn: s.h.options.Warn,
		Proxy: s.proxy, Opened: opened, Limits: s.h.settings.Programs.Limits(),
		Private: s.privateDir(dirs),
	})
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

// isolation tells the guards what the sandbox enforces.
func (s *Session) isolation() guard.Isolation {
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

// warm finds the backend beside other work and records which one it is.
func (s *Session) warm() {
	s.running.Go(func() {
		backend, err := s.box.Backend(context.Background())
		text := "sandbox backend: " + backend.String()
		if err != nil {
			text = err.Error()
		}
		s.append(event.Event{Kind: event.Audit, Text: text})
	})
}
