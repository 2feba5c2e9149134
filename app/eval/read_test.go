package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a user reads of a wrong case names file, line and key.
func TestWrongCases(t *testing.T) {
	const checks = "\nchecks: [{stop: done}]\n"
	rows := []struct{ name, text, want string }{
		{"an unknown key", "name: a\npromt: x" + checks, `c.yaml:2: there is no key "promt" here (case)`},
		{"an unknown key of a check", "name: a\nprompt: x\nchecks:\n  - file: {path: a, contain: b}\n", `c.yaml:4: there is no key "contain" here (file check)`},
		{"an unknown key of the script", "name: a\nprompt: x\nscript:\n  turns:\n    - txt: hi" + checks, `c.yaml:5: there is no key "txt" here (turn)`},
		{"of the second document", "name: a\nprompt: x" + checks + "---\nname: b\nprompt: x\nnonsense: 1" + checks, `c.yaml:7: there is no key "nonsense" here (case)`},
		{"a text where a number belongs", "name: a\nprompt: x\nlimits: {turns: many}" + checks, "c.yaml:3: `many` is not a value for this key"},
		{"no YAML", "name: [", "c.yaml:1: did not find expected node content"},
		{"no name", "prompt: x" + checks, "c.yaml:1: a case needs a name, of one line"},
		{"nothing to say", "name: a" + checks, "c.yaml:1: a case needs a prompt, a conversation or a user"},
		{"no checks", "name: a\nprompt: x\n", "c.yaml:1: a case needs checks"},
		{"two kinds of a check", "name: a\nprompt: x\nchecks:\n  - stop: done\n  - {stop: done, order: [a]}\n", "c.yaml:5: a check has exactly one of file,"},
		{"an empty check", "name: a\nprompt: x\nchecks:\n  - {}\n", "this one has 0"},
		{"two kinds of a step", "name: a\nconversation:\n  - {say: x, undo: 1}" + checks, "c.yaml:3: a step has exactly one of say,"},
		{"a mode that there is not", "name: a\nprompt: x\nmode: loud" + checks, "c.yaml:3: "},
		{"no regular expression", "name: a\nprompt: x\nchecks: [{answer: {matches: '('}}]\n", "c.yaml:3: \"(\" is not a regular expression"},
		{"a file elsewhere", "name: a\nprompt: x\nworkspace: {files: {../b: x}}" + checks, `the file "../b" is outside of the workspace`},
		{"a script without turns", "name: a\nprompt: x\nscript: {delta: 1}" + checks, "c.yaml:3: the script: it has no turns"},
		{"a schema that is none", "name: a\nprompt: x\nchecks: [{answer: {schema: {type: nonsense}}}]\n", "c.yaml:3: schema"},
	}
	for _, row := range rows {
		_, err := Parse("c.yaml", []byte(row.text))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
}

func TestReadFindsCases(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml":           "name: a\nprompt: x\nworkspace: {dir: files}\nchecks: [{stop: done}]\n",
		"files/b.yaml":     "not: a case",
		"below/c.yml":      "name: c\nprompt: x\nchecks: [{stop: done}]\n---\nname: d\nprompt: x\nchecks: [{stop: done}]\n",
		"_part.yaml":       "not: a case",
		".hidden/e.yaml":   "not: a case",
		"files/deep/f.yml": "not: a case",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range cases {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "a c d" {
		t.Errorf("read %q", got)
	}
	first := cases[0].sum
	if err := os.WriteFile(filepath.Join(dir, "files/new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if cases, err = Read(dir); err != nil || cases[0].sum == first {
		t.Errorf("a case with another workspace has the same sum (%v)", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "g.yaml"), []byte("name: c\nprompt: x\nchecks: [{stop: done}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = Read(dir); err == nil || !strings.Contains(err.Error(), `the name "c" is taken`) {
		t.Errorf("a name that is there twice: %v", err)
	}
}
