package shell

import (
	"testing"

	"rein/internal/places"
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
	for name, p := range table.programs {
		checkHandlers(t, name, p)
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

// TestTableExamples checks the examples that stand beside the programs in the table.
func TestTableExamples(t *testing.T) {
	for _, e := range programs().examples {
		r := Analyze(e.command, testContext())
		if r.Class() != e.class {
			t.Errorf("%s: %q is %v, the table says %v (%v)", e.where, e.command, r.Class(), e.class, r.Findings)
		}
	}
}
