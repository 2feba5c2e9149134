package memory

import (
	"context"
	"strings"

	"rein/journal/index"
	"rein/tool"
	"rein/toolkit/memory"
)

// Found is a past session in which a search found something.
type Found = memory.Found

// Tools gives the tools over the store for a session in a project. untrusted names the untrusted text that the session has
// read; search searches past sessions.
func (s *Store) Tools(project, session string, untrusted func() []string, search func(context.Context, string, int) ([]Found, error)) []*tool.Tool {
	return memory.Tools{Store: s, Project: project, Session: session, Untrusted: untrusted, Sessions: search}.All()
}

// FoundIn gives what a search in sessions found as the tools show it.
func FoundIn(hits []index.Hit) (all []Found) {
	for _, h := range hits {
		f := Found{ID: h.Session.ID, Title: h.Session.Title, Last: h.Session.Last}
		for _, m := range h.Matches {
			f.Matches = append(f.Matches, m.Kind+": "+strings.Join(strings.Fields(m.Text), " "))
		}
		all = append(all, f)
	}
	return all
}
