package shell

import (
	"strings"
	"testing"

	"rein/places"
)

// testContext is the context that the tests share: a trusted workspace in the home of an ordinary user.
func testContext() Context {
	return Context{
		Context: places.Context{Dir: "/home/dev/project", Workspaces: []string{"/home/dev/project"}, Home: "/home/dev"},
		User:    "dev",
	}
}

func TestTableLoads(t *testing.T) {
	table, err := loadTable()
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range table.blocks {
		checkHandlers(t, name, b.read())
	}
}

func checkHandlers(t *testing.T, name string, p *program) {
	t.Helper()
	if p.how != "" && handlerNamed(p.how) == nil {
		t.Errorf("%s: the table names no handler %q", name, p.how)
	}
	for sub, s := range p.subs {
		checkHandlers(t, name+" "+sub, s)
	}
}

// TestTableExamples checks the examples next to the programs in the table.
func TestTableExamples(t *testing.T) {
	seen := map[*block]bool{}
	for _, b := range programs().blocks {
		if seen[b] {
			continue
		}
		seen[b] = true
		for _, e := range b.examples {
			class, command, ok := strings.Cut(e.line, " | ")
			want, known := ClassNamed(strings.TrimSpace(class))
			if !ok || !known {
				t.Errorf("%s: want \"= class | command\"", e.where)
				continue
			}
			r := Analyze(command, testContext())
			if r.Class() != want {
				t.Errorf("%s: %q is %v, want %v from the table (%v)", e.where, command, r.Class(), want, r.Findings)
			}
		}
	}
}
