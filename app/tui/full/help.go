package full

import (
	"fmt"
	"strings"

	"rein/app/tui/text"
)

// Group is a part of the help: what can be written or pressed, and what it does.
type Group struct {
	Head string
	Rows [][2]string
}

// Help lays groups out. Those without rows are left out.
func Help(groups ...Group) (lines []text.Line) {
	for _, g := range groups {
		if len(g.Rows) == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, text.Line{text.Bold(text.Plain, g.Head)})
		for _, r := range g.Rows {
			lines = append(lines, text.Line{text.In(text.Accent, fmt.Sprintf("  %-14s", r[0])), text.In(text.Plain, r[1])})
		}
	}
	return lines
}

// Fact is a line with a name and a value.
func Fact(name, value string) text.Line {
	return text.Line{text.In(text.Dim, "  "+name+strings.Repeat(" ", max(12-text.Width(name), 1))), text.In(text.Plain, text.OneLine(value))}
}
