package undo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exactly runs something as a call of a file tool, which names what it can change.
func (w *world) exactly(work func(), paths ...string) Report {
	w.t.Helper()
	w.n++
	r, err := w.s.Begin(w.t.Context(), Call{ID: fmt.Sprintf("c%d", w.n), Tool: "write_file", Session: "s"}, paths)
	must(w.t, err)
	work()
	report, err := r.End(w.t.Context())
	must(w.t, err)
	return report
}

// TestAnIgnoredFileThatAFileToolChanges is kept, whatever an ignore file says.
func TestAnIgnoredFileThatAFileToolChanges(t *testing.T) {
	large := strings.Repeat("x", 200)
	for _, row := range []struct {
		rule string
		work func(w *world)
		path string
	}{
		{"a file above the limit of ignored ones", func(w *world) { w.write(map[string]string{"big.log": "new"}) }, "big.log"},
		{"a file in an ignored directory", func(w *world) { w.write(map[string]string{"build/d/out": "new"}) }, "build/d/out"},
		{"a new file there", func(w *world) { w.write(map[string]string{"build/e/new": large}) }, "build/e/new"},
		{"a file that goes", func(w *world) { must(w.t, os.Remove(filepath.Join(w.dir, "build/d/out"))) }, "build/d/out"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.MaxIgnored = 10 })
			w.write(map[string]string{".gitignore": "build/\n*.log\n", "big.log": large, "build/d/out": large, "build/d/other": large, "a": "1"})
			must(t, w.s.Snapshot(t.Context()))
			before := w.tree()
			report := w.exactly(func() { row.work(w) }, row.path)
			if len(report.Changes) == 0 || len(report.Uncovered) > 0 {
				t.Fatalf("report: %+v", report)
			}
			after := w.tree()
			w.call(func() { w.write(map[string]string{"a": "2"}) })
			w.undo(Selection{Last: 1}, nil)
			if out := w.undo(Selection{Last: 1}, nil); len(out.Conflicts)+len(out.Uncovered) > 0 {
				t.Errorf("%+v", out)
			}
			same(t, w.tree(), before, "after the undo")
			must(t, w.s.Close())
			w.s = w.open(func(o *Options) { o.MaxIgnored = 10 })
			w.undo(Selection{Last: 1, Redo: true}, nil)
			same(t, w.tree(), after, "after the redo")
		})
	}
}

// TestAKeptIgnoredFileThatBecomesADirectory comes back.
func TestAKeptIgnoredFileThatBecomesADirectory(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{".gitignore": "*.log\n", "a.log": "small"})
	must(t, w.s.Snapshot(t.Context()))
	before := w.tree()
	w.call(func() { w.sh("rm a.log; mkdir -p a.log/d; echo 1 > a.log/d/x") })
	after := w.tree()
	w.undo(Selection{Last: 1}, nil)
	same(t, w.tree(), before, "after the undo")
	w.undo(Selection{Last: 1, Redo: true}, nil)
	same(t, w.tree(), after, "after the redo")
}
