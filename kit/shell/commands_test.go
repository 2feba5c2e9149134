package shell

import (
	"os"
	"slices"
	"strings"
	"testing"

	"rein/guard/effect"
)

// rows reads a file of commands, one a line.
func rows(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !strings.HasPrefix(line, "# ") {
			all = append(all, strings.ReplaceAll(line, "⏎", "\n"))
		}
	}
	return all
}

// decision is what happens to a class in a trusted workspace: 0 runs, 1 asks, 2 is denied.
func decision(c effect.Class) int {
	switch {
	case c <= effect.Commit:
		return 0
	case c < effect.Foreign:
		return 1
	}
	return 2
}

func TestCommands(t *testing.T) {
	for want, name := range []string{"allowed.txt", "asked.txt", "denied.txt"} {
		all := slices.Concat(rows(t, name), rows(t, "second_"+name), rows(t, "third_"+name), rows(t, "fourth_"+name))
		if want < 2 {
			all = append(all, rows(t, "honest_"+name)...)
		}
		for _, cmd := range all {
			r := Analyze(cmd, testContext())
			if decision(r.Class()) != want {
				t.Errorf("%s: %q is %v: %+v", name, cmd, r.Class(), r.Findings)
			}
			if r.Fault != "" {
				t.Errorf("%q: the guard failed: %s", cmd, r.Fault)
			}
		}
	}
}
