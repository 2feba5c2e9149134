package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"rein/app/hooks"
	"rein/app/settings"
)

// hooks takes over the hooks of Gemini CLI and crush. Those of a repository go into its own file, so that they run only where the user
// trusts it.
func (r *reader) hooks() {
	for _, p := range []struct {
		program       string
		user, project []string
	}{
		{"gemini", []string{".gemini/settings.json"}, []string{".gemini/settings.json"}},
		{"crush", []string{".config/crush/crush.json"}, []string{"crush.json", ".crush.json"}},
	} {
		r.each(false, p.user, func(file string, _ bool) { r.hooksOf(p.program, file, r.userFile()) })
		if r.root != r.home {
			r.each(true, p.project, func(file string, _ bool) { r.hooksOf(p.program, file, filepath.Join(r.root, ".rein", "hooks.json")) })
		}
	}
}

// hooksOf takes over the hooks of one file.
func (r *reader) hooksOf(program, file, to string) {
	groups, notes := hooks.Convert(program, in(r.document(file), "hooks"))
	for _, event := range slices.Sorted(maps.Keys(groups)) {
		for _, g := range groups[event] {
			if listed(r.list(to, event), g) {
				continue
			}
			r.add(importingItem{Program: programs[program], Kind: "hooks", From: file, What: event + ": " + g.Hooks[0].Name(), To: to, write: func() error {
				_, err := settings.Put(to, append(r.list(to, event), g), "hooks", event)
				return err
			}})
		}
	}
	if len(notes) > 0 {
		r.add(importingItem{Program: programs[program], Kind: "hooks", From: file, What: differs, Notes: notes})
	}
}

// list returns the hooks that a settings file has for an event.
func (r *reader) list(file, event string) []any {
	list, _ := in(r.document(file), "hooks", event).([]any)
	return list
}

// listed reports whether a list has the value.
func listed(list []any, value any) bool {
	want := plain(value)
	return slices.ContainsFunc(list, func(x any) bool { return plain(x) == want })
}

// plain spells a value so that equal ones are equal texts.
func plain(value any) string {
	text, err := json.Marshal(value)
	var same any
	if err != nil || json.Unmarshal(text, &same) != nil {
		return ""
	}
	text, _ = json.Marshal(same) // it was JSON
	return string(text)
}
