//go:build unix

package undo

import (
	"fmt"
	"os"
	"path/filepath"
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
