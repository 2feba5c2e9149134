package server

import (
	"fmt"
	"strings"
)

// asAdded returns a text as a diff in which all lines are new.
func asAdded(text string) (lines int, diff string) {
	if text == "" {
		return 0, ""
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		lines++
		b.WriteString("+" + line)
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteString("\n\\ No newline at end of file\n")
	}
	return lines, fmt.Sprintf("@@ -0,0 +1,%d @@\n", lines) + b.String()
}
