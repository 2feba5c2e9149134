package tool

import (
	"fmt"
	"strings"
)

// Lines returns the change as text: one line that says what happens to the file, then the diff. whole is false when the diff
// was cut.
func (c Change) Lines() (lines []string, whole bool) {
	what := "change"
	switch {
	case c.Created:
		what = "create"
	case c.Deleted:
		what = "delete"
	}
	lines = []string{fmt.Sprintf("%s %s (+%d -%d lines)", what, c.Path, c.Added, c.Removed)}
	return append(lines, strings.Split(strings.TrimRight(c.Diff, "\n"), "\n")...), !c.Cut
}
