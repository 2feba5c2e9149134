//go:build linux

package undo

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"rein/undo/internal/tree"
)

// TestWatch: while nothing happens the walk before a call is left out, and whatever happens, wherever, is found by a walk.
func TestWatch(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.MaxIgnored = 1 })
	files := map[string]string{"a": "1", "d/e/f": "2", "d/g": "3", ".gitignore": "*.log\nbuild/\n", "x.log": "left out", "build/out": "left out", "link": "->a"}
	w.call(func() { w.write(files) })
	settle := func() {
		t.Helper()
		for range 60 { // the stamps must be old enough; another program may make a sound
			time.Sleep(tree.OwnMargin / 4)
			w.call(func() {})
			if w.s.watch.fresh && w.s.unchanged() {
				return
			}
			if w.s.watch.off {
				t.Skip("the system has no watch left: other programs use all that a user may have")
			}
		}
		t.Fatalf("it never becomes quiet: %+v", w.s.watch)
	}
	for _, row := range []struct {
		rule string
		do   func()
	}{
		{"a file is written", func() { w.write(map[string]string{"d/e/f": "4"}) }},
		{"a file is made", func() { w.write(map[string]string{"d/new": "5"}) }},
		{"a directory is made, with a file", func() { w.write(map[string]string{"n/m/o": "6"}) }},
		{"a file in that directory is written", func() { w.write(map[string]string{"n/m/o": "7"}) }},
		{"a mode changes", func() { must(t, os.Chmod(filepath.Join(w.dir, "a"), 0o600)) }},
		{"a directory is moved", func() { must(t, os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "k"))) }},
		{"a file in the moved directory is written", func() { w.write(map[string]string{"k/e/f": "8"}) }},
		{"a directory goes", func() { must(t, os.RemoveAll(filepath.Join(w.dir, "k"))) }},
	} {
		settle()
		row.do()
		if w.s.unchanged() {
			t.Errorf("%s: nothing was heard", row.rule)
		}
		_, report := w.call(func() {})
		if len(report.Changes) > 0 {
			t.Errorf("%s: it counts as the work of the next call: %+v", row.rule, report.Changes)
		}
	}
	settle()
	must(t, os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, "hard")))
	for range 3 {
		time.Sleep(tree.OwnMargin / 2)
		w.call(func() {})
	}
	if w.s.unchanged() {
		t.Error("a file with two names is taken to be unchanged without a look")
	}
}
