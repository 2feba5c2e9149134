package main

import (
	"fmt"
	"strings"

	"rein/guard"
	"rein/internal/edit"
	"rein/toolkit"
)

// showChanges makes a terminal's questions show, for a call that changes files, the real diff of what would be
// written instead of its arguments. Where that cannot be worked out, or is too long, the arguments stay.
func showChanges(approver guard.Approver, files toolkit.Files) {
	t, ok := approver.(*terminal)
	if !ok {
		return
	}
	before := t.asked
	t.asked = func(c guard.Case, v guard.Verdict) question {
		q := before(c, v)
		changes, err := files.Preview(c.Call.Name, c.Call.Args)
		if err != nil || len(q.lines) < 2 {
			return q
		}
		shown, whole := changeLines(changes)
		if whole {
			q.lines = append(append(q.lines[:1:1], shown...), q.lines[2:]...)
		} else {
			q.lines = append(append(q.lines[:2:2], shown...), q.lines[2:]...)
		}
		return q
	}
}

// changeLines are the diffs as lines of a question; whole is false if a diff was cut.
func changeLines(changes []toolkit.FileChange) (lines []string, whole bool) {
	whole = true
	for _, c := range changes {
		what := "change"
		switch {
		case c.Created:
			what = "create"
		case c.Deleted:
			what = "delete"
		}
		lines = append(lines, fmt.Sprintf("  %s %s (+%d -%d lines)", what, printable(c.Path), c.Added, c.Removed))
		diff := strings.Split(strings.TrimRight(c.Diff, "\n"), "\n")
		whole = whole && len(diff) < edit.DiffLines
		for _, l := range diff {
			lines = append(lines, "  "+printable(l))
		}
	}
	return lines, whole
}
