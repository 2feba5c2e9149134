package main

import (
	"path/filepath"
	"rein/harness/settings"

	"rein/guard"
)

// asking is the question in words. For a call that changes files it shows the real diff of what would be written
// instead of the arguments; where that cannot be worked out, or is too long, the arguments stay.
func (w *wired) asking(c guard.Case, v guard.Verdict) guard.Request {
	changes, err := w.files.Preview(c.Call.Name, c.Call.Args)
	if err != nil {
		return guard.DescribeRequest(c, v, w.guards.Programs, guard.Change{})
	}
	diff, whole := changeLines(changes)
	return guard.DescribeRequest(c, v, w.guards.Programs, guard.Change{Lines: diff, Whole: whole})
}

// question puts together what a person is shown for a call: all of it, what it would do, the diff of an edit, why it is
// asked, and what a lasting yes would cover.
func (w *wired) question(c guard.Case, v guard.Verdict) question {
	if c.Intent.RequestsAccess {
		return w.askForAccess(c, v)
	}
	q := w.asking(c, v)
	shown := question{lines: q.Lines()}
	if len(q.Always) == 0 {
		return shown
	}
	own, user := settings.ProjectFile(w.dirs, w.workspace.Dir()), filepath.Join(w.dirs.Config, "settings.json")
	shown.scopes = []scope{
		{'s', guard.ForSession, "for this session", func() error { w.guards.Memory.Add(q.Always); return nil }},
		{'p', guard.ForProject, "for this project, kept in " + own, func() error { return w.keepRules(own, q.Always) }},
		{'u', guard.Always, "for all projects, kept in " + user, func() error { return w.keepRules(user, q.Always) }},
	}
	return shown
}

// keepRules adds allow rules to a settings file, whose comments stay, and to the session.
func (w *wired) keepRules(file string, rules []guard.Rule) error {
	for _, r := range rules {
		if err := settings.AddAllow(file, r.String()); err != nil {
			return err
		}
	}
	w.guards.Memory.Add(rules)
	return nil
}
