package tool

import (
	"fmt"
	"regexp"
	"strconv"
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

// ParseChanges returns the changes whose Lines were put one after the other. What else an approval request shows is lost.
func ParseChanges(lines []string) (all []Change) {
	head := regexp.MustCompile(`^(change|create|delete) (.+) \(\+(\d+) -(\d+) lines\)$`)
	for _, line := range lines {
		if m := head.FindStringSubmatch(line); m != nil {
			c := Change{Path: m[2], Created: m[1] == "create", Deleted: m[1] == "delete"}
			c.Added, _ = strconv.Atoi(m[3])
			c.Removed, _ = strconv.Atoi(m[4])
			all = append(all, c)
		} else if len(all) > 0 {
			all[len(all)-1].Diff += line + "\n"
		}
	}
	return all
}
