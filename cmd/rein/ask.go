package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/tailscale/hujson"

	"rein/guard"
)

// asking is the question in words. For a call that changes files it shows the real diff of what would be written
// instead of the arguments; where that cannot be worked out, or is too long, the arguments stay.
func (w *wired) asking(c guard.Case, v guard.Verdict) guard.Request {
	changes, err := w.files.Preview(c.Call.Name, c.Call.Args)
	if err != nil {
		return guard.DescribeRequest(c, v, w.guards.programs, nil)
	}
	diff, whole := changeLines(changes)
	if whole {
		c.Call.Args = nil
	}
	return guard.DescribeRequest(c, v, w.guards.programs, diff)
}

// question puts together what a person is shown for a call: all of it, what it would do, the diff of an edit, why it is
// asked, and what a lasting yes would cover.
func (w *wired) question(c guard.Case, v guard.Verdict) question {
	if c.Intent.RequestsAccess {
		return w.askForAccess(c, v)
	}
	q := w.asking(c, v)
	shown := question{lines: q.Lines}
	if len(q.Always) == 0 {
		return shown
	}
	own, user := ownSettings(w.dirs, w.workspace.Dir()), filepath.Join(w.dirs.config, "settings.json")
	shown.scopes = []scope{
		{'s', "for this session", func() error { w.guards.memory.Add(q.Always); return nil }},
		{'p', "for this project, kept in " + own, func() error { return w.keepRules(own, q.Always) }},
		{'u', "for all projects, kept in " + user, func() error { return w.keepRules(user, q.Always) }},
	}
	return shown
}

// keepRules adds allow rules to a settings file, whose comments stay, and to the session.
func (w *wired) keepRules(file string, rules []guard.Rule) error {
	for _, r := range rules {
		if err := addAllow(file, r.String()); err != nil {
			return err
		}
	}
	w.guards.memory.Add(rules)
	return nil
}

// addAllow adds one rule to permissions.allow of a settings file.
func addAllow(file, rule string) error { return addSetting(file, "/permissions/allow", rule) }

// addSetting adds a text to a list in a settings file, at a path of two names.
func addSetting(file, list, text string) error {
	old, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte("{}"), nil
	}
	if err != nil {
		return err
	}
	value, err := hujson.Parse(old)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return err
	}
	for _, step := range []struct{ path, value string }{
		{path.Dir(list), `{}`}, {list, `[]`}, {list + "/-", string(encoded)},
	} {
		if step.value[0] != '"' && value.Find(step.path) != nil {
			continue
		}
		if err := value.Patch(fmt.Appendf(nil, `[{"op":"add","path":%q,"value":%s}]`, step.path, step.value)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	value.Format()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return replaceFile(file, value.Pack())
}

// replaceFile writes a file of the user's whole or not at all.
func replaceFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".rein-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
