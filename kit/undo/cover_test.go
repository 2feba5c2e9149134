package undo

import "testing"

// TestAnIgnoreFileThatAllowsADirectory: what comes under cover by it was made by nobody.
func TestAnIgnoreFileThatAllowsADirectory(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{".gitignore": "build/\n", "build/d/out": "1"})
	must(t, w.s.Snapshot(t.Context()))
	before := w.tree()
	w.call(func() { w.write(map[string]string{".gitignore": "\n"}) })
	w.undo(Selection{Last: 1}, nil)
	same(t, w.tree(), before, "after the undo")
}
