package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"rein/app/harness"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		args []string
		want Request
		ok   bool
	}{
		{[]string{"show", "explore"}, Request{Verb: "show", Name: "explore"}, true},
		{[]string{"history"}, Request{Verb: "history"}, true},
		{[]string{"add", "uses", "tabs"}, Request{Verb: "add", Name: "uses tabs"}, true},
		{[]string{"add", "--user", "uses", "tabs"}, Request{Verb: "add", Name: "uses tabs", Everywhere: true}, true},
		{[]string{"add", "--", "--race: always"}, Request{Verb: "add", Name: "--race: always"}, true},
		{[]string{"add", "--category", "task", "x"}, Request{}, false},
		{[]string{"list", "--json"}, Request{}, false},
		{nil, Request{}, false},
	} {
		if r, ok := Parse("", row.args); ok != row.ok || ok && !reflect.DeepEqual(r, row.want) {
			t.Errorf("%q: %+v, %v", row.args, r, ok)
		}
	}
}

// local is the catalogue of a directory with one entry of each kind.
func local(t *testing.T) Local {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("REIN_HOME", filepath.Join(home, ".rein"))
	for file, text := range map[string]string{
		filepath.Join(home, ".rein", "config", "settings.json"): `{"permissions": {"allow": ["bash(go test:*)"]},
			"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 0"}]}]},
			"mcpServers": {"docs": {"url": "https://mcp.example.com/mcp"}}}`,
		filepath.Join(home, ".rein", "config", "skills", "good", "SKILL.md"): "---\nname: good\ndescription: Helps.\n---\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Local{Options: harness.Options{Dir: dir}}
}

// Each kind lists what was just changed, shows it, and says what is not there.
func TestLocal(t *testing.T) {
	l := local(t)
	do := func(kind Kind, verb, name string) (string, error) {
		return l.Do(t.Context(), Request{Kind: kind, Verb: verb, Name: name, Mode: "supervised"})
	}
	for _, row := range []struct {
		kind       Kind
		verb, name string
		text       string // in what is reported, or in the error
		fails      bool
		listed     string // names of the list afterwards
	}{
		{Agents, "show", "explore", "source       built in", false, "explore"},
		{Agents, "show", "nobody", `no agent "nobody"`, true, ""},
		{Agents, "remove", "explore", ErrNotThere.Error(), true, "explore"},
		{Skills, "show", "good", "hash ", false, "good"},
		{Skills, "remove", "good", "", false, "-good"},
		{Skills, "show", "good", "no skill", true, ""},
		{Hooks, "show", "PreToolUse", ErrNotThere.Error(), true, "PreToolUse"},
		{ToolServers, "get", "docs", "rein connects to the host", false, "docs"},
		{ToolServers, "disable", "docs", "", false, "docs"},
		{ToolServers, "test", "docs", "it is disabled", true, ""},
		{ToolServers, "remove", "docs", "", false, "-docs"},
		{ToolServers, "remove", "docs", "no tool server", true, ""},
		{ToolServers, "add", "docs x", ErrNotThere.Error(), true, ""},
		{Memory, "add", "likes tabs", "importance 5) likes tabs", false, "likes tabs"},
		{Memory, "add", " ", "The text is empty.", true, ""},
		{Memory, "search", "tabs", "likes tabs", false, ""},
		{Memory, "show", "m1", "- by: user", false, ""},
		{Memory, "confirm", "1", "", false, ""},
		{Memory, "forget", "1 9", `no entry "9"`, true, "likes tabs"},
		{Memory, "forget", "1", "Forgot m1", false, "-likes tabs"},
		{Memory, "forget", "1", "no entry", true, ""},
		{Schedules, "pause", "1", "no such", true, ""},
		{Schedules, "history", "", "", false, ""},
		{Schedules, "pause", "x", "not the number of a task", true, ""},
		{Schedules, "add", "@daily x", ErrNotThere.Error(), true, ""},
		{Rules, "check", "", "rules: 1, warnings: 0", false, "allow  bash(go test:*)"},
		{Rules, "explain", "go test ./...", "verdict  allow", false, ""},
		{Rules, "remove", "deny bash(go test:*)", "have no rule", true, "allow  bash(go test:*)"},
		{Rules, "remove", "allow bash(go test:*)", "removed: allow bash(go test:*)", false, "-allow  bash(go test:*)"},
		{Rules, "remove", "bash(go test:*)", "have no rule", true, ""},
		{Sessions, "delete", "nothing", "nothing", true, ""},
	} {
		text, err := do(row.kind, row.verb, row.name)
		if err != nil {
			text += err.Error()
		}
		if (err != nil) != row.fails || !strings.Contains(text, row.text) || strings.HasPrefix(text, "m0") {
			t.Errorf("%s %s %s: %q, %v", row.kind, row.verb, row.name, text, err)
		}
		if row.listed == "" {
			continue
		}
		name, gone := strings.CutPrefix(row.listed, "-")
		list, err := l.List(t.Context(), row.kind)
		there := strings.Contains(namesOf(list), "|"+name+"|")
		if err != nil || there == gone {
			t.Errorf("%s %s: the list has %s, %v", row.kind, row.verb, namesOf(list), err)
		}
		for _, e := range list.Entries {
			if _, err := json.Marshal(e.Value); err != nil || e.ID == "" || len(e.Fields) == 0 {
				t.Errorf("%s: %+v, %v", row.kind, e, err)
			}
		}
	}
}

// A rule that is kept for this project and for all is taken out of the one file that is meant. The list says which is of this project.
func TestARuleOfAllProjectsIsRemoved(t *testing.T) {
	l := local(t)
	const rule = "bash(ls -la)"
	d, root, err := l.place()
	if err != nil {
		t.Fatal(err)
	}
	for _, everywhere := range []bool{false, true} {
		if err := harness.KeepRules(d, root, "allow", []string{rule}, everywhere); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"user, this project", ""} {
		if _, err := l.Do(t.Context(), Request{Kind: Rules, Verb: "remove", Name: rule, Everywhere: true}); (err != nil) != (want == "") {
			t.Error(err)
		}
		list, err := l.List(t.Context(), Rules)
		for _, e := range list.Entries {
			if e.ID == rule && e.About != "user, this project" {
				t.Errorf("left is %s: %s", e.ID, e.About)
			}
		}
		if !strings.Contains(namesOf(list), rule) || err != nil {
			t.Errorf("%s, %v", namesOf(list), err)
		}
	}
}

func namesOf(list List) string {
	names := "|"
	for _, e := range list.Entries {
		names += e.Name + "|"
	}
	return names
}

// What the interface has no word for is refused, and a list of what is elsewhere too.
func TestNotThere(t *testing.T) {
	var all Catalogue = local(t)
	if _, err := all.List(context.Background(), Tools); !errors.Is(err, ErrNotThere) {
		t.Error(err)
	}
	if _, err := all.Do(context.Background(), Request{Kind: Settings, Verb: "list"}); !errors.Is(err, ErrNotThere) {
		t.Error(err)
	}
}
