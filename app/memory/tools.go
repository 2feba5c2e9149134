package memory

import (
	"context"

	"rein/kit/tools/memory"
	"rein/tool"
)

// Found is a past session in which a search found something.
type Found = memory.Found

// Tools returns the tools over the store for a session in a project. untrusted names the untrusted text that the session has
// read; readOnly reports which calls may change nothing; search searches past sessions.
func (s *Store) Tools(project, session string, untrusted func() []string, readOnly func(call string) bool, search func(context.Context, string, int) ([]Found, error)) []*tool.Tool {
	return memory.Tools{Store: s, Project: project, Session: session, Untrusted: untrusted, ReadOnly: readOnly, Sessions: search}.All()
}
