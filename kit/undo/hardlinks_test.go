//go:build unix

package undo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHardLinksOverSeveralSteps: what was one file is one file again, although each undo makes new ones.
func TestHardLinksOverSeveralSteps(t *testing.T) {
	w := newWorld(t)
	w.sh("echo 1 > a; ln a b; mkdir d; ln a d/c; echo 1 > other")
	must(t, w.s.Snapshot(t.Context()))
	states := []string{w.links()}
	for _, script := range []string{"rm a", "echo 2 > b", "rm b", "rm d/c; echo 3 > d/c", "ln d/c e; echo 4 >> e", "rm e; echo 4 > e", "rm -r d; ln e f", "mkdir d; ln f d/c"} {
		w.call(func() { w.sh(script) })
		states = append(states, w.links())
	}
	last := len(states) - 1
	for range 2 {
		for i := last - 1; i >= 0; i-- {
			w.undo(Selection{Last: 1}, nil)
			same(t, w.links(), states[i], fmt.Sprintf("after the undo of %d", i+1))
		}
		must(t, w.s.Close())
		w.s = w.open()
		for i := 1; i <= last; i++ {
			w.undo(Selection{Last: 1, Redo: true}, nil)
			same(t, w.links(), states[i], fmt.Sprintf("after the redo of %d", i))
		}
	}
}

// TestOnlyLinksChange: a call that leaves all contents as they are, but not which names are one file, is a step that is taken back.
func TestOnlyLinksChange(t *testing.T) {
	w := newWorld(t)
	w.sh("echo 1 > a; ln a b; cp a c; cp a d; ln -s a s; cp -P s r")
	must(t, w.s.Snapshot(t.Context()))
	states := []string{w.links()}
	for _, row := range []struct {
		script  string
		changed []string
	}{
		{"ln -f a c", []string{"c links"}},
		{"cp b x; mv x b", []string{"b links"}},
		{"ln -f d a", []string{"a links"}},
		{"ln -f d c; ln -f b a", []string{"a links", "c links"}},
		{"rm r; ln s r", []string{"r links"}},
		{"echo 2 > x; mv x c", []string{"c changed"}},
	} {
		_, report := w.call(func() { w.sh(row.script) })
		var got []string
		for _, c := range report.Changes {
			got = append(got, c.Path+" "+string(c.What))
		}
		if !slices.Equal(got, row.changed) {
			t.Errorf("%s: %q, want %q", row.script, got, row.changed)
		}
		states = append(states, w.links())
	}
	last := len(states) - 1
	for range 2 {
		for i := last - 1; i >= 0; i-- {
			out := w.undo(Selection{Last: 1}, nil)
			same(t, w.links(), states[i], fmt.Sprintf("after the undo of %d", i+1))
			if len(out.Conflicts) > 0 || len(out.Changes) == 0 {
				t.Errorf("undo of %d: %v, conflicts %v", i+1, out.Changes, out.Conflicts)
			}
		}
		for i := 1; i <= last; i++ {
			w.undo(Selection{Last: 1, Redo: true}, nil)
			same(t, w.links(), states[i], fmt.Sprintf("after the redo of %d", i))
		}
	}
	w.undo(Selection{Last: last}, nil)
	same(t, w.links(), states[0], "after the undo of all at once")
}

// links is the tree, and which names are one file.
func (w *world) links() string {
	w.t.Helper()
	var all strings.Builder
	var seen []os.FileInfo
	var names []string
	must(w.t, filepath.WalkDir(w.dir, func(name string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(name)
		if err != nil || info.IsDir() {
			return err
		}
		for i, o := range seen {
			if os.SameFile(o, info) {
				fmt.Fprintf(&all, "%q is %q\n", name[len(w.dir):], names[i])
				return nil
			}
		}
		seen, names = append(seen, info), append(names, name[len(w.dir):])
		return nil
	}))
	return w.tree() + "\n" + all.String()
}
