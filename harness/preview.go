package harness

import (
	"fmt"
	"strings"

	"rein/toolkit/detail"
)

// changeLines are the diffs of what a call would write, for a question; whole is false if a diff was cut.
func changeLines(changes []detail.Change) (lines []string, whole bool) {
	whole = true
	for _, c := range changes {
		what := "change"
		switch {
		case c.Created:
			what = "create"
		case c.Deleted:
			what = "delete"
		}
		lines = append(lines, fmt.Sprintf("%s %s (+%d -%d lines)", what, c.Path, c.Added, c.Removed))
		whole = whole && !c.Cut
		lines = append(lines, strings.Split(strings.TrimRight(c.Diff, "\n"), "\n")...)
	}
	return lines, whole
}
