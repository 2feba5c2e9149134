package main

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// codex reads the calls of prefix_rule in a rules file of Codex. Only plain lists of texts are read; what is computed
// there is reported.
func (im *rulesImporter) codex(text string) error {
	for _, call := range prefixRule.FindAllStringSubmatch(starlarkComment.ReplaceAllString(text, ""), -1) {
		body := call[1]
		pattern := readArgumentText(body, "pattern")
		decision := map[string]string{`"allow"`: "allow", `"prompt"`: "ask", `"forbidden"`: "deny", "": "allow"}[readArgumentText(body, "decision")]
		if decision == "" {
			im.note("left out: decision %s", readArgumentText(body, "decision"))
			continue
		}
		var why string
		_ = json.Unmarshal([]byte(readArgumentText(body, "justification")), &why) // what is no plain text is left out
		for _, words := range spellAlternatives(pattern) {
			r := importedRule{Rule: "bash(" + strings.Join(words, " ") + ":*)", NotMatch: readExamples(readArgumentText(body, "not_match")), Why: why}
			for _, line := range readExamples(readArgumentText(body, "match")) {
				if slices.Equal(words, strings.Fields(line)[:min(len(words), len(strings.Fields(line)))]) {
					r.Match = append(r.Match, line)
				}
			}
			im.addRule(decision, r)
		}
		if len(spellAlternatives(pattern)) == 0 {
			im.note("left out: the pattern is not a plain list: %s", strings.Join(strings.Fields(body), " "))
		}
	}
	for _, kind := range []string{"host_executable", "network_rule"} {
		if strings.Contains(text, kind+"(") {
			im.note("%s has no counterpart among the rules; see the settings \"sandbox\" and \"network\"", kind)
		}
	}
	return nil
}

var (
	// starlarkComment is a line that is a comment, and nothing else.
	starlarkComment = regexp.MustCompile(`(?m)^[ \t]*#.*$`)

	prefixRule = regexp.MustCompile(`(?s)prefix_rule\((.*?)\n?\)\s*(?:\n|$)`)
)

// plainValue returns the list or the text at the beginning of a Starlark expression; "" where there is neither.
func plainValue(text string) string {
	text = strings.TrimLeft(text, " \t\n")
	depth, quoted := 0, false
	for i, c := range text {
		switch {
		case c == '"' && (i == 0 || text[i-1] != '\\'):
			quoted = !quoted
		case quoted:
			continue
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 0:
			return ""
		}
		if depth == 0 && !quoted {
			return text[:i+1]
		}
	}
	return ""
}

// readExamples reads the examples of a rule: commands as texts or as lists of words.
func readExamples(list string) (all []string) {
	var each []json.RawMessage
	if json.Unmarshal([]byte(strings.ReplaceAll(list, ",]", "]")), &each) != nil {
		return nil
	}
	for _, raw := range each {
		var line string
		var words []string
		if json.Unmarshal(raw, &words) == nil {
			line = strings.Join(words, " ")
		} else if json.Unmarshal(raw, &line) != nil {
			continue
		}
		all = append(all, line)
	}
	return all
}

// readArgumentText returns the text of name = value in the arguments of a call; "computed" where the value is more than one list or
// text.
func readArgumentText(body, name string) string {
	at := regexp.MustCompile(`\b` + name + `\s*=`).FindStringIndex(body)
	if at == nil {
		return ""
	}
	text := strings.TrimLeft(body[at[1]:], " \t\n")
	value := plainValue(text)
	rest := strings.TrimSpace(text[len(value):])
	if value == "" || rest != "" && rest[0] != ',' && rest[0] != '#' {
		return "computed"
	}
	return strings.TrimSpace(value)
}

// spellAlternatives spells out ["git", ["push", "pull"]] as its two lists of words; nil where it is no such list.
func spellAlternatives(pattern string) [][]string {
	var parts []json.RawMessage
	if json.Unmarshal([]byte(strings.ReplaceAll(pattern, ",]", "]")), &parts) != nil {
		return nil
	}
	all := [][]string{nil}
	for _, p := range parts {
		var one string
		var several []string
		switch {
		case json.Unmarshal(p, &one) == nil:
			several = []string{one}
		case json.Unmarshal(p, &several) != nil:
			return nil
		}
		var next [][]string
		for _, words := range all {
			for _, s := range several {
				next = append(next, append(words[:len(words):len(words)], s))
			}
		}
		all = next
	}
	if len(parts) == 0 {
		return nil
	}
	return all
}

// toml finds by its keys which agent a TOML file belongs to, and reads it.
func (im *rulesImporter) toml(text string) error {
	var doc map[string]any
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	if _, policy := doc["rule"]; policy {
		return im.geminiPolicy(text)
	}
	known := false
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		if where, ok := codexSettings[key]; ok {
			known = true
			im.note("%s is not a rule; see %s", key, where)
		}
	}
	if !known {
		return errNoPermissions
	}
	return nil
}

// errNoPermissions means that a file has no rules.
var errNoPermissions = errors.New("no permissions of a known kind are in it")

// codexSettings are the keys of Codex's settings that decide what may run, with the settings of rein that do the same.
var codexSettings = map[string]string{
	"approval_policy":         `the setting "mode"`,
	"sandbox_mode":            `the settings "mode" and "sandbox"`,
	"sandbox_workspace_write": `the settings "files" (writable_roots) and "network" (network_access)`,
	"projects":                `"projects" in the permissions of your own settings; no directory is trusted as a whole here`,
	"permissions":             `docs/rules.md`,
}

// geminiPolicy reads a policy file of Gemini CLI.
func (im *rulesImporter) geminiPolicy(text string) error {
	var doc struct {
		Rule []struct {
			ToolName      any    `toml:"toolName"`
			CommandPrefix any    `toml:"commandPrefix"`
			CommandRegex  string `toml:"commandRegex"`
			ArgsPattern   string `toml:"argsPattern"`
			McpName       string `toml:"mcpName"`
			Modes         any    `toml:"modes"`
			Subagent      any    `toml:"subagent"`
			Annotations   any    `toml:"toolAnnotations"`
			Decision      string `toml:"decision"`
		} `toml:"rule"`
	}
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	for i, r := range doc.Rule {
		decision := map[string]string{"allow": "allow", "ask_user": "ask", "deny": "deny"}[r.Decision]
		if r.CommandRegex != "" || r.ArgsPattern != "" {
			im.note("rule %s: a regular expression over arguments has no counterpart; left out", strconv.Itoa(i+1))
			continue
		}
		if r.Modes != nil {
			im.note("rule %d: it holds only in some modes, which no rule here can express; left out", i+1)
			continue
		}
		if r.Subagent != nil || r.Annotations != nil {
			if decision == "allow" {
				im.note("rule %d: it allows only in some sub-agents or kinds of tools, which no rule here can express; left out", i+1)
				continue
			}
			im.note("rule %d: it holds only in some sub-agents or kinds of tools there, here always", i+1)
		}
		names := listOfTexts(r.ToolName)
		if len(names) == 0 && r.McpName != "" {
			names = []string{"*"}
		}
		for _, name := range names {
			if r.McpName != "" {
				name = "mcp__" + r.McpName + "__" + name
			}
			prefixes := listOfTexts(r.CommandPrefix)
			if len(prefixes) == 0 {
				im.add(decision, name)
			}
			for _, p := range prefixes {
				im.add(decision, name+"("+p+":*)")
			}
		}
	}
	im.note("priorities are left out: here deny comes before ask and ask before allow")
	return nil
}

// listOfTexts returns a text or a list of texts as a list.
func listOfTexts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}
