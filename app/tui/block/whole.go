package block

import (
	"strings"

	"rein/app/tui/text"
)

// Finished is a finished call, or a thought of the model.
type Finished struct {
	Result
	Thought string // "": it is a call
}

// Whole lays finished calls and thoughts out for a full screen, in width columns; thoughts are wrapped at column.
func Whole(all []Finished, marks Marks, width, column int) (lines []text.Line) {
	for _, f := range all {
		if f.Thought == "" {
			lines = append(lines, f.Whole(marks, width)...)
		} else {
			lines = append(lines, text.Line{text.Bold(text.Dim, marks.Words.Of("thought"))})
			for _, l := range text.Lines(f.Thought) {
				lines = append(lines, text.Of(text.Dim, l).Wrap(column, nil)...)
			}
		}
		lines = append(lines, nil, text.Of(text.Dim, strings.Repeat("-", min(width, 40))), nil)
	}
	return lines
}
