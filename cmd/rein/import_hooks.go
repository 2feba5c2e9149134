package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"rein/app/extend"
	"rein/app/settings"
)

// hooks takes over the hooks of Gemini CLI and crush. Those of a repository go into its own file, so that they run only where the user
// trusts it.
func (r *importReader) hooks() {
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
func (r *importReader) hooksOf(program, file, to string) {
	groups, notes := extend.ConvertHooks(program, valueAt(r.document(file), "hooks"))
	for _, event := range slices.Sorted(maps.Keys(groups)) {
		for _, g := range groups[event] {
			if hasValue(r.list(to, event), g) {
				continue
			}
			r.add(importItem{Program: importPrograms[program], Kind: "hooks", From: file, What: event + ": " + g.Hooks[0].Name(), To: to, write: func() error {
				_, err := settings.Put(to, append(r.list(to, event), g), "hooks", event)
				return err
			}})
		}
	}
	if len(notes) > 0 {
		r.add(importItem{Program: importPrograms[program], Kind: "hooks", From: file, What: importDiffers, Notes: notes})
	}
}

// list returns the hooks that a settings file has for an event.
func (r *importReader) list(file, event string) []any {
	list, _ := valueAt(r.document(file), "hooks", event).([]any)
	return list
}

// hasValue reports whether a list has the value.
func hasValue(list []any, value any) bool {
	want := spellValue(value)
	return slices.ContainsFunc(list, func(x any) bool { return spellValue(x) == want })
}

// spellValue spells a value so that equal ones are equal texts.
func spellValue(value any) string {
	text, err := json.Marshal(value)
	var same any
	if err != nil || json.Unmarshal(text, &same) != nil {
		return ""
	}
	text, _ = json.Marshal(same) // it was JSON
	return string(text)
}
