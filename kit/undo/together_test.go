//go:build unix

package undo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCallsAtTheSameTime: what a file tool names is its own work while a job runs; what else changes may be the work of
// either, is left by an undo of one of them, and is taken back by an undo of both.
func TestCallsAtTheSameTime(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": "1", "b": "1"})
	before := w.tree()
	job, err := w.s.Begin(t.Context(), Call{ID: "job", Tool: "bash"}, nil)
	must(t, err)
	edit, err := w.s.Begin(t.Context(), Call{ID: "edit", Tool: "write_file"}, []string{"a"})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(w.dir, "a"), []byte("2"), 0o644))
	_, err = edit.End(t.Context())
	must(t, err)
	other, err := w.s.Begin(t.Context(), Call{ID: "other", Tool: "bash"}, nil)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(w.dir, "b"), []byte("2"), 0o644))
	_, err = other.End(t.Context())
	must(t, err)

	out := w.undo(Selection{Filter: Filter{Call: "other"}}, nil)
	if len(out.Conflicts) != 1 || !strings.Contains(out.Conflicts[0].Why, "job") || len(out.Changes) != 0 {
		t.Errorf("undo of one: %+v", out)
	}
	if out := w.undo(Selection{Filter: Filter{Call: "edit"}}, nil); len(out.Conflicts) != 0 || len(out.Changes) != 1 {
		t.Errorf("undo of the file tool: %+v", out)
	}
	_, err = job.End(t.Context())
	must(t, err)
	w.undo(Selection{}, nil)
	same(t, w.tree(), before, "undo of all")
}

// TestTwoProcesses: each sees what the other did; a call of a process that was killed is ended by the next one.
func TestTwoProcesses(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": "1"})
	before := w.tree()
	first, second := w.s, w.open()
	w.call(func() { w.write(map[string]string{"b": "from the first"}) })
	w.s = second
	w.call(func() { w.write(map[string]string{"c": "from the second"}) })
	steps, err := first.Steps(t.Context(), Filter{})
	must(t, err)
	if len(steps) != 2 || steps[1].Changes[0].Path != "c" || len(steps[1].Shared) > 0 {
		t.Errorf("the first sees %+v", steps)
	}
	w.s = first
	w.undo(Selection{Last: 2}, nil)
	same(t, w.tree(), before, "undo in the first")

	_, err = first.Begin(t.Context(), Call{ID: "killed", Tool: "bash"}, nil)
	must(t, err)
	w.write(map[string]string{"d": "half done"})
	first.abandon()
	w.s = second
	w.undo(Selection{Filter: Filter{Call: "killed"}}, nil)
	same(t, w.tree(), before, "undo of what a killed process did")
}

// TestTheUsersFilesStay: a file that the user made between calls is not the work of a call, whatever is undone.
func TestTheUsersFilesStay(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": "1", ".gitignore": "*.log\nbuild/\n", "keep.log": "small", "build/out": "left out"})
	w.call(func() { w.sh("cat missing || true; echo 2 > a; mkdir made") })
	w.write(map[string]string{"mine": "the user's", "made/mine": "the user's"})
	w.call(func() { w.sh("echo 3 > a; echo > .gitignore; rm keep.log; rm -r build") })
	out := w.undo(Selection{}, nil)
	for name, want := range map[string]string{"a": "1", "mine": "the user's", "made/mine": "the user's", "keep.log": "small"} {
		if text, err := os.ReadFile(filepath.Join(w.dir, name)); string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	if len(out.Conflicts) != 1 || out.Conflicts[0].Path != "made" {
		t.Errorf("conflicts: %+v", out.Conflicts)
	}
	if len(out.Uncovered) == 0 || out.Uncovered[0].Path != "build" {
		t.Errorf("what cannot be restored: %+v", out.Uncovered)
	}
}
