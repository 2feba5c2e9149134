package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandLines returns the commands of rein in a document: those in code spans, and the lines of code blocks.
func commandLines(text string) (lines []string) {
	span, fenced := regexp.MustCompile("`rein ([^`]+)`"), false
	text = regexp.MustCompile("(?s)```text\n.*?```\n").ReplaceAllString(text, "") // what a program prints
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		for _, m := range span.FindAllStringSubmatch(line, -1) {
			lines = append(lines, m[1])
		}
		if command, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(line), "./"), "rein "); ok && (fenced || strings.HasPrefix(line, "    ")) {
			lines = append(lines, command)
		}
	}
	return lines
}

// TestDocumentsNameCommandsAndFlagsThatExist compares the commands in the README and in docs with the program.
func TestDocumentsNameCommandsAndFlagsThatExist(t *testing.T) {
	found := 0
	for name, text := range documents(t) {
		if path.Base(name) == "errors.md" {
			continue // its messages begin with the name, as sentences
		}
		for _, line := range commandLines(text) {
			found++
			if wrong := wrongWord(newRoot(""), line); wrong != "" {
				t.Errorf("%s: rein %s: there is no %s", name, line, wrong)
			}
		}
	}
	if found < 150 {
		t.Errorf("%d commands were found: the search is wrong", found)
	}
	for line, wrong := range map[string]string{"run --no-such-flag x": "--no-such-flag", "frobnicate": "frobnicate", "mcp frobnicate x": "frobnicate", "run 'frobnicate'": ""} {
		if got := wrongWord(newRoot(""), line); got != wrong {
			t.Errorf("%s: got %q", line, got)
		}
	}
}

// wrongWord returns the first command or flag of a command line that does not exist.
func wrongWord(root *cobra.Command, line string) string {
	line, _, _ = strings.Cut(line, "  #")
	line, _, _ = strings.Cut(line, "   ")
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	at, named, value := root, false, false // named: an argument that is no command has come; value: the next word is that of a flag
	for _, word := range acpFlagAsCommand(strings.Fields(line)) {
		flag, _, hasValue := strings.Cut(strings.Trim(word, "[],;.…)"), "=")
		if value {
			value = false
			continue
		}
		if f := flagOf(at, flag); f != nil {
			value = !hasValue && f.NoOptDefVal == "" // of a bool flag it is true
		}
		switch {
		case word == "--" || word == "|":
			return ""
		case strings.HasPrefix(flag, "--") && len(flag) > 2:
			if flagOf(at, flag) == nil {
				return flag
			}
		case named || strings.HasPrefix(word, "-"):
		default:
			next := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) })
			switch {
			case next >= 0:
				at = at.Commands()[next]
			case regexp.MustCompile(`^[a-z-]+$`).MatchString(word) && (at == root || !at.Runnable()):
				return word
			default:
				named = true
			}
		}
	}
	return ""
}

// flagOf finds a flag of a command, as it is written: --mode or -m.
func flagOf(c *cobra.Command, written string) *pflag.Flag {
	c.InitDefaultHelpFlag()
	for _, set := range []*pflag.FlagSet{c.Flags(), c.InheritedFlags()} {
		if name, ok := strings.CutPrefix(written, "--"); ok && set.Lookup(name) != nil {
			return set.Lookup(name)
		}
		if len(written) == 2 && written[0] == '-' && written[1] != '-' {
			if f := set.ShorthandLookup(written[1:]); f != nil {
				return f
			}
		}
	}
	return nil
}

// TestToolsAndTheirArgumentsAreDocumented compares the tables of docs/tools.md and docs/browser.md with the schemas of the tools.
func TestToolsAndTheirArgumentsAreDocumented(t *testing.T) {
	var text []byte
	for _, page := range []string{"tools", "browser"} {
		more, err := os.ReadFile("../../docs/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, more...)
	}
	t.Setenv("REIN_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	root, out := newRoot(""), new(bytes.Buffer)
	root.SetArgs([]string{"tools", "--json"})
	root.SetOut(out)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var tools []toolListing
	if err := json.Unmarshal(out.Bytes(), &tools); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(tools, func(t toolListing) bool { return t.Name == "agent" }) {
		t.Error("rein tools does not list the tools for sub-agents")
	}
	documented := documentedArguments(string(text))
	for _, tool := range tools {
		names, ok := documented[tool.Name]
		if !ok {
			t.Errorf("docs/tools.md has no row for %s", tool.Name)
			continue
		}
		var input struct{ Properties map[string]json.RawMessage }
		if err := json.Unmarshal(tool.Input, &input); err != nil {
			t.Fatal(err)
		}
		for property := range input.Properties {
			if !slices.Contains(names, property) {
				t.Errorf("docs/tools.md: the row of %s does not name %s", tool.Name, property)
			}
		}
	}
}

// documentedArguments returns the names in the second cell of each row of docs/tools.md, by the tools in its first cell.
func documentedArguments(text string) map[string][]string {
	name := regexp.MustCompile("`([A-Za-z_]+)`")
	all := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+) \\| ([^|]*) \\|").FindAllStringSubmatch(text, -1) {
		for _, tool := range name.FindAllStringSubmatch(row[1], -1) {
			for _, argument := range name.FindAllStringSubmatch(row[2], -1) {
				all[tool[1]] = append(all[tool[1]], argument[1])
			}
			all[tool[1]] = append(all[tool[1]], "")
		}
	}
	return all
}
