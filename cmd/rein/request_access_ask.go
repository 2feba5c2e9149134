package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"rein/harness/settings"

	"rein/guard"
	"rein/toolkit"
)

// askForAccess is the question for a call that opens the walls: what would be opened, what for, for how long, and in which
// file a lasting answer is kept.
func (w *wired) askForAccess(c guard.Case, v guard.Verdict) question {
	x, why, err := w.asked(c)
	if err != nil {
		return plainQuestion(c, v) // it fails when it runs, with the reason
	}
	own, user := settings.ProjectFile(w.dirs, w.workspace.Dir()), filepath.Join(w.dirs.Config, "settings.json")
	q := question{lines: []string{
		c.Call.Name,
		"  opens    " + guard.Printable(x.String()),
		"  what for " + guard.Printable(why) + " (the model's words)",
		"  because  " + guard.Printable(v.Reason),
		"  yes      opens it for the next command, or the next file or web call that uses it",
		"  always   opens it for this session, for this project (kept in " + own + "), or for all (kept in " + user + ")",
	}}
	q.scopes = []scope{
		{'s', guard.ForSession, "for this session", func() error { return w.access.keep(x) }},
		{'p', guard.ForProject, "for this project, kept in " + own, func() error { return w.keepAccess(own, x) }},
		{'u', guard.Always, "for all projects, kept in " + user, func() error { return w.keepAccess(user, x) }},
	}
	return q
}

// asked reads the call of a question.
func (w *wired) asked(c guard.Case) (x toolkit.Access, why string, err error) {
	var in struct {
		Write, Read, Host, Why string
		Send                   bool
	}
	if err := json.Unmarshal(c.Call.Args, &in); err != nil {
		return x, "", err
	}
	x, open, err := opener{w}.Check(toolkit.Access{Write: in.Write, Read: in.Read, Host: in.Host, Send: in.Send})
	if err == nil && open {
		err = errors.New("it is open already")
	}
	return x, in.Why, err
}

// keepAccess adds what was opened to a settings file, where all that is opened stands, and to the session.
func (w *wired) keepAccess(file string, x toolkit.Access) error {
	for _, add := range settingsOf(x) {
		if err := settings.AddTo(file, add.list, add.value); err != nil {
			return err
		}
	}
	return w.access.keep(x)
}

// setTo is a value for a list in the settings.
type setTo struct{ list, value string }

// settingsOf says where an opening stands in the settings.
func settingsOf(x toolkit.Access) []setTo {
	switch {
	case x.Write != "":
		return []setTo{{"/files/write", x.Write}}
	case x.Read != "":
		return []setTo{{"/files/read", x.Read}}
	}
	all := []setTo{{"/network/allow", x.Host}}
	if isPrivateHost(x.Host) {
		all[0].list = "/network/private"
	}
	if x.Send {
		all = append(all, setTo{"/network/send", x.Host})
	}
	return all
}
