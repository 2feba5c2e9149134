package block

import "rein/tui/text"

// mostMessage is how many lines of a message of the user are shown.
const mostMessage = 40

// Message lays out a message of the user.
func Message(message string, m Marks, width int) (lines []text.Line) {
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
		for j, row := range (text.Line{text.Bold(text.Plain, l)}).Wrap(width-2, nil) {
			if j > 0 {
				mark = text.In(text.Plain, "  ")
			}
			lines = append(lines, append(text.Line{mark}, row...))
		}
	}
	if cut > 0 {
		lines = append(lines, text.Of(text.Dim, "  "+text.Count(cut, "line")+" more"))
	}
	return lines
}
