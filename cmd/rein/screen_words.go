package main

import (
	"os"
	"strings"

	"rein/app/settings"
	"rein/app/tui/text"
)

// ownWords are the program's texts in the language of the user. All that is for people uses them, on a terminal and elsewhere: help goes through
// a pager, and errors and the lines of a run go to a log. JSON and what a model reads stay English.
func ownWords() text.Words {
	return text.WordsIn(text.Language(settingsIn(".").Terminal.Language, os.Getenv))
}

// settingsIn are the settings of a directory, as far as they can be read: doctor and the start of a session report the rest.
func settingsIn(dir string) settings.Settings {
	layers, _, _ := settings.Load(settings.DefaultDirs(), dir)
	return settings.Merge(layers)
}

// markWords are what a screen reader reads instead of the mark at the start of a line.
var markWords = []string{"●", "call:", "✓", "done:", "✗", "failed:", "■", "the turn ended:", "!", "warning:", "?", "question:"}

// withoutMarks returns a text of the program without marks: words at the starts of its lines, commas between facts, and no line that only
// points at the one above.
func withoutMarks(s string, own text.Words) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if strings.Contains(line, "^") && strings.Trim(line, " ^") == "" {
			continue
		}
		rest := strings.TrimLeft(line, " ")
		for i := 0; i < len(markWords); i += 2 {
			if after, ok := strings.CutPrefix(rest, markWords[i]+" "); ok {
				line = line[:len(line)-len(rest)] + own.Of(markWords[i+1]) + " " + after
				break
			}
		}
		lines = append(lines, strings.ReplaceAll(line, " · ", own.Of(", ")))
	}
	return strings.Join(lines, "\n")
}
