package harness

import (
	"os"
	"path/filepath"
	"time"

	"rein/harness/settings"
	"rein/tool"
	"rein/toolcall"
)

// newRunner makes the runner of the session's calls.
func (s *Session) newRunner(tools tool.Set) *toolcall.Runner {
	r := &toolcall.Runner{
		Tools: tools, Around: s.access.around, Guard: s.guards, Approver: s.approvers(), Key: s.key, Normalize: s.normalize,
		Root: s.workspace.Dir(), RootID: rootID(s.workspace.Dir()), Now: s.policy, Isolation: s.isolation,
		Limits: s.limits(), Spill: s.spill, Mask: s.h.mask, Log: s.log, Running: &s.running,
	}
	if s.keeper != nil {
		r.Snapshot = s.keeper.Step
	}
	return r
}

// limits are those of the settings; the options come first.
func (s *Session) limits() toolcall.Limits {
	l, o := s.h.settings.Limits, s.h.options
	limits := toolcall.Limits{Parallel: l.Parallel, Timeout: time.Duration(l.Timeout), Output: l.Output, Calls: l.Calls, Args: l.Args,
		Parts: l.Parts, Bytes: l.PartBytes}
	if o.Parallel > 0 {
		limits.Parallel = o.Parallel
	}
	if o.Timeout > 0 {
		limits.Timeout = time.Duration(o.Timeout)
	}
	return limits
}

// key gives the one name of a file, whatever its spelling. The name of a file outside the workspace keeps its spelling.
func (s *Session) key(path string) string {
	if name, err := s.workspace.Resolve(path); err == nil {
		return name
	}
	return filepath.ToSlash(filepath.Clean(settings.UnderHome(path)))
}

// rootID is the identity of a directory: an approval becomes void when another directory takes its path.
func rootID(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	return settings.FileID(info)
}
