package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"rein/kit/guards"
	"rein/kit/jsonc"
)

// rulesImporter collects rules from the files of other agents. The zero value reports nothing.
type rulesImporter struct {
	// Read reads a file. It must not wait for one that never ends, such as a FIFO.
	Read func(path string) ([]byte, error)
	// Tools are the names of rein's tools. A rule for another tool is left out.
	Tools []string
	// Report receives a line for each permission that has another meaning here, or none.
	Report io.Writer
	// Home is the user's home directory: paths of the user's own file of Claude Code begin below it. "" takes them for those of a workspace.
	Home             string
	name, file       string
	allow, ask, deny []importedRule
}

// importedRule is one rule that was read.
type importedRule struct {
	Rule     string   `json:"rule"`
	Match    []string `json:"match,omitempty"`     // commands that it must cover
	NotMatch []string `json:"not_match,omitempty"` // commands that it must not cover
	Why      string   `json:"why,omitempty"`       // shown where it decides
}

// MarshalJSON spells the rule as a settings file holds it: a text where there is nothing else.
func (r importedRule) MarshalJSON() ([]byte, error) {
	type object importedRule
	var value any = object(r)
	if r.Plain() {
		value = r.Rule
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return out.Bytes(), err
}

// Plain reports whether the rule has nothing beside its text.
func (r importedRule) Plain() bool { return len(r.Match)+len(r.NotMatch) == 0 && r.Why == "" }

// Permissions are the rules that were read, by decision, as a settings file holds them.
func (im *rulesImporter) Permissions() map[string][]importedRule {
	out := map[string][]importedRule{}
	for key, list := range map[string][]importedRule{"allow": im.allow, "ask": im.ask, "deny": im.deny} {
		if len(list) > 0 {
			out[key] = list
		}
	}
	return out
}

func (im *rulesImporter) note(format string, args ...any) {
	if im.Report == nil {
		return
	}
	fmt.Fprintf(im.Report, "%s: %s\n", im.name, fmt.Sprintf(format, args...))
}

// add adds a rule if it is one; a rule that this guard refuses is reported.
func (im *rulesImporter) add(decision, text string) {
	im.addRule(decision, importedRule{Rule: text})
}

// addRule is add for a rule with tests and a reason.
func (im *rulesImporter) addRule(decision string, r importedRule) {
	text := r.Rule
	list := map[string]*[]importedRule{"allow": &im.allow, "ask": &im.ask, "deny": &im.deny}[decision]
	if list == nil {
		im.note("%q: no such decision as %q; left out", text, decision)
		return
	}
	written, err := json.Marshal(r)
	if err != nil {
		return
	}
	doc := fmt.Sprintf(`{"permissions":{%q:[%s]}}`, decision, written)
	rules, _, err := guards.ParseRules(guards.User, im.name, "", []byte(doc))
	if err != nil {
		im.note("left out: %v", strings.TrimPrefix(err.Error(), im.name+":1: "))
		return
	}
	if name := rules[0].Tool; name != "*" && !strings.HasPrefix(name, "mcp__") && !slices.Contains(im.Tools, name) {
		im.note("%s: there is no tool %s here; left out", text, name)
		return
	}
	if decision == "allow" && rules[0].Tool == "bash" && rules[0].Spec == "" {
		im.note("%s: every command was allowed there; left out: write out which", text)
		return
	}
	if program, _, _ := strings.Cut(rules[0].Spec, " "); decision == "allow" && rules[0].Tool == "bash" && strings.HasSuffix(program, "*") && !strings.HasSuffix(program, ":*") {
		im.note("%s: it allows every program whose name begins so; write bash(%s:*) for the one program", text, strings.TrimRight(program, "*"))
	}
	spelled := rules[0].String()
	if spelled != text {
		im.note("%s becomes %s", text, spelled)
	}
	if slices.ContainsFunc(*list, func(o importedRule) bool { return o.Rule == spelled }) {
		return
	}
	r.Rule = spelled
	*list = append(*list, r)
	for _, w := range guards.LintRules(rules, im.Tools) {
		im.note("%s", w.Text)
	}
}

// File reads one file of another agent.
func (im *rulesImporter) File(path string) error {
	text, err := im.Read(path)
	if err != nil {
		return err
	}
	im.name, im.file = filepath.Base(path), path
	switch filepath.Ext(path) {
	case ".rules", ".star", ".codexpolicy":
		return im.codex(string(text))
	case ".toml":
		return im.toml(string(text))
	}
	standard, err := jsonc.Standard(text)
	if err != nil {
		return err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(standard, &doc); err != nil {
		return err
	}
	return im.settings(doc)
}

// settings finds by its keys which agent a settings file belongs to, and reads it.
func (im *rulesImporter) settings(doc map[string]json.RawMessage) error {
	switch {
	case hasKey(doc, "permission"):
		return im.opencode(doc["permission"])
	case hasKey(doc, "permissions") && strings.Contains(string(doc["permissions"]), "allowed_tools"):
		return im.crush(doc["permissions"])
	case hasKey(doc, "permissions") && strings.HasPrefix(strings.TrimSpace(string(doc["permissions"])), "["):
		return im.opencodeList(doc["permissions"])
	case hasKey(doc, "permissions") && strings.HasPrefix(im.name, "cli"):
		return im.cursor(doc["permissions"])
	case hasKey(doc, "permissions"):
		return im.claude(doc["permissions"])
	case hasKey(doc, "tools"), hasKey(doc, "coreTools"), hasKey(doc, "allowedTools"), hasKey(doc, "excludeTools"):
		return im.gemini(doc)
	}
	return errNoPermissions
}

func hasKey(doc map[string]json.RawMessage, key string) bool { _, ok := doc[key]; return ok }

func (im *rulesImporter) claude(raw json.RawMessage) error {
	home := im.Home
	if home == "" || filepath.Dir(im.file) != filepath.Join(home, ".claude") {
		home = ""
	}
	rules, rest, err := guards.RulesFromClaude(raw, home != "", im.noted)
	if err != nil {
		return err
	}
	for _, r := range rules {
		im.add(r.Decision, r.Text)
	}
	if rest.DefaultMode != "" {
		im.note("defaultMode %q is not a rule; see the setting \"mode\"", rest.DefaultMode)
	}
	if len(rest.Dirs) > 0 {
		im.note("additionalDirectories are not rules; see --add-dir")
	}
	im.note("a prefix rule here covers a single command without operators and redirections; each part of a line needs its own")
	return nil
}

func (im *rulesImporter) noted(text string) { im.note("%s", text) }

// cursor reads the permissions of Cursor's command line (cli.json, cli-config.json).
func (im *rulesImporter) cursor(raw json.RawMessage) error {
	var p struct{ Allow, Deny []string }
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	for i, list := range [][]string{p.Allow, p.Deny} {
		decision := []string{"allow", "deny"}[i]
		for _, text := range list {
			name, rest, _ := strings.Cut(text, "(")
			spec := strings.TrimSuffix(rest, ")")
			switch name {
			case "Shell": // the first word, or the first word and its arguments
				program, args, some := strings.Cut(spec, ":")
				if spec == "" || strings.Contains(program, "*") {
					im.note("%s: every command, or a pattern of programs; left out: write out which", text)
					continue
				}
				if !some || args == "*" {
					im.add(decision, "bash("+program+":*)")
				} else {
					im.add(decision, "bash("+program+" "+args+")")
				}
			case "Write":
				im.add(decision, "edit_file("+spec+")")
			case "WebFetch":
				im.add(decision, "web_fetch(domain:"+spec+")")
			case "Mcp":
				server, tool, _ := strings.Cut(spec, ":")
				im.add(decision, "mcp__"+server+"__"+tool)
			default:
				im.add(decision, text)
			}
		}
	}
	return nil
}

func (im *rulesImporter) crush(raw json.RawMessage) error {
	var p struct {
		Allowed []string `json:"allowed_tools"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	for _, name := range p.Allowed {
		toolName, action, some := strings.Cut(name, ":")
		if some {
			im.note("%s: only the action %q was allowed there; left out, as rules here are about whole calls", toolName, action)
			continue
		}
		if toolName == "bash" {
			im.note("bash allowed every command there; left out: write out which")
			continue
		}
		if ours, ok := spellCrushTool(toolName); ok {
			im.add("allow", ours)
		} else {
			im.note("%s: which part of it is the server is not clear; left out", toolName)
		}
	}
	return nil
}

// spellCrushTool spells crush's mcp_server_tool as ours; false where it is not clear which part is the server.
func spellCrushTool(name string) (string, bool) {
	parts := strings.Split(name, "_")
	if parts[0] != "mcp" {
		return name, true
	}
	return strings.Join(parts, "__"), len(parts) == 3
}

func (im *rulesImporter) gemini(doc map[string]json.RawMessage) error {
	var tools struct {
		Allowed, Exclude, Core []string
	}
	if hasKey(doc, "tools") {
		if err := json.Unmarshal(doc["tools"], &tools); err != nil {
			return err
		}
	}
	for key, list := range map[string]*[]string{"allowedTools": &tools.Allowed, "excludeTools": &tools.Exclude, "coreTools": &tools.Core} {
		var older []string
		if hasKey(doc, key) {
			if err := json.Unmarshal(doc[key], &older); err != nil {
				return err
			}
		}
		*list = append(*list, older...)
	}
	for _, t := range tools.Allowed {
		im.add("allow", spellPrefix(t))
	}
	for _, t := range tools.Exclude {
		im.add("deny", spellPrefix(t))
	}
	if len(tools.Core) > 0 {
		im.note("tools.core chooses which tools exist; it is not a rule")
	}
	return nil
}

// spellPrefix spells "run_shell_command(git status)", which matches prefixes there, as a prefix rule.
func spellPrefix(text string) string {
	if rest, ok := strings.CutSuffix(text, ")"); ok && strings.Contains(text, "(") && !strings.HasSuffix(rest, "*") {
		return rest + ":*)"
	}
	return text
}
