package main

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"rein/app/settings"
	"rein/internal/plainfile"
	"rein/kit/mcp"
)

// The programs, as a person knows them.
var programs = map[string]string{"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "opencode", "crush": "crush",
	"cursor": "Cursor", "vscode": "VS Code", "zed": "Zed"}

// settings takes over the model and how long it thinks, where the user has set none.
func (r *reader) settings() {
	set := r.h.Settings()
	model := func(program, file, name string) {
		switch {
		case name == "":
		case set.Model != "":
			r.add(importingItem{Program: programs[program], Kind: "setting", From: file, What: "model " + name, Notes: []string{"your setting model is " + set.Model + " already"}})
		default:
			set.Model = name
			r.put(programs[program], file, "model", []string{"model"}, name)
		}
	}
	file := filepath.Join(r.home, ".codex", "config.toml")
	doc := r.document(file)
	if name, _ := in(doc, "model").(string); name != "" {
		model("codex", file, "openai/"+name)
	}
	if effort, _ := in(doc, "model_reasoning_effort").(string); effort != "" && set.Effort == "" && settings.CheckEffort(effort) == nil {
		r.put(programs["codex"], file, "effort", []string{"effort"}, effort)
	}
	for _, key := range []string{"approval_policy", "sandbox_mode"} {
		r.dropped("codex", file, key, in(doc, key))
	}
	file = filepath.Join(r.home, ".gemini", "settings.json")
	doc = r.document(file)
	if name, _ := in(doc, "model", "name").(string); name != "" {
		model("gemini", file, "google/"+name)
	}
	r.dropped("gemini", file, "general.defaultApprovalMode", in(doc, "general", "defaultApprovalMode"))
	file = filepath.Join(r.home, ".config", "opencode", "opencode.json")
	name, _ := in(r.document(file), "model").(string)
	model("opencode", file, name)
	file = filepath.Join(r.home, ".config", "crush", "crush.json")
	doc = r.document(file)
	if name, _ := in(doc, "models", "large", "model").(string); name != "" {
		provider, _ := in(doc, "models", "large", "provider").(string)
		model("crush", file, provider+"/"+name)
	}
	file = filepath.Join(r.home, ".claude", "settings.json")
	doc = r.document(file)
	if name, _ := in(doc, "model").(string); name != "" {
		r.add(importingItem{Program: programs["claude"], Kind: "setting", From: file, What: "model " + name, Notes: []string{"a short name; rein wants provider/name: rein models"}})
	}
	r.dropped("claude", file, "permissions.defaultMode", in(doc, "permissions", "defaultMode"))
}

// dropped reports what says how much may run without a question: it is never taken over.
func (r *reader) dropped(program, file, key string, value any) {
	if text, _ := value.(string); text != "" {
		note := "how much may run without a question is your choice here: --mode, or the setting mode"
		if mode, err := settings.Mode(text); err == nil {
			note += "; its nearest is " + mode.String()
		}
		r.add(importingItem{Program: programs[program], Kind: "setting", From: file, What: key + " " + text, Notes: []string{note}})
	}
}

// The files with rules, below the home directory and in a workspace.
var (
	userRules = map[string][]string{"claude": {".claude/settings.json"}, "codex": {".codex/rules/*.rules"}, "gemini": {".gemini/settings.json", ".gemini/policies/*.toml"},
		"opencode": {".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}, "crush": {".config/crush/crush.json"}, "cursor": {".cursor/cli-config.json"}}
	projectRules = map[string][]string{"claude": {".claude/settings.json", ".claude/settings.local.json"}, "codex": {".codex/rules/*.rules"}, "gemini": {".gemini/settings.json", ".gemini/policies/*.toml"},
		"opencode": {"opencode.json", "opencode.jsonc"}, "crush": {"crush.json", ".crush.json"}, "cursor": {".cursor/cli.json"}}
)

func (r *reader) rules() {
	for _, program := range slices.Sorted(maps.Keys(programs)) {
		do := func(file string, project bool) { r.rulesOf(program, file, project) }
		r.each(false, userRules[program], do)
		if r.root != r.home {
			r.each(true, projectRules[program], do)
		}
	}
}

// rulesOf takes over the rules of one file. Of a file of the repository only those that deny or ask.
func (r *reader) rulesOf(program, file string, project bool) {
	var report strings.Builder
	im := &rulesimportImporter{Read: settings.ReadFile, Tools: settings.ToolNames(), Report: &report, Home: r.home}
	if err := im.File(file); errors.Is(err, errNoPermissions) {
		return
	} else if err != nil {
		r.add(importingItem{Program: programs[program], Kind: "rules", From: file, What: "cannot be read", Notes: []string{err.Error()}})
		return
	}
	permissions := im.Permissions()
	notes := importingLines(report.String())
	to := r.userFile()
	if project {
		to = r.projectFile()
		if n := len(permissions["allow"]); n > 0 {
			notes = append(notes, "rules of a repository that allow are left out: "+texts(permissions["allow"]))
			delete(permissions, "allow")
		}
	}
	for _, decision := range []string{"deny", "ask", "allow"} {
		for _, rule := range permissions[decision] {
			list := func() []any { l, _ := in(r.document(to), "permissions", decision).([]any); return l }
			if listed(list(), rule) {
				continue
			}
			r.add(importingItem{Program: programs[program], Kind: "rules", From: file, What: decision + " " + rule.Rule, To: to, write: func() error {
				if rule.Plain() {
					return settings.AddTo(to, "/permissions/"+decision, rule.Rule)
				}
				_, err := settings.Put(to, append(list(), rule), "permissions", decision)
				return err
			}})
		}
	}
	if len(notes) > 0 {
		r.add(importingItem{Program: programs[program], Kind: "rules", From: file, What: differs, Notes: notes})
	}
}

// texts spells rules in one line.
func texts(rules []rulesimportRule) string {
	var all []string
	for _, r := range rules {
		all = append(all, r.Rule)
	}
	return strings.Join(all, ", ")
}

// servers takes over tool servers.
func (r *reader) servers() {
	for _, f := range mcp.ConfigFiles(r.home, r.root) {
		text, err := plainfile.Read(f.Path)
		if err != nil {
			continue
		}
		entries, warnings, err := mcp.ImportServers(f.Program, f.Path, text, r.root)
		if err != nil {
			r.add(importingItem{Program: programs[f.Program], Kind: "servers", From: f.Path, What: "cannot be read", Notes: []string{err.Error()}})
			continue
		}
		to := r.userFile()
		if strings.HasPrefix(f.Path, r.root+string(filepath.Separator)) {
			to = r.projectFile()
		}
		for _, e := range entries {
			if in(r.document(to), "mcpServers", e.Name) != nil {
				continue
			}
			r.add(importingItem{Program: programs[f.Program], Kind: "server", From: f.Path, What: e.Name + ": " + target(e), To: to, write: func() error {
				_, err := settings.Put(to, e, "mcpServers", e.Name)
				return err
			}})
		}
		if len(warnings) > 0 {
			r.add(importingItem{Program: programs[f.Program], Kind: "servers", From: f.Path, What: differs, Notes: warnings})
		}
	}
}

// differs is what an item without a value is about.
const differs = "what is different here, or left out"

// target says what a server is.
func target(e mcp.ServerEntry) string {
	e = e.Shown()
	text := e.URL
	if e.Command != "" {
		text = strings.Join(append([]string{e.Command}, e.Args...), " ")
	}
	if e.Disabled {
		text += " (disabled)"
	}
	return text
}

// importingLines returns the lines of a report, without those about other names of tools.
func importingLines(text string) (all []string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && !slices.Contains(all, l) && !strings.Contains(l, " becomes ") && !strings.Contains(l, "defaultMode") {
			all = append(all, l)
		}
	}
	return all
}
