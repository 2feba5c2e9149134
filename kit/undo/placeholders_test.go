package undo

import (
	"slices"
	"strings"
	"testing"
)

// TestEmptyFilesOfARepositoryThatGoes: the sandbox makes empty files in a repository, so that no program makes them, and a call may remove
// them. When the repository came with a call that is undone, they are no reason to leave anything.
func TestEmptyFilesOfARepositoryThatGoes(t *testing.T) {
	for name, after := range map[string]string{"they stay": "true", "a call removed them": "rm sub/.git/info/attributes sub/.git/config.worktree"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := w.tree()
			w.call(func() {
				w.sh("mkdir -p sub/.git/objects sub/.git/refs sub/.git/info; echo ref >sub/.git/HEAD; echo x >sub/a")
			})
			if _, report := w.call(func() {
				w.sh(": >sub/.git/info/attributes; : >sub/.git/config.worktree; echo y >sub/a")
			}); len(report.Changes) != 1 {
				t.Errorf("the call has changed %+v", report.Changes)
			}
			w.call(func() { w.sh(after) })
			whole := w.tree()
			out := w.undo(Selection{}, nil)
			if got := w.tree(); got != before || len(out.Conflicts) > 0 {
				t.Errorf("left: %s\n%+v", got, out.Conflicts)
			}
			w.undo(Selection{Redo: true}, nil)
			lines := func(tree string) []string {
				return slices.DeleteFunc(strings.Split(tree, "\n"), func(l string) bool {
					return strings.Contains(l, "attributes") || strings.Contains(l, "config.worktree")
				})
			}
			if got := w.tree(); !slices.Equal(lines(got), lines(whole)) {
				t.Errorf("after the redo\n%s\nwant\n%s", got, whole)
			}
		})
	}
}
