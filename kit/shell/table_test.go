package shell

import (
	"strings"
	"testing"

	"rein/guard/effect"
	"rein/kit/places"
)

// testContext is the context that the tests share: a trusted workspace in the home of an ordinary user.
func testContext() Context {
	return Context{
		Context: places.Context{Dir: "/home/dev/project", Workspaces: []string{"/home/dev/project"}, Home: "/home/dev"},
		User:    "dev",
	}
}

func TestTableNamesHandlers(t *testing.T) {
	for how, where := range programTable().Handlers() {
		if handlers[how] == nil && programHandlerNamed(how) == nil {
			t.Errorf("%s: the table names no handler %q", where, how)
		}
	}
}

// TestTableExamples checks the examples next to the programs in the table.
func TestTableExamples(t *testing.T) {
	for _, e := range programTable().Examples() {
		class, command, ok := strings.Cut(e.Line, " | ")
		want, known := effect.ClassNamed(strings.TrimSpace(class))
		if !ok || !known {
			t.Errorf("%s: want \"= class | command\"", e.Where)
			continue
		}
		r := Analyze(command, testContext())
		if r.Class() != want {
			t.Errorf("%s: %q is %v, want %v from the table (%v)", e.Where, command, r.Class(), want, r.Findings)
		}
	}
}
