package undo

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAFileOutsideThatAFileToolChanges is named by the result, the list and the plan; the step before it can still be undone.
func TestAFileOutsideThatAFileToolChanges(t *testing.T) {
	w := newWorld(t)
	other := filepath.Join(filepath.Dir(w.dir), "other")
	must(t, os.WriteFile(other, []byte("1"), 0o644))
	w.call(func() { w.write(map[string]string{"a": "1"}) })
	if report := w.exactly(func() {}, other); len(report.Uncovered) > 0 {
		t.Errorf("it did nothing: %v", report.Uncovered)
	}
	const want = " (1 bytes) was changed and cannot be restored: outside of the workspace"
	report := w.exactly(func() { must(t, os.WriteFile(other, []byte("new"), 0o644)) }, other)
	if len(report.Uncovered) != 1 || report.Uncovered[0].String() != other+want {
		t.Errorf("the result: %v", report.Uncovered)
	}
	must(t, w.s.Close())
	w.s = w.open()
	steps, err := w.s.Steps(t.Context(), Filter{})
	must(t, err)
	if len(steps) != 2 || len(steps[1].Uncovered) != 1 {
		t.Errorf("the list: %+v", steps)
	}
	p, err := w.s.Plan(t.Context(), Selection{Filter: Filter{Call: "c3"}})
	must(t, err)
	if len(p.Uncovered) != 1 || p.Uncovered[0].Path != other {
		t.Errorf("the plan: %+v", p.Uncovered)
	}
	w.undo(Selection{Last: 1}, nil)
	same(t, w.tree(), "", "after the undo of the last call that changed something here")
}

// TestADirectoryThatIsLeftOut: what a command changes in one is named by the result, the list and the plan of that call, and of no other; the
// step before it can still be undone.
func TestADirectoryThatIsLeftOut(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{".gitignore": "build\nlib\n", "build/obj/x.o": "1", "build/log": "1", "lib/deep/y": "1", "sub/build/z": "1"})
	for _, row := range []struct {
		script string
		names  []string
	}{
		{"echo 1 > a", nil},
		{"cat build/log; touch build 2>/dev/null; true", []string{"build"}},
		{"true", nil},
		{"echo more >> build/log", []string{"build"}},
		{"echo 2 > build/obj/x.o", []string{"build"}},
		{"rm lib/deep/y; mkdir sub/build/new", []string{"lib", "sub/build"}},
	} {
		id, report := w.call(func() { w.sh(row.script) })
		var got []string
		for _, u := range report.Uncovered {
			got = append(got, u.Path)
			if want := u.Path + " was changed and cannot be restored: an ignore file leaves out what is in it"; u.String() != want {
				t.Errorf("%q, want %q", u, want)
			}
		}
		if !slices.Equal(got, row.names) {
			t.Errorf("%s: %q, want %q", row.script, got, row.names)
		}
		if row.names == nil {
			continue
		}
		p, err := w.s.Plan(t.Context(), Selection{Filter: Filter{Call: id}})
		if must(t, err); len(p.Uncovered) != len(row.names) || len(p.Steps[0].Uncovered) != len(row.names) {
			t.Errorf("%s: the plan has %+v", row.script, p.Uncovered)
		}
	}
	w.undo(Selection{Last: 1}, nil)
	if _, err := os.Stat(filepath.Join(w.dir, "a")); err == nil {
		t.Error("the last call that can be undone is not undone")
	}
}

// Of a directory that is left out nobody knows the size, so none is said.
func TestASizeThatIsNotKnown(t *testing.T) {
	if got := (Uncovered{Path: "build", Why: "left out by an ignore file", What: Deleted}).String(); got != "build was deleted and cannot be restored: left out by an ignore file" {
		t.Error(got)
	}
}
