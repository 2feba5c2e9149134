package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"rein/app/extend"
	"rein/internal/plainfile"
)

// leftSettings are settings of other programs that nothing here is made of, with what to do instead. The files are below the home
// directory and in a workspace.
var leftSettings = []struct{ program, file, key, note string }{
	{"claude", ".claude/settings.json", "env", "programs get the variables of the shell that starts rein, without secrets: set them there, or give a program a secret by the setting secrets"},
	{"claude", ".claude/settings.json", "apiKeyHelper", "rein runs no program for a key: rein keys, or the provider's variable"},
	{"claude", ".claude/settings.json", "outputStyle", "write how answers shall be into AGENTS.md"},
	{"codex", ".codex/config.toml", "profiles", "there are no profiles: the flags --model, --effort and --mode of each start, or the settings of a project"},
	{"codex", ".codex/config.toml", "model_providers", "write the ones that you use under the setting providers"},
	{"codex", ".codex/config.toml", "notify", "the setting notify says of what and where you are notified; a program runs as a hook at Stop or Notification"},
	{"opencode", ".config/opencode/opencode.json", "instructions", "write a line @PATH for each file into AGENTS.md of your settings' directory"},
	{"opencode", "opencode.json", "instructions", "write a line @PATH for each file into AGENTS.md"},
}

// left reports settings that have no counterpart.
func (r *importReader) left() {
	for _, s := range leftSettings {
		do := func(file string, _ bool) {
			if value := valueAt(r.document(file), s.key); value != nil {
				r.add(importItem{Program: importPrograms[s.program], Kind: "setting", From: file, What: s.key + leftNames(value), Notes: []string{s.note}})
			}
		}
		r.each(false, []string{s.file}, do)
		if r.root != r.home {
			r.each(true, []string{s.file}, do)
		}
	}
}

// leftNames names what a setting holds, but no values: they may be secret.
func leftNames(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return ": " + strings.Join(slices.Sorted(maps.Keys(v)), ", ")
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, fmt.Sprint(one))
		}
		return ": " + strings.Join(all, ", ")
	}
	return ""
}

// commandNotes says what of the head of one of Claude Code's slash commands, which are read in place, has no effect here.
func commandNotes(file string) (notes []string) {
	text, err := plainfile.Read(file)
	if err != nil || filepath.Base(filepath.Dir(file)) != "commands" {
		return nil
	}
	head, _, _ := extend.ParseFrontmatter(string(text))
	for _, x := range []struct{ key, note string }{
		{"allowed-tools", "allowed-tools permits nothing here: its calls are judged as all others are"},
		{"model", "model is not taken: it runs with the model of the session: /model changes that"},
	} {
		if _, ok := head[x.key]; ok {
			notes = append(notes, x.note)
		}
	}
	return notes
}
