package main

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.starlark.net/syntax"
)

// codex reads the calls of prefix_rule in a rules file of Codex, which is Starlark. Only what is written out is read; what a program
// computes there is reported.
func (im *rulesImporter) codex(text string) error {
	file, err := (&syntax.FileOptions{}).Parse(im.name, text, 0)
	if err != nil {
		return err
	}
	for _, stmt := range file.Stmts {
		call := topCall(stmt)
		switch name := nameOf(call); name {
		case "prefix_rule":
			im.codexRule(call)
		case "host_executable", "network_rule":
			im.note("%s has no counterpart among the rules; see the settings \"sandbox\" and \"network\"", name)
		default:
			start, _ := stmt.Span()
			im.note("line %d: only calls of prefix_rule are read; left out", start.Line)
		}
	}
	return nil
}

func (im *rulesImporter) codexRule(call *syntax.CallExpr) {
	given := map[string]any{"decision": "allow"}
	for _, a := range call.Args {
		if b, ok := a.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
			if name, ok := b.X.(*syntax.Ident); ok {
				given[name.Name] = writtenOut(b.Y)
			}
		}
	}
	decision, _ := given["decision"].(string)
	decision = map[string]string{"allow": "allow", "prompt": "ask", "forbidden": "deny"}[decision]
	pattern, _ := given["pattern"].([]any)
	all := spellAlternatives(pattern)
	if decision == "" || len(all) == 0 {
		im.note("line %d: the decision is none of allow, prompt and forbidden, or the pattern is not a plain list; left out", call.Lparen.Line)
		return
	}
	why, _ := given["justification"].(string)
	for _, words := range all {
		r := importedRule{Rule: "bash(" + strings.Join(words, " ") + ":*)", NotMatch: exampleLines(given["not_match"]), Why: why}
		for _, line := range exampleLines(given["match"]) {
			if has := strings.Fields(line); len(has) >= len(words) && slices.Equal(words, has[:len(words)]) {
				r.Match = append(r.Match, line)
			}
		}
		im.addRule(decision, r)
	}
}

// topCall returns the call that a statement is; nil where it is another one.
func topCall(stmt syntax.Stmt) *syntax.CallExpr {
	if e, ok := stmt.(*syntax.ExprStmt); ok {
		call, _ := e.X.(*syntax.CallExpr)
		return call
	}
	return nil
}

func nameOf(call *syntax.CallExpr) string {
	if call != nil {
		if fn, ok := call.Fn.(*syntax.Ident); ok {
			return fn.Name
		}
	}
	return ""
}

// writtenOut returns a text, or a list of what is written out; nil where anything is computed.
func writtenOut(e syntax.Expr) any {
	switch e := e.(type) {
	case *syntax.Literal:
		return e.Value
	case *syntax.ListExpr:
		all := make([]any, len(e.List))
		for i, item := range e.List {
			if all[i] = writtenOut(item); all[i] == nil {
				return nil
			}
		}
		return all
	}
	return nil
}

// exampleLines are the examples of a rule: commands as texts or as lists of words.
func exampleLines(examples any) (all []string) {
	list, _ := examples.([]any)
	for _, e := range list {
		if line := strings.Join(listOfTexts(e), " "); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// spellAlternatives spells out ["git", ["push", "pull"]] as its two lists of words.
func spellAlternatives(pattern []any) [][]string {
	all := [][]string{nil}
	for _, p := range pattern {
		var next [][]string
		for _, words := range all {
			for _, s := range listOfTexts(p) {
				next = append(next, append(words[:len(words):len(words)], s))
			}
		}
		all = next
	}
	if len(pattern) == 0 {
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
