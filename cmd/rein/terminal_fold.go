package main

import (
	"strings"
	"unicode/utf8"
)

// folds begins each further line of a line that was broken to fit the screen.
const folds = "  ↪ "

// folded returns the lines of an approval request for a screen of that many columns: a line with marks under it is broken
// together with them, so that a mark stays under what it marks. Other lines are left to the screen. A width of 0 changes nothing.
func folded(lines []string, width int) []string {
	if width < 2*len(folds) {
		return lines
	}
	var out []string
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if i+1 == len(lines) || utf8.RuneCountInString(line) < width || !isMarks(lines[i+1]) {
			out = append(out, line)
			continue
		}
		out = append(out, foldPair([]rune(line), []rune(lines[i+1]), width)...)
		i++
	}
	return out
}

// isMarks reports whether a line only marks parts of the line above it.
func isMarks(line string) bool {
	return strings.Contains(line, "^") && strings.Trim(line, " ^") == ""
}

// foldPair breaks a line and its marks, between words where there is one to break at.
func foldPair(line, marks []rune, width int) []string {
	var out []string
	lead := ""
	for {
		room := width - 1 - utf8.RuneCountInString(lead)
		at := len(line)
		if at > room {
			at = room
			for k := room; k > room/2; k-- {
				if line[k-1] == ' ' {
					at = k
					break
				}
			}
		}
		under := marks[:min(at, len(marks))]
		out = append(out, lead+string(line[:at]))
		if u := strings.TrimRight(string(under), " "); u != "" {
			out = append(out, strings.Repeat(" ", utf8.RuneCountInString(lead))+u)
		}
		if at == len(line) {
			return out
		}
		line, marks = line[at:], marks[len(under):]
		lead = folds
	}
}
