package undo

import (
	"os"
	"path/filepath"
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
