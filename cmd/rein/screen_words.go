package main

import "strings"

// markWords are what a screen reader reads instead of the mark at the start of a line.
var markWords = []string{"●", "call:", "✓", "done:", "✗", "failed:", "■", "the turn ended:", "!", "warning:", "?", "question:"}

// withoutMarks returns a text of the program without marks: words at the starts of its lines, commas between facts, and no line that only
// points at the one above.
func withoutMarks(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "^") && strings.Trim(line, " ^") == "" {
			continue
		}
		rest := strings.TrimLeft(line, " ")
		for i := 0; i < len(markWords); i += 2 {
			if after, ok := strings.CutPrefix(rest, markWords[i]+" "); ok {
				line = line[:len(line)-len(rest)] + markWords[i+1] + " " + after
				break
			}
		}
		lines = append(lines, strings.ReplaceAll(line, " · ", ", "))
	}
	return strings.Join(lines, "\n")
}
