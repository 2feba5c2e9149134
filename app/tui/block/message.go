package block

import (
	"strings"

	"rein/app/tui/text"
)

// mostMessage is how many lines of a message of the user are shown.
const mostMessage = 40

// OwnCommand stands before a command of the user whose output goes with a message.
const OwnCommand = "\n\nI ran this command:\n```\n$ "

// Message lays out a message of the user. Outputs of commands that go with it are named: they were shown before.
func Message(message string, m Marks, width int) (lines []text.Line) {
	message, with, _ := strings.Cut(message, OwnCommand)
	rows := text.Lines(message)
	cut := len(rows) - mostMessage
	if cut > 0 {
		rows = rows[:mostMessage]
	}
	for i, l := range rows {
		mark := text.In(text.Plain, "  ")
		if i == 0 {
			mark = text.Bold(text.Accent, m.You+" ")
		}
		for j, row := range m.wrapped(text.Line{text.Bold(text.Plain, l)}, width-2, "") {
			if j > 0 {
				mark = text.In(text.Plain, "  ")
			}
			lines = append(lines, append(text.Line{mark}, row...))
		}
	}
	if cut > 0 {
		lines = append(lines, text.Of(text.Dim, "  … "+m.Words.Count(cut, "more line")))
	}
	if with != "" {
		for output := range strings.SplitSeq(with, OwnCommand) {
			command, _, _ := strings.Cut(output, "\n")
			lines = append(lines, text.Of(text.Dim, "  "+m.Words.Of("with the output of: %s", text.OneLine(command))).Cut(width))
		}
	}
	return lines
}
