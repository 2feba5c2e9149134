package main

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"rein/app/harness"
	"rein/app/settings"
	"rein/internal/plainfile"
	"rein/kit/mcp"
)

// The programs, as a person knows them.
var importPrograms = map[string]string{"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "opencode", "crush": "crush",
	"cursor": "Cursor", "vscode": "VS Code", "zed": "Zed"}

// settings takes over the model and how long it thinks, where the user has set none.
func (r *importReader) settings() {
	set := r.h.Settings()
	model := func(program, file, name string) {
		switch {
		case name == "":
		case set.Model != "":
			r.add(importItem{Program: importPrograms[program], Kind: "setting", From: file, What: "model " + name, Notes: []string{"your setting model is " + set.Model + " already"}})
		default:
			set.Model = name
			r.put(importPrograms[program], file, "model", []string{"model"}, name)
		}
	}
	file := filepath.Join(r.home, ".codex", "config.toml")
	doc := r.document(file)
	if name, _ := valueAt(doc, "model").(string); name != "" {
		model("codex", file, "openai/"+name)
	}
	if effort, _ := valueAt(doc, "model_reasoning_effort").(string); effort != "" && set.Effort == "" && settings.CheckEffort(effort) == nil {
		r.put(importPrograms["codex"], file, "effort", []string{"effort"}, effort)
	}
	for _, key := range []string{"approval_policy", "sandbox_mode"} {
		r.dropped("codex", file, key, valueAt(doc, key))
	}
	file = filepath.Join(r.home, ".gemini", "settings.json")
	doc = r.document(file)
	if name, _ := valueAt(doc, "model", "name").(string); name != "" {
		model("gemini", file, "google/"+name)
	}
	r.dropped("gemini", file, "general.defaultApprovalMode", valueAt(doc, "general", "defaultApprovalMode"))
	file = filepath.Join(r.home, ".config", "opencode", "opencode.json")
	name, _ := valueAt(r.document(file), "model").(string)
	model("opencode", file, name)
	file = filepath.Join(r.home, ".config", "crush", "crush.json")
	doc = r.document(file)
	if name, _ := valueAt(doc, "models", "large", "model").(string); name != "" {
		provider, _ := valueAt(doc, "models", "large", "provider").(string)
		model("crush", file, provider+"/"+name)
	}
	file = filepath.Join(r.home, ".claude", "settings.json")
	doc = r.document(file)
	if name, _ := valueAt(doc, "model").(string); name != "" {
		r.add(importItem{Program: importPrograms["claude"], Kind: "setting", From: file, What: "model " + name, Notes: []string{"a short name; rein wants provider/name: rein models"}})
	}
	r.dropped("claude", file, "permissions.defaultMode", valueAt(doc, "permissions", "defaultMode"))
}

// dropped reports what says how much may run without a question: it is never taken over.
func (r *importReader) dropped(program, file, key string, value any) {
	if text, _ := value.(string); text != "" {
		note := "how much may run without a question is your choice here: --mode, or the setting mode"
		if mode, err := settings.Mode(text); err == nil {
			note += "; its nearest is " + mode.String()
		}
		r.add(importItem{Program: importPrograms[program], Kind: "setting", From: file, What: key + " " + text, Notes: []string{note}})
	}
}

// The files with rules, below the home directory and in a workspace.
var (
	userRules = map[string][]string{"claude": {".claude/settings.json"}, "codex": {".codex/rules/*.rules"}, "gemini": {".gemini/settings.json", ".gemini/policies/*.toml"},
		"opencode": {".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}, "crush": {".config/crush/crush.json"}, "cursor": {".cursor/cli-config.json"}}
	projectRules = map[string][]string{"claude": {".claude/settings.json", ".claude/settings.local.json"}, "codex": {".codex/rules/*.rules"}, "gemini": {".gemini/settings.json", ".gemini/policies/*.toml"},
		"opencode": {"opencode.json", "opencode.jsonc"}, "crush": {"crush.json", ".crush.json"}, "cursor": {".cursor/cli.json"}}
)

func (r *importReader) rules() {
	for _, program := range slices.Sorted(maps.Keys(importPrograms)) {
		do := func(file string, project bool) { r.rulesOf(program, file, project) }
		r.each(false, userRules[program], do)
		if r.root != r.home {
			r.each(true, projectRules[program], do)
		}
	}
}

// rulesOf takes over the rules of one file. Of a file of the repository only those that deny or ask.
func (r *importReader) rulesOf(program, file string, project bool) {
	var report strings.Builder
	im := &rulesImporter{Read: settings.ReadFile, Tools: settings.ToolNames(), Report: &report, Home: r.home}
	if err := im.File(file); errors.Is(err, errNoPermissions) {
		return
	} else if err != nil {
		r.add(importItem{Program: importPrograms[program], Kind: "rules", From: file, What: "cannot be read", Notes: []string{err.Error()}})
		return
	}
	permissions := im.Permissions()
	notes := reportLines(report.String())
	to := r.userFile()
	if project {
		to = r.projectFile()
		if n := len(permissions["allow"]); n > 0 {
			notes = append(notes, "rules of a repository that allow are left out: "+spellRules(permissions["allow"]))
			delete(permissions, "allow")
		}
	}
	for _, decision := range []string{"deny", "ask", "allow"} {
		for _, rule := range permissions[decision] {
			list := func() []any { l, _ := valueAt(r.document(to), "permissions", decision).([]any); return l }
			if hasValue(list(), rule) {
				continue
			}
			r.add(importItem{Program: importPrograms[program], Kind: "rules", From: file, What: decision + " " + rule.Rule, To: to, write: func() error {
				if rule.Plain() {
					return settings.AddTo(to, "/permissions/"+decision, rule.Rule)
				}
				_, err := settings.Put(to, append(list(), rule), "permissions", decision)
				return err
			}})
		}
	}
	if len(notes) > 0 {
		r.add(importItem{Program: importPrograms[program], Kind: "rules", From: file, What: importDiffers, Notes: notes})
	}
}

// spellRules spells rules in one line.
func spellRules(rules []importedRule) string {
	var all []string
	for _, r := range rules {
		all = append(all, r.Rule)
	}
	return strings.Join(all, ", ")
}

// servers takes over tool servers.
func (r *importReader) servers() {
	for _, f := range mcp.ConfigFiles(r.home, r.root) {
		text, err := plainfile.Read(f.Path)
		if err != nil {
			continue
		}
		entries, warnings, err := mcp.ImportServers(f.Program, f.Path, text, r.root)
		if err != nil {
			r.add(importItem{Program: importPrograms[f.Program], Kind: "servers", From: f.Path, What: "cannot be read", Notes: []string{err.Error()}})
			continue
		}
		to := r.userFile()
		if strings.HasPrefix(f.Path, r.root+string(filepath.Separator)) {
			to = r.projectFile()
		}
		for _, e := range entries {
			if valueAt(r.document(to), "mcpServers", e.Name) != nil {
				continue
			}
			item := importItem{Program: importPrograms[f.Program], Kind: "server", From: f.Path, What: e.Name + ": " + serverTarget(e), To: to, write: func() error {
				_, err := settings.Put(to, e, "mcpServers", e.Name)
				return err
			}}
			r.sends(&item, e, to != r.userFile())
			r.add(item)
		}
		if len(warnings) > 0 {
			r.add(importItem{Program: importPrograms[f.Program], Kind: "servers", From: f.Path, What: importDiffers, Notes: warnings})
		}
	}
}

// sends notes which variables of the environment a server gets. A file of the project gets no key of rein or of a provider.
func (r *importReader) sends(item *importItem, e mcp.ServerEntry, project bool) {
	for _, s := range e.Sends() {
		item.Notes = append(item.Notes, "it gets ${"+s.Variable+"}: "+s.To)
		switch {
		case project && r.h.OwnKey(s.Variable):
			item.write, item.To = nil, ""
			item.Notes = append(item.Notes, "left out: ${"+s.Variable+"} is a key of rein or of a provider, which a project's server never gets")
		case s.Remote && harness.SecretVariable(s.Variable):
			item.secret = true
		}
	}
}

// importDiffers is what an item without a value is about.
const importDiffers = "what is different here, or left out"

// serverTarget says what a server is.
func serverTarget(e mcp.ServerEntry) string {
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

// reportLines returns the lines of a report, without those about other names of tools.
func reportLines(text string) (all []string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && !slices.Contains(all, l) && !strings.Contains(l, " becomes ") && !strings.Contains(l, "defaultMode") {
			all = append(all, l)
		}
	}
	return all
}
