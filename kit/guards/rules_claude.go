package guards

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ForeignRule is a rule of another agent, spelled as one of rein.
type ForeignRule struct{ Decision, Text string }

// ClaudeRest are the permissions of Claude Code that are no rules.
type ClaudeRest struct {
	DefaultMode string   `json:"defaultMode"`
	Dirs        []string `json:"additionalDirectories"`
}

// FromClaude spells the rules in the permissions of a settings file of Claude Code. home says that it is the user's own: a path that
// begins with one slash is below ~/.claude then, and of the workspace else. note gets a line for each rule with another meaning.
func RulesFromClaude(permissions json.RawMessage, home bool, note func(string)) (all []ForeignRule, rest ClaudeRest, err error) {
	var p struct{ Allow, Ask, Deny []string }
	if err := json.Unmarshal(permissions, &p); err != nil {
		return nil, rest, err
	}
	if err := json.Unmarshal(permissions, &rest); err != nil {
		return nil, rest, err
	}
	c := claudeRules{home, note}
	for _, group := range []struct {
		decision string
		rules    []string
	}{{"allow", p.Allow}, {"ask", p.Ask}, {"deny", p.Deny}} {
		for _, text := range group.rules {
			if text = c.asMeant(group.decision, agentRule(c.fromHere(text))); text == "" {
				continue
			}
			all = append(all, ForeignRule{group.decision, text})
			if path, ok := strings.CutPrefix(text, "Read("); ok && group.decision == "deny" { // there it is closed to edits too
				all = append(all, ForeignRule{"deny", "Edit(" + path})
			}
		}
	}
	return all, rest, nil
}

// claudeRules reads rules of Claude Code.
type claudeRules struct {
	home bool
	note func(string)
}

// fromHere spells a path that begins with one slash, which means the directory of the settings there and the root here.
func (c claudeRules) fromHere(text string) string {
	name, path, ok := strings.Cut(text, "(/")
	if !ok || strings.HasPrefix(path, "/") || !slices.Contains([]string{"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS"}, name) {
		return text
	}
	if c.home {
		c.note(fmt.Sprintf("%s: one slash means the directory of the settings there, so this is ~/.claude/%s; was //%[2]s meant?", text, strings.TrimSuffix(path, ")")))
		return name + "(~/.claude/" + path
	}
	c.note(fmt.Sprintf("%s: a path from the directory of these settings there; here it is one from the workspace (//%s would be one from the root)", text, strings.TrimSuffix(path, ")")))
	return name + "(./" + path
}

// agentRule spells rules about sub-agents and skills: what there is a name, and words after it, is an argument here.
func agentRule(text string) string {
	name, spec, ok := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	switch {
	case !ok:
	case name == "Agent" || name == "Task":
		if same := map[string]string{"Explore": "explore", "Plan": "plan", "general-purpose": "general"}[spec]; same != "" {
			spec = same
		}
		if !strings.Contains(spec, ":") {
			return name + "(agent:" + spec + ")"
		}
	case name == "Skill":
		spec, _ = strings.CutSuffix(spec, ":*")
		spec, _ = strings.CutSuffix(spec, " *")
		return name + "(name:" + spec + ")"
	}
	return text
}

// asMeant spells what is meant by a path there: to ask and to deny, a name, and a directory of one name, count at any depth. An allowed
// path of a tool whose paths are never looked at there would allow more here: then it gives "".
func (c claudeRules) asMeant(decision, text string) string {
	name, path, ok := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if !ok || !slices.Contains([]string{"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob"}, name) {
		return text
	}
	if decision == "allow" {
		if name == "Read" || name == "Edit" {
			return text
		}
		c.note(fmt.Sprintf("%s: paths of %s are never looked at there; left out", text, name))
		return ""
	}
	if top := strings.TrimSuffix(path, "/**"); !strings.ContainsAny(top, "/~") && top != "" && !strings.HasPrefix(path, "**") {
		return name + "(**/" + path + ")"
	}
	return text
}
