package shell

import (
	"strings"
	"testing"
)

func TestNameFilesAreWellFormed(t *testing.T) {
	all, err := loadNames()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]func() nameTable{
		"code-calls": codeCalls, "code-net": codeNet, "code-installs": codeInstalls, "code-files": codeFiles, "code-system": codeSystem,
		"code-extensions": codeExtensions, "runners": runners, "option-words": optionWords, "option-products": optionProducts,
		"option-outputs": optionOutputs, "option-written": optionWritten, "option-labels": optionLabels, "command-starts": commandStarts,
		"environment": environmentNames, "bare-tools": bareTools,
	}
	for name, table := range used {
		if len(table()) == 0 {
			t.Errorf("the table %s is empty", name)
		}
	}
	for name := range all {
		if used[name] == nil {
			t.Errorf("nobody uses the table %s", name)
		}
	}
	groups := map[string]bool{"data": true, "config": true, "load": true, "run": true}
	for word, group := range optionWords() {
		if !groups[group] {
			t.Errorf("option-words: %s has the unknown group %q", word, group)
		}
	}
}

func TestMalformedNamesAreErrors(t *testing.T) {
	for rule, text := range map[string]string{
		"a group outside of a table": "a\n  b\n",
		"a name outside of a group":  "= t\n  b\n",
		"a name twice":               "= t\na\n  x\nb\n  x\n",
		"a table twice":              "= t\na\n  x\n= t\n",
		"a group of two words":       "= t\na b\n",
	} {
		if err := parseNames(map[string]nameTable{}, text); err == nil || !strings.Contains(err.Error(), ": ") {
			t.Errorf("%s: %v", rule, err)
		}
	}
	all := map[string]nameTable{}
	if err := parseNames(all, "# about\n= t\na\n  x y\n  z\n"); err != nil || all["t"].group("z") != "a" || all["t"].has("about") {
		t.Errorf("%v, %v", all, err)
	}
}

func BenchmarkLoadNames(b *testing.B) {
	for b.Loop() {
		if _, err := loadNames(); err != nil {
			b.Fatal(err)
		}
	}
}
