// Package listing holds the slash commands that are lists: each is one of rein's own commands, whose output becomes a picker.
package listing

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rein/tui/full"
	"rein/tui/text"
)

// Listing is a slash command over one of rein's commands: without arguments it lets the user choose from the command's list, and
// with arguments it runs the command with them.
type Listing struct {
	Name, Args, Help string

	Command string   // rein's command; it has "list --json"
	ID      string   // the field that names an entry for the other commands
	Shown   string   // the field that a row shows
	About   []string // the fields at the right of a row
	Show    string   // the subcommand that shows an entry; "": its fields
	Keys    []Key
	None    string // what to do where the list is empty
}

// Key is a key that does something with the chosen entry.
type Key struct {
	Key, Does string
	Command   string // the subcommand
	Asks      bool   // the user confirms it
}

// All returns the slash commands over lists.
func All() []Listing {
	return []Listing{
		{"agents", "", "the kinds of sub-agents", "agents", "name", "name", []string{"description"}, "show", nil, "there are no agents"},
		{"skills", "[add, new, check ...]", "the skills that the model can load", "skills", "name", "name", []string{"from", "about", "description"}, "show",
			[]Key{{"delete", "removes", "remove", true}}, "there are no skills: /skills add and a directory or an address"},
		{"mcp", "[add, test, login, logs ...]", "tool servers", "mcp", "name", "name", []string{"type", "command", "url", "disabled"}, "get",
			[]Key{{"ctrl+e", "switches on", "enable", false}, {"ctrl+x", "off", "disable", false}, {"delete", "removes", "remove", true}}, "there are no tool servers: /mcp add NAME COMMAND"},
		{"hooks", "[test ...]", "what runs at events of a session", "hooks", "event", "event", []string{"matcher", "command", "handler"}, "", nil, "there are no hooks: they are in the settings, under \"hooks\""},
		{"memory", "[add, search, forget ...]", "what is remembered for later sessions", "memory", "id", "text", []string{"scope", "category"}, "show",
			[]Key{{"delete", "forgets", "forget", true}, {"ctrl+e", "confirms", "confirm", false}}, "nothing is remembered: # and a text remembers it"},
		{"schedule", "[add, history ...]", "tasks that run later or regularly", "cron", "id", "name", []string{"schedule", "next"}, "",
			[]Key{{"ctrl+x", "pauses", "pause", false}, {"ctrl+e", "resumes", "resume", false}, {"delete", "removes", "remove", true}}, "no task is planned: /schedule add --help"},
	}
}

// Rules is the list of the rules of a server: /permissions.
func Rules() Listing {
	return Listing{Name: "permissions", Command: "rules", ID: "rule", Shown: "rule", About: []string{"decision", "layer"}, Keys: []Key{{"delete", "removes", "remove", true}},
		None: "there are no rules: the mode decides. /permissions allow RULE adds one"}
}

// RuleArgs are the arguments of the command over a server's rules, of a line such as "allow --everywhere bash(ls:*)".
func RuleArgs(word, rest, mode string) []string {
	rule, everywhere := strings.CutPrefix(rest, "--everywhere ")
	switch {
	case word == "":
		return nil
	case word == "explain":
		return []string{word, "--mode", mode, "--", rest}
	case everywhere:
		return []string{word, "--everywhere", "--", strings.TrimSpace(rule)}
	}
	return []string{word, "--", rest}
}

// Entries reads the list: JSON objects in lines, or an array of them.
func (l Listing) Entries(out string) (rows []full.Entry, err error) {
	var all []map[string]any
	if strings.HasPrefix(out, "[") {
		err = json.Unmarshal([]byte(out), &all)
	} else {
		for d := json.NewDecoder(strings.NewReader(out)); d.More() && err == nil; {
			var one map[string]any
			if err = d.Decode(&one); err == nil {
				all = append(all, one)
			}
		}
	}
	for _, one := range all {
		var facts []string
		for _, name := range l.About {
			if v := Word(one[name]); v != "" && v != "false" {
				if v == "true" {
					v = name
				}
				facts = append(facts, v)
			}
		}
		about := text.Of(text.Plain, text.OneLine(strings.Join(facts, "   "))).Cut(60).String()
		rows = append(rows, full.Entry{Name: Word(one[l.Shown]), About: about, Value: one})
	}
	return rows, err
}

// Word returns a value of JSON as a list shows it.
func Word(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return fmt.Sprint(int64(v))
	case bool:
		return fmt.Sprint(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// Fields are those of an entry, one on each line.
func Fields(e full.Entry, width int) (lines []text.Line) {
	one, _ := e.Value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(one)) {
		if v := Word(one[name]); v != "" {
			lines = append(lines, text.Line{text.In(text.Dim, fmt.Sprintf("%-12s ", name)), text.In(text.Plain, text.OneLine(v))}.Wrap(width, text.Of(text.Plain, strings.Repeat(" ", 13)))...)
		}
	}
	return lines
}
